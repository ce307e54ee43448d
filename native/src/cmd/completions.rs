//! `flylead completions`

use clap::Args;
use clap_complete::{Shell, generate};

use super::{Common, Exit, Failure, command, terminal::print_raw};

/// Print a script that completes commands and options in a shell
///
/// Its place depends on the shell: see the examples.
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
        let mut script = Vec::new();
        generate(self.shell, &mut command(), "flylead", &mut script);
        print_raw(&script)?;
        Ok(Exit::Done)
    }
}
