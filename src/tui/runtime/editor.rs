//! The user's editor and the shell behind Ctrl-Z; both get the terminal whole.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// Open `path` at `line` and wait.
pub fn edit_file(path: &Path, line: usize) -> io::Result<()> {
    let mut command = editor();
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_os_string();
    let place = format!("{}:{line}", path.display());
    run(match name.to_str().unwrap_or_default() {
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "kak" | "micro" | "joe" => {
            command.arg(format!("+{line}")).arg(path)
        }
        "hx" | "helix" | "subl" | "zed" => command.arg(place),
        "code" | "codium" | "cursor" => command.args(["--wait", "--goto"]).arg(place),
        _ => command.arg(path),
    })
}

/// Edit `text` in a file of its own and give back what was saved.
pub fn edit_text(text: &str) -> io::Result<String> {
    let file = tempfile::Builder::new().prefix("hookdbg-payload-").suffix(".json").tempfile()?;
    fs::write(file.path(), text)?;
    run(editor().arg(file.path()))?;
    Ok(String::from_utf8_lossy(&fs::read(file.path())?).into_owned())
}

fn run(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("it ended with {status}"))) }
}

/// `VISUAL`, `EDITOR` or `vi`, split into words.
fn editor() -> Command {
    let lines = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    let words = lines.filter_map(|line| shlex::split(&line)).find(|words| !words.is_empty());
    let words = words.unwrap_or_else(|| vec!["vi".to_string()]);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// Stop ourselves until the shell wakes us. STOP, because TSTP does nothing where no shell waits for us.
pub fn suspend() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
}
