//! `flylead repl-server`

use clap::Args;
use flylead_native::zylisp::{ServerConfig, SharedBoard};
use tokio::runtime::Builder;

use crate::{Common, Exit, Failure, zylisp::serve_board};

/// Serve a board's Python to editors, until Ctrl-C
///
/// For editors that speak nREPL (https://nrepl.org). Output comes as it is printed, the last expression's value as Python's
/// `repr` writes it, and tracebacks name the editor's files and lines. Names are completed from the board's own `dir`;
/// signatures come from evaluated code, from Python files here and in `lib`, and from stubs in `typings`. A program that
/// calls `input` asks the editor.
///
/// All clients share the board, whose programs run one after the other. Each interrupt is one Ctrl-C, and a program that
/// outlasts --timeout gets one every five seconds; the fourth soft-resets a board whose program catches them. When the
/// server stops, it interrupts the running program and leaves the board at its prompt. A board that was unplugged is opened
/// again for the next program. The port is written to `.nrepl-port` in this folder, where editors look for it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flylead repl-server --port /dev/ttyACM0
  flylead repl-server nrepl://127.0.0.1:0 tcp://127.0.0.1:5555")]
pub(crate) struct Cmd {
    /// Addresses to listen on: nrepl://HOST:PORT, on this computer alone; or any address of
    /// `flylead zylisp serve`
    #[arg(value_name = "ADDR", default_value = "nrepl://127.0.0.1:7888")]
    addresses: Vec<String>,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let addresses = self.addresses.iter().map(String::as_str);
        let mut config =
            ServerConfig::at(addresses).map_err(|error| Failure::new(Exit::Usage, error))?;
        config.limits.eval = common.limit();
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        let common = common.clone();
        let serving = runtime.spawn(async move {
            let board = common.board().await?;
            let reopen = move || {
                let common = common.clone();
                async move {
                    common
                        .board()
                        .await
                        .map_err(|failure| failure.message().into())
                }
            };
            serve_board(config, SharedBoard::reopening(board, reopen)).await
        });
        let done = serving.await;
        runtime.shutdown_background();
        done.map_err(|error| Failure::new(Exit::Lost, error))?
    }
}
