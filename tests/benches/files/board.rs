//! One board, and how long a whole process takes with it.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    time::{Duration, Instant},
};

use flylead_tests::boards::{UnixBoard, Wire};

use super::{fail, tool::Tool};

/// It also wants names that the unix port's module does not have.
const MACHINE: &str = "import sys
class M: Pin = ADC = PWM = I2C = SPI = UART = Timer = object
sys.modules['machine'] = M";

/// One board and what is to be sent to it.
pub(crate) struct Bench {
    board: UnixBoard,
    wire: Option<Wire>,
    pub(crate) scratch: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new(board: UnixBoard, wire: Option<Wire>) -> Self {
        let bench = Self {
            board,
            wire,
            scratch: tempfile::tempdir().unwrap_or_else(fail),
        };
        bench.time(Tool::Flylead, &["exec", MACHINE]);
        bench
    }

    fn port(&self) -> String {
        let path = self.wire.as_ref().map_or(self.board.path(), Wire::path);
        path.display().to_string()
    }

    /// Measures the time of the whole process.
    pub(crate) fn time(&self, tool: Tool, words: &[&str]) -> Duration {
        let mut command = tool.command(&self.port(), words);
        let start = Instant::now();
        let output = command.output().unwrap_or_else(fail);
        let time = start.elapsed();
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            fail::<()>(format!("{} {words:?}: {errors}", tool.name()));
        }
        time
    }

    /// Sends a file; the time of it when it is whole on the board, and nothing of it is left.
    pub(crate) fn up(&self, tool: Tool, content: &[u8]) -> Duration {
        let folder = self.scratch.path().join("up");
        fs::create_dir_all(&folder).unwrap_or_else(fail);
        let file = folder.join("data");
        fs::write(&file, content).unwrap_or_else(fail);
        let (file, folder) = (file.display().to_string(), folder.display().to_string());
        let port = self.port();
        let time = match tool {
            Tool::Belay => self.time(tool, &["sync", &port, &folder, "--dst", "/flash"]),
            _ => self.time(tool, &["fs", "cp", &file, ":data"]),
        };
        self.check(tool, &self.board.flash().join("data"), content);
        let _ = fs::remove_file(self.board.flash().join("data"));
        time
    }

    /// Fetches a file.
    pub(crate) fn down(&self, tool: Tool, content: &[u8]) -> Duration {
        let there = self.board.flash().join("data");
        fs::write(&there, content).unwrap_or_else(fail);
        // The board is another user, if this is run by root.
        fs::set_permissions(&there, fs::Permissions::from_mode(0o666)).unwrap_or_else(fail);
        let here = self.scratch.path().join("down");
        let _ = fs::remove_file(&here);
        let time = self.time(tool, &["fs", "cp", ":data", &here.display().to_string()]);
        self.check(tool, &here, content);
        let _ = fs::remove_file(there);
        time
    }

    fn check(&self, tool: Tool, file: &Path, content: &[u8]) {
        if fs::read(file).unwrap_or_else(fail) != content {
            fail::<()>(format!("{}: the copy is not the original", tool.name()));
        }
    }

    /// Sends a directory; the time of it when it is whole on the board.
    pub(crate) fn copy_tree(&self, tool: Tool, tree: &Path) -> Duration {
        let path = tree.display().to_string();
        let time = self.time(tool, &["fs", "cp", "-r", &path, ":/flash"]);
        self.compare_trees(tree, &self.board.flash().join("tree"));
        time
    }

    fn compare_trees(&self, one: &Path, other: &Path) {
        let entries = fs::read_dir(one).unwrap_or_else(fail);
        for entry in entries.flatten() {
            let content = fs::read(entry.path()).unwrap_or_else(fail);
            self.check(Tool::Flylead, &other.join(entry.file_name()), &content);
        }
    }
}
