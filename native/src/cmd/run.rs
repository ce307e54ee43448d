//! `flylead run`

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use clap::Args;

use super::{
    Common, Exit, Failure,
    program::{Options, Program},
};

/// Run a file of this computer on the board
///
/// Nothing is stored on the board. Output comes on stdout as the board sends it, a traceback on stderr with the file's
/// name in it. Ctrl-C interrupts the program on the board; a second Ctrl-C leaves.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// The program's file, or - for what comes on stdin
    file: PathBuf,

    #[command(flatten)]
    options: Options,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let program = read(&self.file).map_err(|error| {
            Failure::new(Exit::Usage, format!("{}: {error}", self.file.display()))
        })?;
        program.run(common, self.options).await
    }
}

fn read(file: &Path) -> io::Result<Program> {
    let mut source = Vec::new();
    let file = match file.to_str() {
        Some("-") => {
            io::stdin().lock().read_to_end(&mut source)?;
            None
        }
        _ => {
            source = std::fs::read(file)?;
            Some(file.display().to_string())
        }
    };
    // Some editors on Windows begin a file with this mark, which MicroPython takes for a syntax error.
    if source.starts_with(BYTE_ORDER_MARK) {
        source.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(Program { source, file })
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
