//! Traps 23–40: how runs end, alone and in company. Limits are long enough for a hook to begin on a busy machine: what is
//! under test is what happens at the limit, not how soon it comes.

use std::fs;
use std::time::Duration;

use hookdbg::engine::{EngineOptions, Stop};
use hookdbg::model::{End, Lifecycle};

use crate::support::{
    Command, Order, alive, appears, block_on, end, eventually, fire_all, hook_path, request, run, run_with, runner,
    session_members,
};

fn file(dir: &tempfile::TempDir) -> (std::path::PathBuf, String) {
    let path = dir.path().join("pid");
    let text = path.display().to_string();
    (path, text)
}

/// Signals are on their way when the run is reported over; the kernel finishes the dying in its own time.
fn gone(pid: &str) {
    eventually("the process is gone", || !alive(pid));
}

#[test]
fn trap_23_exit_code_signal_and_shell_mapped_signal_differ() {
    assert_eq!(end(&run(Command::exec(&[&hook_path("self-signal.sh"), "TERM"]))).end, End::Signalled(15));
    assert_eq!(end(&run(Command::exec(&[&hook_path("self-signal.sh"), "KILL"]))).end, End::Signalled(9));
    assert_eq!(end(&run(Command::hook("shell-mapped.sh", &[]))).end, End::Exited(143));
    assert_eq!(end(&run(Command::shell("exit 7"))).end, End::Exited(7));
}

#[test]
fn trap_24_partial_output_is_kept_on_timeout() {
    let record = run(Command::hook("partial-then-hang.sh", &[]).timeout_ms(2000));
    assert!(matches!(end(&record).end, End::TimedOut { .. }));
    assert_eq!(end(&record).stdout.text(), "got this far\n");
    assert_eq!(end(&record).stderr.text(), "and complained\n");
}

#[test]
fn trap_25_an_ignored_term_is_followed_by_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    let options = EngineOptions { grace: Duration::from_millis(100), ..EngineOptions::default() };
    let record = run_with(Command::hook("ignores-term.sh", &[&text]).timeout_ms(1500), options);
    assert_eq!(end(&record).end, End::TimedOut { limit_ms: 1500, killed: true });
    gone(&appears(&path));
}

#[test]
fn trap_26_a_stopped_hook_still_ends_without_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    let options = EngineOptions { grace: Duration::from_secs(20), ..EngineOptions::default() };
    let record = run_with(Command::hook("stops-itself.sh", &[&text]).timeout_ms(1500), options);
    assert_eq!(end(&record).end, End::TimedOut { limit_ms: 1500, killed: false });
    gone(&appears(&path));
}

#[test]
fn trap_27_the_whole_group_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    run(Command::hook("grandchild.sh", &[&text]).timeout_ms(1500));
    gone(&appears(&path));
}

#[test]
fn trap_27_a_group_made_inside_the_session_is_ended_too() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    let record = run(Command::hook("own-group.sh", &[&text]).timeout_ms(1500));
    assert!(matches!(end(&record).end, End::TimedOut { .. }));
    gone(&appears(&path));
}

#[test]
fn trap_28_a_grandchild_in_its_own_session_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    let record = run(Command::hook("escapes.sh", &[&text]).timeout_ms(2000));
    let pid = appears(&path);
    let found = end(&record).leftovers.iter().find(|l| l.pid.to_string() == pid);
    assert!(found.is_some_and(|l| l.escaped), "{:?}", end(&record).leftovers);
    assert!(alive(&pid), "it is out of our reach and must be said to be so");
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
}

#[test]
fn trap_29_nobody_survives_by_forking_during_the_kill() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    run(Command::hook("fork-storm.sh", &[&text]).timeout_ms(1000));
    let session = appears(&path);
    eventually("the session is empty", || session_members(&session).is_empty());
}

#[test]
fn trap_30_a_quiet_grandchild_does_not_hold_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    let record = run(Command::hook("quiet-grandchild.sh", &[&text]));
    assert_eq!(end(&record).end, End::Exited(0));
    let pid = appears(&path);
    assert!(
        end(&record).leftovers.iter().any(|l| l.pid.to_string() == pid && !l.escaped),
        "{:?}",
        end(&record).leftovers
    );
    // The runner is gone, and so is what its hooks left behind.
    eventually("the grandchild is ended with the runner", || !alive(&pid));
}

#[test]
fn trap_31_nor_does_one_that_keeps_talking() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    let record = run(Command::hook("talking-grandchild.sh", &[&text]));
    assert_eq!(end(&record).end, End::Exited(0));
    assert!(!end(&record).leftovers.is_empty());
    let pid = appears(&path);
    eventually("the talker is ended with the runner", || !alive(&pid));
}

