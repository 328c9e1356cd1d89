//! The user's editor and the shell behind Ctrl-Z; both get the terminal whole.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// Open `path` at `line` and wait.
pub fn edit_file(path: &Path, line: usize) -> io::Result<()> {
    let mut words = editor();
    let program = words.remove(0);
    let mut command = Command::new(&program);
    command.args(words);
    let name = Path::new(&program).file_name().and_then(|n| n.to_str()).unwrap_or_default();
    match name {
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "kak" | "micro" | "joe" => {
            command.arg(format!("+{line}")).arg(path);
        }
        "hx" | "helix" | "subl" | "zed" => {
            command.arg(format!("{}:{line}", path.display()));
        }
        "code" | "codium" | "cursor" => {
            command.args(["--wait", "--goto"]).arg(format!("{}:{line}", path.display()));
        }
        _ => {
            command.arg(path);
        }
    }
    run(&mut command)
}

/// Edit `text` in a file of its own and give back what was saved.
pub fn edit_text(text: &str) -> io::Result<String> {
    let file = tempfile::Builder::new().prefix("hookdbg-payload-").suffix(".json").tempfile()?;
    fs::write(file.path(), text)?;
    let mut words = editor();
    let program = words.remove(0);
    run(Command::new(program).args(words).arg(file.path()))?;
    Ok(String::from_utf8_lossy(&fs::read(file.path())?).into_owned())
}

fn run(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("it ended with {status}"))) }
}

/// `VISUAL`, `EDITOR` or `vi`, split into words; never empty.
fn editor() -> Vec<String> {
    ["VISUAL", "EDITOR"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .filter_map(|line| shlex::split(&line))
        .find(|words| !words.is_empty())
        .unwrap_or_else(|| vec!["vi".to_string()])
}

/// Stop ourselves until the shell wakes us. STOP, because TSTP does nothing where no shell waits for us.
pub fn suspend() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
}
