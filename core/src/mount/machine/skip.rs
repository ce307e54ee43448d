//! Skips the banner that a reset prints a second time, for a client that has already seen one.

use crate::{mount::reset::BANNER, raw_repl::Find};

/// A banner that the client has already seen.
#[derive(Debug)]
pub(super) struct Skip {
    banner: Find,
    /// Number of bytes left.
    left: usize,
}

impl Default for Skip {
    fn default() -> Self {
        Self {
            banner: Find::new(BANNER),
            left: BANNER_LIMIT,
        }
    }
}

impl Skip {
    /// Returns the number of bytes to skip, if it is known.
    pub(super) fn find_end(&mut self, text: &[u8]) -> Option<usize> {
        let banner = &mut self.banner;
        let end = text.iter().position(|&byte| banner.push(byte));
        let length = end.map(|end| end + 1);
        let too_long = text.len().min(self.left);
        self.left -= too_long;
        length.or_else(|| (self.left == 0).then_some(too_long))
    }
}

/// Size limit in bytes, which exceeds any banner.
const BANNER_LIMIT: usize = 1024;