#[test]
fn trap_33_a_silent_background_child_is_found_although_the_leader_is_reaped() {
    // The group is looked at once after the reaping and signalled only while it still has members of ours.
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    let runner = runner(Order::InARow, vec![Command::hook("background.sh", &[&text])], EngineOptions::default());
    let (request, _events) = request();
    let firing = block_on(runner.fire(request));
    let pid = appears(&path);
    assert_eq!(end(&firing.runs[0]).leftovers[0].pid.to_string(), pid);
    assert!(alive(&pid), "a host would let it live, so it lives as long as we do");
    drop(runner);
    eventually("it ends with the runner", || !alive(&pid));
}

#[test]
fn trap_34_dropping_the_firing_leaves_no_process() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    let runner = runner(Order::InARow, vec![Command::hook("hangs.sh", &[&text])], EngineOptions::default());
    let (request, _events) = request();
    let pid = block_on(async {
        tokio::select! {
            _ = runner.fire(request) => panic!("it hangs"),
            pid = tokio::task::spawn_blocking(move || appears(&path)) => pid.unwrap(),
        }
    });
    gone(&pid);
}

#[test]
fn trap_34_a_panic_leaves_no_process() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    let seen = path.clone();
    let thread = std::thread::spawn(move || {
        let runner = runner(Order::InARow, vec![Command::hook("hangs.sh", &[&text])], EngineOptions::default());
        let (request, _events) = request();
        block_on(async {
            tokio::select! {
                _ = runner.fire(request) => {}
                () = async { tokio::task::spawn_blocking(move || appears(&seen)).await.unwrap(); panic!("on purpose") } => {}
            }
        });
    });
    assert!(thread.join().is_err());
    gone(&appears(&path));
}

#[test]
fn trap_35_interrupt_and_kill_are_heard_one_after_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let (path, text) = file(&dir);
    // A grace of an hour: only the second order can end a hook that ignores the first.
    let options = EngineOptions { grace: Duration::from_hours(1), ..EngineOptions::default() };
    let runner = runner(Order::InARow, vec![Command::hook("ignores-term.sh", &[&text])], options);
    let (request, _events) = request();
    let control = request.control.clone();
    let firing = block_on(async {
        let orders = async {
            tokio::task::spawn_blocking(move || appears(&path)).await.unwrap();
            control.stop(Stop::Interrupt);
            tokio::task::yield_now().await;
            control.stop(Stop::Kill);
        };
        tokio::join!(runner.fire(request), orders).0
    });
    assert_eq!(end(&firing.runs[0]).end, End::Cancelled);
}

#[test]
fn trap_38_ten_hooks_start_together_and_keep_both_orders() {
    let dir = tempfile::tempdir().unwrap();
    let room = dir.path().display().to_string();
    let commands = (0..10).map(|i| Command::hook("meets.sh", &[&room, &format!("h{i}"), "10"])).collect();
    // Each waits for the other nine, so a single one started late would hang all of them.
    let firing = fire_all(Order::Together, commands, EngineOptions::default());
    assert_eq!(firing.runs.iter().map(|r| r.hook).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());

    let room = tempfile::tempdir().unwrap();
    let dir = room.path().display().to_string();
    let next = ["h1", "h2", ""];
    // Started without a shell: a shell in between could end after the next hook.
    let script = hook_path("slow-by-name.sh");
    let commands = (0..3).map(|i| Command::exec(&[&script, &dir, &format!("h{i}"), next[i]])).collect();
    let firing = fire_all(Order::Together, commands, EngineOptions::default());
    assert_eq!(firing.runs.iter().map(|r| r.finish_order).collect::<Vec<_>>(), [3, 2, 1]);
}

#[test]
fn trap_39_two_hundred_runs_keep_to_the_limit_of_processes() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("alive")).unwrap();
    let room = dir.path().display().to_string();
    let commands: Vec<_> = (0..200).map(|i| Command::hook("counts-company.sh", &[&room, &format!("h{i}")])).collect();
    let runner = runner(Order::Together, commands, EngineOptions { max_processes: 4, ..EngineOptions::default() });
    let (request, mut events) = request();
    let firing = block_on(runner.fire(request));
    assert_eq!(firing.runs.len(), 200);
    let counts = fs::read_to_string(dir.path().join("counts")).unwrap();
    assert!(counts.lines().all(|c| c.trim().parse::<u32>().unwrap() <= 4), "{counts}");
    let mut queued = 0;
    while let Some(event) = events.try_recv() {
        queued += usize::from(matches!(event, Lifecycle::HookQueued { .. }));
    }
    assert_eq!(queued, 196);
}

#[test]
fn trap_40_a_loaded_machine_shows_no_false_leak() {
    assert!(EngineOptions::default().drain >= Duration::from_millis(500));
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let commands = (0..30).map(|_| Command::shell("echo a; (echo b); echo c | cat")).collect();
        let firing = fire_all(Order::Together, commands, EngineOptions::default());
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        for record in &firing.runs {
            assert!(end(record).leftovers.is_empty(), "{:?}", end(record).leftovers);
            assert_eq!(end(record).stdout.text(), "a\nb\nc\n");
        }
    });
}
