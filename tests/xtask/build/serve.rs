//! From nothing to a page in the browser: wasm, page, binary, server.

use crate::build::web;
use crate::shell::Shell;
use anyhow::Result;
use clap::Args;

/// Address to serve on.
#[derive(Args)]
pub(crate) struct Options {
    /// The port on 127.0.0.1; the command chooses one when it is not given
    #[arg(long)]
    port: Option<u16>,
    /// More words for `flylead serve`, after `--`
    #[arg(last = true)]
    rest: Vec<String>,
}

/// Builds what has changed and serves until Ctrl-C.
pub(crate) fn run(shell: &Shell, options: &Options) -> Result<()> {
    web::page(shell)?;
    shell.say("building the flylead command");
    shell.run(&mut shell.cargo("build --quiet -p flylead"))?;
    let mut serve = shell.cargo("run --quiet -p flylead -- serve");
    if let Some(port) = options.port {
        serve.arg("--listen").arg(format!("127.0.0.1:{port}"));
    }
    shell.run(serve.args(&options.rest))
}
