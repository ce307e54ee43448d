//! `flylead run`

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use clap::Args;

use super::program::{Options, Program};
use crate::{Common, Exit, Failure};

/// Run a file of this computer on the board
///
/// Nothing is stored on the board. Output goes to stdout as the board sends it, a traceback with the file's name to
/// stderr. Ctrl-C interrupts the program on the board; a second Ctrl-C leaves. Modules beside the file are not sent:
/// `flylead mount FOLDER -- run FILE` lets the program import them. Imported modules stay in the board's memory until
/// --reset.
///
/// Stdin and typed input go to the program, for input() and sys.stdin; at its end, input() raises EOFError, and a
/// Ctrl-C in it interrupts the program. In a shell loop, </dev/null keeps the program from reading the loop's input.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Program file, or - for stdin
    file: PathBuf,

    /// Arguments in the program's sys.argv, after the file's name
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "WORD"
    )]
    words: Vec<String>,

    #[command(flatten)]
    options: Options,
}

impl Cmd {
    pub(crate) async fn run(&self, common: &Common) -> Result<Exit, Failure> {
        let done = self.program()?.run(common, self.options).await;
        done.map_err(|failure| match self.module_beside(&failure) {
            Some(module) => failure.advising(missing(&module)),
            None => failure,
        })
    }

    /// Runs the program again, with the modules of the mounted folder as they are now. Typed input does not go to it.
    pub(crate) async fn run_again(&self, common: &Common) -> Result<Exit, Failure> {
        let mut program = self.program()?;
        program.reads_stdin = false;
        program.run(common, self.options.reloading_modules()).await
    }

    /// Returns the module that the board lacks if it lies beside the file.
    fn module_beside(&self, failure: &Failure) -> Option<PathBuf> {
        let name = failure.missing_module()?.replace('.', "/");
        let folder = self.file.parent()?;
        let module = [folder.join(format!("{name}.py")), folder.join(&name)];
        module.into_iter().find(|path| path.exists())
    }

    fn program(&self) -> Result<Program, Failure> {
        let source = read(&self.file).map_err(|error| {
            Failure::new(Exit::Usage, format!("{}: {error}", self.file.display()))
        })?;
        let name = self.file.display().to_string();
        let is_stdin = name == "-";
        Ok(Program {
            source,
            file: (!is_stdin).then(|| name.clone()),
            argv: Some([vec![name], self.words.clone()].concat()),
            // Of a program from stdin the rest is its end, at which input() raises.
            reads_stdin: true,
        })
    }
}

/// Returns the ways to give the board a module of this computer.
fn missing(module: &Path) -> String {
    let name = module.display();
    format!(
        "{name} is on this computer and not on the board: `flylead mount FOLDER -- run FILE` lets the program import it, \
         `flylead cp -r {name} :` copies it to the board."
    )
}

/// Reads a program's file, or stdin.
pub(crate) fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut source = Vec::new();
    match file.to_str() {
        Some("-") => drop(io::stdin().lock().read_to_end(&mut source)?),
        _ => source = std::fs::read(file)?,
    }
    // Some editors on Windows begin a file with this mark, which MicroPython takes for a syntax error.
    if source.starts_with(BYTE_ORDER_MARK) {
        source.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(source)
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
