//! Signals while hooks run: Ctrl-C interrupts them, then kills them, then leaves; TERM and HUP
//! kill them and leave.

use std::future::Future;
use std::io::Write as _;

use tokio::signal::unix::{SignalKind, signal};

use super::failure::Failure;
use crate::engine::{Control, Stop};

/// What came out of the work, or the signal that ended it.
pub enum Completion<T> {
    /// The result, and the exit code of the signal that cut the work short, if one did.
    Finished(T, Option<u8>),
    /// The user left without waiting; the exit code that says so.
    Abandoned(u8),
}

/// Run `work` on a runtime of its own and turn signals into stops of `control`.
pub fn run<T>(control: &Control, work: impl Future<Output = T>) -> Result<Completion<T>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        // Whoever started us may have made us ignore SIGCHLD; then the exit status of a hook would be lost.
        let _children = signal(SignalKind::child())?;
        let mut quits = signal(SignalKind::quit())?;
        let mut interrupts = signal(SignalKind::interrupt())?;
        let mut terminates = signal(SignalKind::terminate())?;
        let mut hangups = signal(SignalKind::hangup())?;
        tokio::pin!(work);
        let mut presses = 0;
        let mut ended_by = None;
        loop {
            tokio::select! {
                done = &mut work => return Ok(Completion::Finished(done, ended_by)),
                _ = interrupts.recv() => {
                    presses += 1;
                    ended_by = Some(INTERRUPTED);
                    match presses {
                        1 => {
                            control.stop(Stop::Interrupt);
                            notify("interrupting the hooks; Ctrl-C again kills them");
                        }
                        2 => {
                            control.stop(Stop::Kill);
                            notify("killing the hooks; Ctrl-C again leaves");
                        }
                        // Dropping the work ends every process it started.
                        _ => return Ok(Completion::Abandoned(INTERRUPTED)),
                    }
                }
                _ = terminates.recv() => {
                    control.stop(Stop::Kill);
                    ended_by = Some(128 + 15);
                }
                _ = hangups.recv() => {
                    control.stop(Stop::Kill);
                    ended_by = Some(128 + 1);
                }
                _ = quits.recv() => {
                    control.stop(Stop::Kill);
                    ended_by = Some(128 + 3);
                }
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
            let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
            let [Ok(mut int), Ok(mut term), Ok(mut hup), Ok(mut quit)] = kinds.map(signal) else { return };
            let code = tokio::select! {
                _ = int.recv() => INTERRUPTED,
                _ = term.recv() => 128 + 15,
                _ = hup.recv() => 128 + 1,
                _ = quit.recv() => 128 + 3,
            };
            std::process::exit(i32::from(code));
        });
    });
}

const INTERRUPTED: u8 = 128 + 2;

fn notify(text: &str) {
    let _ = writeln!(std::io::stderr(), "hookdbg: {text}");
}
