//! `hookdbg completions` and `hookdbg man`, made from the arguments themselves.

use super::failure::Failure;
use super::output;

pub fn run(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut super::command(), "hookdbg", &mut text);
    output::print(&String::from_utf8_lossy(&text))
}

/// Print the manual page: the program, then each subcommand.
pub fn man() -> Result<(), Failure> {
    let mut command = super::command();
    command.build();
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for sub in command.get_subcommands() {
        let name = format!("hookdbg {}", sub.get_name());
        let page = clap_mangen::Man::new(sub.clone().name(name));
        page.render_name_section(&mut text)?;
        page.render_synopsis_section(&mut text)?;
        page.render_options_section(&mut text)?;
    }
    output::print(&String::from_utf8_lossy(&text))
}
