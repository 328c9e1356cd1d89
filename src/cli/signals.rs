//! Signals while hooks run: Ctrl-C interrupts them, then kills them, then leaves; TERM and HUP
//! kill them and leave.

use std::future::Future;
use std::io::Write as _;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::failure::Failure;
use crate::engine::{Control, Stop};

/// The signals that ask us to end.
struct EndingSignals {
    interrupts: Signal,
    terminates: Signal,
    hangups: Signal,
    quits: Signal,
}

impl EndingSignals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self {
            interrupts: signal(SignalKind::interrupt())?,
            terminates: signal(SignalKind::terminate())?,
            hangups: signal(SignalKind::hangup())?,
            quits: signal(SignalKind::quit())?,
        })
    }

    /// Wait for the next one; the exit code that says which it was.
    async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupts.recv() => INTERRUPTED,
            _ = self.terminates.recv() => 128 + 15,
            _ = self.hangups.recv() => 128 + 1,
            _ = self.quits.recv() => 128 + 3,
        }
    }
}

const INTERRUPTED: u8 = 128 + 2;

/// Run `work` on a runtime of its own and turn signals into stops of `control`. With the result comes the exit code of
/// the signal that cut the work short, if one did.
pub fn run<T>(control: &Control, work: impl Future<Output = T>) -> Result<(T, Option<u8>), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        // Whoever started us may have made us ignore SIGCHLD; then the exit status of a hook would be lost.
        let _children = signal(SignalKind::child())?;
        let mut signals = EndingSignals::listen()?;
        tokio::pin!(work);
        let mut presses = 0;
        let mut ended_by = None;
        loop {
            let code = tokio::select! {
                done = &mut work => return Ok((done, ended_by)),
                code = signals.next() => code,
            };
            ended_by = Some(code);
            presses += usize::from(code == INTERRUPTED);
            match (code, presses) {
                (INTERRUPTED, 1) => {
                    control.stop(Stop::Interrupt);
                    notify("interrupting the hooks; Ctrl-C again kills them");
                }
                (INTERRUPTED, 2) => {
                    control.stop(Stop::Kill);
                    notify("killing the hooks; Ctrl-C again leaves");
                }
                // Dropping the work ends every process it started.
                (INTERRUPTED, _) => return Err(Failure::Abandoned(INTERRUPTED)),
                _ => control.stop(Stop::Kill),
            }
        }
    });
    leave_on_signal(runtime);
    ended
}

/// No hook runs any more, so from here on a signal simply ends us; the handlers installed above would swallow it.
fn leave_on_signal(runtime: tokio::runtime::Runtime) {
    let _ = std::thread::Builder::new().name("signals".into()).spawn(move || {
        runtime.block_on(async {
            if let Ok(mut signals) = EndingSignals::listen() {
                std::process::exit(i32::from(signals.next().await));
            }
        });
    });
}

fn notify(text: &str) {
    let _ = writeln!(std::io::stderr(), "hookdbg: {text}");
}
