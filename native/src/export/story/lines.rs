//! Lines of a device, assembled from the bytes that arrive.

/// Lines of a device, assembled from the bytes that arrive.
#[derive(Debug, Default)]
pub(in crate::export) struct Lines {
    unfinished: Vec<u8>,
}

impl Lines {
    pub(in crate::export) fn feed(&mut self, bytes: &[u8], mut line: impl FnMut(&str)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.unfinished.extend_from_slice(part);
            if part.ends_with(b"\n") || self.unfinished.len() > LONGEST {
                line(String::from_utf8_lossy(&self.unfinished).trim_end());
                self.unfinished.clear();
            }
        }
    }
}

/// Limit of a line in bytes, longer than any answer.
const LONGEST: usize = 16 * 1024;
