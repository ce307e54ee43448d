//! Free space in a board's file system.

use crate::{
    link::doctor::{Area, Finding},
    literal::Literal,
};

/// Size of a file system, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Space {
    free: u64,
    total: u64,
    block: u64,
    is_read_only: bool,
}

impl Space {
    /// Parses the result of `os.statvfs`.
    pub(super) fn parse(answer: &Literal) -> Option<Self> {
        let number = |at: usize| answer.items().get(at).and_then(Literal::as_u64);
        let (block, flags) = (number(1)?, number(8).unwrap_or(0));
        let total = number(2)?.saturating_mul(block);
        (total > 0).then_some(Self {
            free: number(3)?.saturating_mul(block),
            total,
            block,
            // A ROM file system has blocks of one byte, and no flags.
            is_read_only: flags & READ_ONLY != 0 || block == 1,
        })
    }

    /// Returns a finding about the free space.
    pub(super) fn finding(self) -> Finding {
        let text = format!("{} of {} bytes are free", self.free, self.total);
        if self.is_read_only {
            return Area::Files.ok(format!("{} bytes, read-only", self.total));
        }
        // LittleFS needs two blocks to change a file, and one to change its directory.
        match self.free < self.block.saturating_mul(3) {
            true => Area::Files
                .fault(format!("the file system is full: {text}"))
                .advising("`flylead tree --size` shows what is large, `flylead rm` removes it"),
            false => Area::Files.ok(text),
        }
    }
}

/// Flag of `statvfs` (POSIX, `ST_RDONLY`).
const READ_ONLY: u64 = 1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::doctor::Level;

    #[test]
    fn a_file_system_without_three_blocks_is_full() {
        let space = |free| Space {
            free,
            total: 1 << 20,
            block: 4096,
            is_read_only: false,
        };
        assert_eq!(space(3 * 4096).finding().level, Level::Ok);
        assert_eq!(space(3 * 4096 - 1).finding().level, Level::Fault);
    }

    #[test]
    fn a_file_system_for_reading_alone_or_without_a_size_is_not_full() {
        let finding = |answer: &str| Space::parse(&Literal::parse(answer)).map(Space::finding);
        for (answer, level) in [
            ("(4096, 4096, 256, 0, 0, 0, 0, 0, 0, 255)", Level::Fault),
            ("(4096, 4096, 256, 0, 0, 0, 0, 0, 1, 255)", Level::Ok),
            ("(1, 1, 9000, 0, 0, 0, 0, 0, 0, 32767)", Level::Ok),
        ] {
            assert_eq!(finding(answer).unwrap().level, level, "{answer}");
        }
        assert_eq!(finding("(0, 0, 0, 0, 0, 0, 0, 0, 0, 65535)"), None);
        assert_eq!(finding("None"), None);
    }
}
