//! `flylead completions`

mod board;
mod typed;

use clap::Args;
use clap_complete::{Shell, generate};

use super::syntax;
use crate::{Common, Exit, Failure, terminal::print_raw};
pub(crate) use board::Cmd as BoardPaths;

/// Print a script that completes commands and options in a shell
///
/// In bash, zsh and fish it also completes the board's paths, after a colon: this requires that `flylead serve` has the
/// board, that a command has used it since, and that it is at its prompt. Completion never interrupts a program and
/// never waits.
///
/// The place for the script depends on the shell; see the examples.
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

/// Returns clap's own script, combined with the completion of a board's paths.
fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    generate(shell, &mut syntax::whole(), "flylead", &mut script);
    let script = without_internal(&String::from_utf8_lossy(&script));
    match shell {
        Shell::Bash => format!("{script}\n{}", include_str!("board.bash")),
        // zsh calls the function of this name, which our own file defines.
        Shell::Zsh => {
            let words = script.replacen("\n_flylead() {", "\n_flylead_words() {", 1);
            let head = "#compdef flylead\n";
            let own = include_str!("board.zsh");
            format!("{head}\n{own}\n{}", words.trim_start_matches(head))
        }
        Shell::Fish => format!("{script}\n{}", include_str!("board.fish")),
        _ => script,
    }
}

/// Leaves out options and commands that are not meant for people, but for other commands and scripts.
fn without_internal(script: &str) -> String {
    let lines = script.lines().filter(|line| !offers_internal(line));
    let lines = lines.map(|line| match line.trim_start().starts_with("opts=\"") {
        true => {
            let words = line.split(' ').filter(|word| !INTERNAL.contains(word));
            words.collect::<Vec<_>>().join(" ")
        }
        false => line.to_owned(),
    });
    lines.map(|line| line + "\n").collect()
}

/// Returns true for a line of a script that offers one of these: zsh's `'--option=`, fish's `-l option`, and so on.
fn offers_internal(line: &str) -> bool {
    let line = line.trim_start();
    INTERNAL.iter().any(|word| {
        let long = word.trim_start_matches('-');
        let begins = [
            format!("'{word}="),
            format!("'{word}:"),
            format!("\"{word}:"),
            format!("cand {word} "),
            format!("[CompletionResult]::new('{word}'"),
        ];
        let fish = [format!(" -l {long} "), format!(" -a \"{long}\"")];
        begins.iter().any(|begin| line.starts_with(begin))
            || (line.starts_with("complete ") && fish.iter().any(|it| line.contains(it)))
    })
}

const INTERNAL: [&str; 3] = ["--started-by", "board-paths", "keep-place"];

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

    #[test]
    fn no_script_offers_what_is_internal() {
        for shell in [
            Shell::Bash,
            Shell::Zsh,
            Shell::Fish,
            Shell::Elvish,
            Shell::PowerShell,
        ] {
            let script = script(shell);
            assert!(script.contains("take-over"), "{shell}");
            let offered = script.lines().find(|line| {
                let is_list = line.trim_start().starts_with("opts=");
                offers_internal(line) || (is_list && INTERNAL.iter().any(|it| line.contains(it)))
            });
            assert_eq!(offered, None, "{shell}");
        }
    }
}
