//! `flylead ports`

use clap::Args;
use flylead::link;

use super::{Common, Exit, Failure};

/// List the serial ports of this computer
#[derive(Debug, Args)]
pub(crate) struct Cmd {}

impl Cmd {
    pub(crate) async fn run(self, _common: &Common) -> Result<Exit, Failure> {
        for port in link::ports()? {
            println!("{port}");
        }
        Ok(Exit::Done)
    }
}
