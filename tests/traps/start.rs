//! Traps 1–8: starting a hook.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use hookdbg::engine::EngineOptions;
use hookdbg::model::{End, Lifecycle, SpawnCause};

use crate::support::{Command, Order, block_on, end, hook_path, request, run, run_with, runner};

fn spawn_failure(command: Command) -> (SpawnCause, String) {
    match &end(&run(command)).end {
        End::SpawnFailed(failure) => (failure.cause, failure.message.clone()),
        other => panic!("it should not have started: {other:?}"),
    }
}

fn shell_diagnosis(name: &str) -> (End, String) {
    let record = run(Command::hook(name, &[]));
    (end(&record).end.clone(), end(&record).diagnosis.clone().expect("a cause"))
}

#[test]
fn trap_01_missing_directory_and_missing_program_are_told_apart() {
    let (cause, message) = spawn_failure(Command::exec(&["sh", "-c", ":"]).cwd("/no/such/dir"));
    assert_eq!(cause, SpawnCause::MissingCwd);
    assert!(message.contains("/no/such/dir does not exist"), "{message}");
    let (cause, message) = spawn_failure(Command::exec(&["no-such-program-here"]));
    assert_eq!(cause, SpawnCause::MissingProgram);
    assert!(message.contains("no-such-program-here: no such program in PATH"), "{message}");
    let (cause, message) = spawn_failure(Command::exec(&["./gone.sh"]).cwd("/tmp"));
    assert_eq!(cause, SpawnCause::MissingProgram);
    assert!(message.contains("looked from /tmp"), "{message}");
}

#[test]
fn trap_02_no_interpreter_line_fails_in_exec_form_and_works_through_a_shell() {
    let (cause, message) = spawn_failure(Command::exec(&[&hook_path("no-shebang")]));
    assert_eq!(cause, SpawnCause::NoInterpreterLine);
    assert!(message.contains("has no #! line, which only a shell makes up for"), "{message}");
    let record = run(Command::hook("no-shebang", &[]));
    assert_eq!(end(&record).end, End::Exited(0));
    assert_eq!(end(&record).stdout.text(), "ran\n");
}

#[test]
fn trap_03_carriage_return_and_missing_interpreter_are_named() {
    let (cause, message) = spawn_failure(Command::exec(&[&hook_path("crlf.sh")]));
    assert_eq!(cause, SpawnCause::CarriageReturn);
    assert!(message.contains("CRLF"), "{message}");
    let (cause, message) = spawn_failure(Command::exec(&[&hook_path("missing-interpreter.sh")]));
    assert_eq!(cause, SpawnCause::BadInterpreter);
    assert!(message.contains("/opt/no/such/interpreter"), "{message}");

    let (ended, why) = shell_diagnosis("crlf.sh");
    assert_eq!(ended, End::Exited(127));
    assert!(why.contains("CRLF"), "{why}");
    assert!(shell_diagnosis("missing-interpreter.sh").1.contains("/opt/no/such/interpreter"));
    assert!(shell_diagnosis("missing-env-interpreter.sh").1.contains("no-such-interpreter-here"));
}

#[test]
fn trap_04_missing_execute_bit_is_a_permission_matter() {
    let (cause, message) = spawn_failure(Command::exec(&[&hook_path("not-executable.sh")]));
    assert_eq!(cause, SpawnCause::NotExecutable);
    assert!(message.contains("chmod +x"), "{message}");
    let (ended, why) = shell_diagnosis("not-executable.sh");
    assert_eq!(ended, End::Exited(126));
    assert!(why.contains("no execute permission"), "{why}");
}

#[test]
fn trap_05_too_large_an_environment_is_reported_with_size_and_limit() {
    let env = vec![("BIG_ONE".to_string(), "x".repeat(200 * 1024))];
    let record = run_with(Command::shell(":"), EngineOptions { env, ..EngineOptions::default() });
    match &end(&record).end {
        End::SpawnFailed(failure) => {
            assert_eq!(failure.cause, SpawnCause::TooLong);
            for part in ["131072", "variable BIG_ONE alone has 204809"] {
                assert!(failure.message.contains(part), "{}", failure.message);
            }
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn trap_06_a_script_still_being_written_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("fresh.sh");
    fs::write(&script, "#!/bin/sh\necho ran\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let path = script.display().to_string();

    // Held open for good: reported as what it is.
    let writer = OpenOptions::new().append(true).open(&script).unwrap();
    assert_eq!(spawn_failure(Command::exec(&[&path])).0, SpawnCause::TextBusy);

    // Closed once the run is announced: the start is tried again and works.
    let runner = runner(Order::InARow, vec![Command::exec(&[&path])], EngineOptions::default());
    let (request, mut events) = request();
    let firing = block_on(async {
        let close = async {
            while !matches!(events.recv().await.expect("an event"), Lifecycle::HookStarted { .. }) {}
            let mut writer = writer;
            writer.flush().unwrap();
            drop(writer);
        };
        tokio::join!(runner.fire(request), close).0
    });
    assert_eq!(end(&firing.runs[0]).end, End::Exited(0));
}

#[test]
fn trap_07_the_child_has_an_empty_mask_and_default_dispositions() {
    // Rust programs ignore SIGPIPE; a child that inherited this would not die of a closed pipe.
    let record = run(Command::hook("signal-state.sh", &[]));
    let text = end(&record).stdout.text();
    let set = |name: &str| {
        let line = text.lines().find(|l| l.starts_with(name)).unwrap();
        u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap()
    };
    // The C library itself has its two internal signals (32 and 33) ignored in every child it spawns.
    let internal = 0b11 << 31;
    assert_eq!((set("SigBlk"), set("SigIgn") & !internal), (0, 0), "{text}");
}

#[test]
fn trap_08_the_child_sees_three_descriptors() {
    // One of ours without close-on-exec, as programs that started us may have left it.
    let leak = fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leak, rustix::io::FdFlags::empty()).unwrap();
    let record = run(Command::hook("open-descriptors.sh", &[]));
    let text = end(&record).stdout.text();
    assert_eq!(text.split_whitespace().filter(|fd| fd.len() == 1).collect::<Vec<_>>(), ["0", "1", "2"]);
}
