//! Builds the code that installs the file system on the board.

use alloc::{format, string::String};
use core::fmt;

use miniz_oxide::deflate::compress_to_vec;

use crate::{
    board::Capabilities,
    channel::{CHANNEL, FRAME},
    literal,
    machine::setters::setters,
    raw_repl,
};

/// Class of the file system.
const CLASS: &str = include_str!("python/mount.py");
/// The channel, the frames and the class, compiled by MicroPython's own compiler: a test
/// compares them with the sources (`native/command/tests/mount_boards/bytecode.rs`).
const COMPILED: &[u8] = include_bytes!("python/mount.mpy");
const LOAD: &str = include_str!("python/load.py");
const UNMOUNT: &str = include_str!("python/unmount.py");

/// Settings of a mounted folder.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Mount point on the board, such as `/remote`.
    pub at: String,
    /// Time-outs of the REPL through which the folder is mounted.
    pub repl: raw_repl::Config,
    /// Capabilities learned on an earlier connection, as for a [`Board`](crate::board::Config::remembered).
    pub remembered: Option<Capabilities>,
}

setters! {
    Config:
    repl: raw_repl::Config,
    remembered: Option<Capabilities>,
}

/// Error: the path is not a valid mount point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathError;

impl Config {
    /// Creates settings for a mount point, which begins with `/` followed by a name.
    ///
    /// # Errors
    /// If the path has another form, or contains characters that names on a board cannot have.
    pub fn new(at: &str) -> Result<Self, PathError> {
        let names = at.strip_prefix('/').ok_or(PathError)?;
        // MicroPython cuts other characters of a mount point in two (MicroPython v1.28 `extmod/vfs.c`, `mp_vfs_getcwd`).
        let is_plain = |char| matches!(char, ' '..='~') && !matches!(char, '\'' | '"' | '\\');
        let are_names = names
            .split('/')
            .all(|name| !matches!(name, "" | "." | "..") && name.chars().all(is_plain));
        are_names.then_some(()).ok_or(PathError)?;
        Ok(Self {
            at: at.into(),
            repl: raw_repl::Config::default(),
            remembered: None,
        })
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the mount point must begin with / and have a name, as in /remote")
    }
}

impl core::error::Error for PathError {}

/// Returns the size of a file's part in one exchange, in bytes: it needs memory for packed and unpacked data, and for a
/// window.
pub(super) const fn block(board: &Capabilities) -> usize {
    match board.free_memory {
        0..32_000 => 512,
        32_000..64_000 => 2048,
        64_000..160_000 => 8 * 1024,
        160_000..1_000_000 => 16 * 1024,
        _ => 32_000,
    }
}

/// Form in which the class goes to the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Bytecode, which the board loads in a tenth of the time that it takes to compile the source.
    Compiled,
    Source,
}

impl Form {
    /// Returns the form that a board probably runs soonest: bytecode of version 6 came with MicroPython 1.19, and the
    /// [build](Capabilities::build) has its date.
    pub(super) fn of(board: &Capabilities) -> Self {
        let built = board.build.split_once(" on ").map(|(_, date)| date);
        match built.is_some_and(|date| date.starts_with('2') && date >= SINCE) {
            true => Self::Compiled,
            false => Self::Source,
        }
    }
}

/// Date of MicroPython 1.19.
const SINCE: &str = "2022-06-18";

/// Returns the code that mounts the folder.
pub(super) fn mount(config: &Config, board: &Capabilities, form: Form) -> String {
    let (at, size) = (&config.at, block(board));
    let at = literal::text(at);
    let settings = format!("{at},{size},{WINDOW},{ANSWER_WAIT_MS},{TRIES}");
    match form {
        Form::Compiled => {
            let load = compiled(board.inflate);
            format!("{load}m.go({settings})\n")
        }
        Form::Source => {
            let class = source(board.inflate);
            format!("m={{}}\n{class}m['go']({settings})\n")
        }
    }
}

/// Returns the code that runs the source in the dictionary `m`.
fn source(inflates: bool) -> String {
    let class = [CHANNEL, FRAME, CLASS].concat();
    match inflates {
        true => {
            let class = packed(class.as_bytes());
            format!("import deflate,uio as io\nexec({class},m)\n")
        }
        false => format!("exec({},m)\n", literal::text(&class)),
    }
}

/// Returns the code that loads the bytecode as the module `m`.
///
/// MicroPython loads bytecode from files alone (MicroPython v1.28 `py/builtinimport.c`, `do_load`): the code mounts a file
/// system with one file for the time of the `import`. The file's absolute path is found by an empty entry of `sys.path`.
fn compiled(inflates: bool) -> String {
    let (import, bytecode) = match inflates {
        true => ("deflate,", packed(COMPILED)),
        false => ("", literal::dense(COMPILED)),
    };
    format!("import {import}uio as io\nd={bytecode}\n{LOAD}")
}

/// Returns an expression for the bytes, which the board unpacks. Its characters stand for [bytes](literal::to_bytes).
fn packed(bytes: &[u8]) -> String {
    let packed = literal::dense(&compress_to_vec(bytes, 8));
    format!("deflate.DeflateIO(io.BytesIO({packed}),deflate.RAW,13).read()")
}

/// Returns the program that unmounts the folder, and goes back to the board's previous directory, if known.
pub(super) fn unmount(config: &Config, directory: Option<&str>) -> String {
    let [at, directory] = [&config.at, directory.unwrap_or("/")].map(literal::text);
    format!("at={at}\ncwd={directory}\n{UNMOUNT}")
}

/// Reads the board's previous directory from its output on mounting.
pub(super) fn directory(said: &[u8]) -> Option<String> {
    let mut lines = said.split(|&byte| byte == b'\n');
    let digits = lines.find_map(|line| line.trim_ascii().strip_prefix(b"cwd="))?;
    String::from_utf8(literal::parse_hex(digits)?).ok()
}

/// Size in bytes: the data sent to the board before it reports that it has read half of it. A board that restarts takes
/// the rest for typed input.
pub(super) const WINDOW: usize = 1024;
/// Time that the board waits for the first byte of an answer before it repeats its question, and the number of its
/// attempts.
const ANSWER_WAIT_MS: u32 = 1000;
const TRIES: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_would_end_its_string_is_refused() {
        assert!(Config::new("/remote").is_ok() && Config::new("/a/b").is_ok());
        for at in [
            "", "/", "remote", "/a'b", "/a\\", "/a/", "/a/../b", "/a\nb", "/ü",
        ] {
            assert_eq!(Config::new(at).err(), Some(PathError), "{at}");
        }
    }

    #[test]
    fn boards_since_micropython_1_19_get_bytecode() {
        for (build, form) in [
            (
                "3.4.0; MicroPython v1.19.1 on 2022-06-18 Raspberry Pi Pico",
                Form::Compiled,
            ),
            (
                "3.4.0; MicroPython 9458e3a23f on 2026-07-05 linux",
                Form::Compiled,
            ),
            ("3.4.0; MicroPython v1.18 on 2022-01-17", Form::Source),
            ("3.4.0 micro:bit on loan", Form::Source),
            ("", Form::Source),
        ] {
            let board = Capabilities {
                build: build.into(),
                ..Capabilities::default()
            };
            assert_eq!(Form::of(&board), form, "{build}");
        }
    }

    #[test]
    fn the_directory_is_read_among_what_a_thread_prints() {
        let said = b"tick\r\ncwd=2f666c617368\r\ntock";
        assert_eq!(directory(said).as_deref(), Some("/flash"));
        assert_eq!(directory(b"cwd=2f6\r\n"), None);
    }
}
