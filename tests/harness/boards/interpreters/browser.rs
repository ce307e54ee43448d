//! MicroPython 1.29, the WebAssembly port, as the page has it.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::unix::await_prompt;
use crate::boards::{
    line::{relay::Relay, tty::Tty},
    process::{
        leash::Leash,
        setup::{command, need},
    },
};

/// The board of the npm package, in Node: the same code as in a page that is cross-origin isolated, the same
/// interpreter. Its files are in its memory.
#[derive(Debug)]
pub struct BrowserBoard {
    line: Relay,
    _process: Leash,
    _home: TempDir,
}

/// The npm package that has the interpreter.
const INTERPRETER: &str = "../wasm/node_modules/@micropython/micropython-webassembly-pyscript";

impl BrowserBoard {
    /// Starts one.
    ///
    /// # Panics
    ///
    /// When it does not come up within half a minute.
    #[must_use]
    pub fn start() -> Self {
        let home = tempfile::Builder::new()
            .prefix("flylead-browser-")
            .tempdir()
            .expect("there is room for temporary files");
        need(&inside(INTERPRETER));
        let log = home.path().join("log");
        let (line, terminal) = Relay::to_terminal();
        let process = Leash::start("sh", &on_terminal(&terminal), &log);
        let mut prompt = Tty::open(line.path()).expect("the line's pty can be opened");
        await_prompt(&mut prompt, &log);
        Self {
            line,
            _process: process,
            _home: home,
        }
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.line.path()
    }
}

/// Node with this terminal for its stdin and stdout, where no byte is a signal.
fn on_terminal(terminal: &Path) -> [String; 5] {
    let script = r#"exec <>"$0" >&0; stty raw -echo -isig; exec "$1" "$2""#;
    let [node, board] = [
        command("node"),
        inside("harness/boards/interpreters/browser/board.mjs"),
    ];
    let [terminal, node, board] = [terminal, &node, &board].map(|path| path.display().to_string());
    ["-c".into(), script.into(), terminal, node, board]
}

/// A path in the folder of the tests.
fn inside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
