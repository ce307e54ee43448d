//! Describes the abilities of a board that matter to transfers, mounted folders and loaded programs.

use alloc::{format, string::String, vec::Vec};

/// Prefix of the line that names the firmware's build.
const BUILD: &str = "build=";
/// Assumed free heap of a board that does not report it, in bytes: that of the smallest, the micro:bit's MicroPython
/// 1.9.2.
const LEAST_MEMORY: usize = 8 * 1024;

/// Abilities of a board that matter to transfers, mounted folders and loaded programs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// True if the board reads binary data with Ctrl-C off, and can wait for it with a time-out.
    pub reads_binary: bool,
    /// True if the board writes binary data.
    pub writes_binary: bool,
    /// True if the board has SHA-256.
    pub sha256: bool,
    /// True if the board decodes base64.
    pub base64: bool,
    /// True if the board has no usable base64, but reads and writes hexadecimal.
    pub hex: bool,
    /// True if the board unpacks deflate streams.
    pub inflate: bool,
    /// True if the board packs deflate streams.
    pub deflate: bool,
    /// True if the board compiles MicroPython's `viper` functions, such as a packer, to machine code.
    pub viper: bool,
    /// True if the board has directories, file times and `os.stat`; otherwise it has one flat directory.
    pub stat: bool,
    /// True if the board renames files.
    pub rename: bool,
    /// True if the board mounts file systems that are written in Python.
    pub mounts: bool,
    /// True if the board reads and writes binary data without a pause, can wait for it, and has CRC-32.
    pub crc32: bool,
    /// True if the board numbers its errors as WebAssembly systems do: its 44 is 2 elsewhere.
    pub wasi_errors: bool,
    /// Free heap, in bytes.
    pub free_memory: usize,
    /// Version of Python, version of MicroPython with its date, and the machine; empty if the board reports none.
    pub build: String,
}

impl Capabilities {
    /// Parses a board's report of its capabilities, one word for each, or the output of [`to_text`](Self::to_text);
    /// `None` if it is not text.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = core::str::from_utf8(text).ok()?;
        let build = text.lines().find_map(|line| line.strip_prefix(BUILD));
        let words = || {
            let lines = text.lines().filter(|line| !line.starts_with(BUILD));
            lines.flat_map(str::split_ascii_whitespace)
        };
        let has = |name| words().any(|word| word == name);
        let free = words().find_map(|word| word.strip_prefix("free=")?.parse().ok());
        Some(Self {
            build: build.unwrap_or_default().trim().into(),
            reads_binary: has("stdin") && has("sha256"),
            writes_binary: has("stdout") && has("sha256"),
            sha256: has("sha256"),
            base64: has("base64"),
            hex: has("hex"),
            inflate: has("inflate"),
            deflate: has("deflate"),
            viper: has("viper"),
            stat: has("stat"),
            rename: has("rename"),
            mounts: has("vfs"),
            crc32: has("crc32"),
            wasi_errors: has("wasi"),
            free_memory: free.unwrap_or(LEAST_MEMORY),
        })
    }

    /// Returns the capabilities without the free memory, which always differs.
    #[must_use]
    pub fn without_memory(&self) -> Self {
        let free_memory = 0;
        Self {
            free_memory,
            ..self.clone()
        }
    }

    /// Returns text to store until the next connection; [`parse`](Self::parse) reads it.
    #[must_use]
    pub fn to_text(&self) -> String {
        let words = [
            (self.reads_binary, "stdin"),
            (self.writes_binary, "stdout"),
            (self.sha256, "sha256"),
            (self.base64, "base64"),
            (self.hex, "hex"),
            (self.inflate, "inflate"),
            (self.deflate, "deflate"),
            (self.viper, "viper"),
            (self.stat, "stat"),
            (self.rename, "rename"),
            (self.mounts, "vfs"),
            (self.crc32, "crc32"),
            (self.wasi_errors, "wasi"),
        ];
        let words = words.into_iter().filter(|(has, _)| *has);
        let words = words.map(|(_, word)| word).collect::<Vec<_>>().join(" ");
        format!("{words} free={}\n{BUILD}{}\n", self.free_memory, self.build)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_says_little_gets_the_least() {
        let micro_bit = Capabilities::parse(b"free=8912").expect("it is text");
        assert_eq!(
            micro_bit,
            Capabilities {
                free_memory: 8912,
                ..Capabilities::default()
            }
        );
        let silent = Capabilities::parse(b"").expect("it is text");
        assert_eq!(silent.free_memory, LEAST_MEMORY);
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let said =
            b"stdin stdout sha256 stat\r\nfree=100000\r\nbuild=3.4.0; MicroPython v1.28.0 hex\r\n";
        let capabilities = Capabilities::parse(said).expect("it is text");
        assert!(!capabilities.hex, "that word is the build's");
        let again = Capabilities::parse(capabilities.to_text().as_bytes());
        assert_eq!(again, Some(capabilities));
    }

    #[test]
    fn a_board_that_streams_must_hash_too() {
        let capabilities =
            Capabilities::parse(b"stdin stdout base64 stat free=100000").expect("it is text");
        assert!(!capabilities.reads_binary && !capabilities.writes_binary && capabilities.base64);
    }
}
