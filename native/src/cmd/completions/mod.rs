//! `flylead completions`

mod board;
mod typed;

use clap::Args;
use clap_complete::{Shell, generate};

use super::{Common, Exit, Failure, syntax, terminal::print_raw};
pub(super) use board::Cmd as BoardPaths;

/// Print a script that completes commands and options in a shell
///
/// In bash, zsh and fish it completes the board's paths, too: behind a colon, where `flylead serve` has the board, a command
/// has used it since, and it is at its prompt. Nothing that runs is interrupted, and nothing is waited for.
///
/// The script's place depends on the shell: see the examples.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead completions bash > ~/.local/share/bash-completion/completions/flylead
  flylead completions zsh > ~/.zfunc/_flylead        with ~/.zfunc in fpath, before compinit
  flylead completions fish > ~/.config/fish/completions/flylead.fish
  flylead completions powershell >> $PROFILE")]
pub(crate) struct Cmd {
    /// The shell
    shell: Shell,
}

impl Cmd {
    pub(crate) async fn run(self, _: &Common) -> Result<Exit, Failure> {
        print_raw(script(self.shell).as_bytes())?;
        Ok(Exit::Done)
    }
}

/// clap's own script, with what completes the board's paths around it.
fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    generate(shell, &mut syntax::whole(), "flylead", &mut script);
    let script = String::from_utf8_lossy(&script);
    match shell {
        Shell::Bash => format!("{script}\n{}", include_str!("board.bash")),
        // zsh calls the function of this name, which is the file's own.
        Shell::Zsh => {
            let words = script.replacen("\n_flylead() {", "\n_flylead_words() {", 1);
            let head = "#compdef flylead\n";
            let own = include_str!("board.zsh");
            format!("{head}\n{own}\n{}", words.trim_start_matches(head))
        }
        Shell::Fish => format!("{script}\n{}", include_str!("board.fish")),
        _ => script.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_that_zsh_calls_is_the_one_with_the_boards_paths() {
        let script = script(Shell::Zsh);
        assert_eq!(script.matches("\n_flylead() {").count(), 1);
        assert_eq!(script.matches("\n_flylead_words() {").count(), 1);
        assert!(script.starts_with("#compdef flylead\n"));
    }
}
