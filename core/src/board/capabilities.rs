//! What a board can do for transfers.

/// The free heap of a board that does not say, in bytes: that of the smallest, the micro:bit's MicroPython 1.9.2.
const LEAST_MEMORY: usize = 8 * 1024;

/// What a board can do for transfers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// It reads binary data with Ctrl-C off, and can wait for it with a time-out.
    pub reads_binary: bool,
    /// It writes binary data.
    pub writes_binary: bool,
    /// It has SHA-256.
    pub sha256: bool,
    /// It decodes base64.
    pub base64: bool,
    /// It has no base64 that is worth its name, but reads and writes hexadecimal.
    pub hex: bool,
    /// It unpacks deflate streams.
    pub inflate: bool,
    /// It packs deflate streams.
    pub deflate: bool,
    /// It makes machine code of MicroPython's `viper` functions, such as one that packs.
    pub viper: bool,
    /// It has directories, file times and `os.stat`; without, it has one flat directory.
    pub stat: bool,
    /// It renames files.
    pub rename: bool,
    /// It counts its errors as WebAssembly systems do: 44 is what others call 2.
    pub wasi_errors: bool,
    /// The free heap, in bytes.
    pub free_memory: usize,
}

impl Capabilities {
    /// Reads `stdin stdout sha256 … free=12345`.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let text = core::str::from_utf8(text).ok()?;
        let has = |name| text.split_ascii_whitespace().any(|word| word == name);
        let free = text
            .split_ascii_whitespace()
            .find_map(|word| word.strip_prefix("free=")?.parse().ok());
        Some(Self {
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
            wasi_errors: has("wasi"),
            free_memory: free.unwrap_or(LEAST_MEMORY),
        })
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
    fn a_board_that_streams_must_hash_too() {
        let capabilities =
            Capabilities::parse(b"stdin stdout base64 stat free=100000").expect("it is text");
        assert!(!capabilities.reads_binary && !capabilities.writes_binary && capabilities.base64);
    }
}
