//! Conversion of `\r\n` to `\n`, for logs that arrive line by line.

use flylead_core::export::Digest;

/// Removes the `\r` from each `\r\n`, regardless of how the bytes are split, and computes the digest of the rest.
#[derive(Debug, Default)]
pub(in crate::export) struct LineEnds {
    /// True if the bytes ended with a `\r` that may be half of a line end.
    held: bool,
    pub(in crate::export) digest: Digest,
    /// Number of `\r\n` that became `\n`.
    pub(super) converted: u64,
}

impl LineEnds {
    pub(super) fn convert(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut converted = Vec::with_capacity(bytes.len() + 1);
        for &byte in bytes {
            if self.held && byte != b'\n' {
                converted.push(b'\r');
            }
            self.converted += u64::from(self.held && byte == b'\n');
            self.held = byte == b'\r';
            if !self.held {
                converted.push(byte);
            }
        }
        self.digest.add(&converted);
        converted
    }

    /// Returns the bytes held back, at the end.
    pub(in crate::export) fn finish(&mut self) -> &'static [u8] {
        let rest: &[u8] = if self.held { b"\r" } else { b"" };
        self.held = false;
        self.digest.add(rest);
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f10_only_whole_line_ends_are_made_shorter_wherever_they_are_cut() {
        let text = b"a\r\n\r\r\nb\rc\n\r";
        for size in 1..=text.len() {
            let mut ends = LineEnds::default();
            let mut converted: Vec<u8> = text
                .chunks(size)
                .flat_map(|part| ends.convert(part))
                .collect();
            converted.extend_from_slice(ends.finish());
            assert_eq!(converted, b"a\n\r\nb\rc\n\r", "cut into {size}");
            assert_eq!(ends.digest.bytes(), converted.len() as u64);
        }
    }
}
