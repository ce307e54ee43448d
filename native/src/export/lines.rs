//! Lines of a device, put together from what arrives.

/// Lines of a device, put together from what arrives.
#[derive(Debug, Default)]
pub(super) struct Lines {
    unfinished: Vec<u8>,
}

impl Lines {
    pub(super) fn feed(&mut self, bytes: &[u8], mut line: impl FnMut(&str)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.unfinished.extend_from_slice(part);
            if part.ends_with(b"\n") || self.unfinished.len() > LONGEST {
                line(String::from_utf8_lossy(&self.unfinished).trim_end());
                self.unfinished.clear();
            }
        }
    }
}

/// More than any answer, in bytes.
const LONGEST: usize = 16 * 1024;
