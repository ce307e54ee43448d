//! What boards print when they start anew.

use alloc::vec::Vec;

use memchr::memmem;

/// Whether a board's boot loader, crash handler or interpreter is heard in these bytes.
///
/// ```
/// use flylead_core::export::is_boot_banner;
///
/// assert!(is_boot_banner(b"ets Jul 29 2019 12:21:46"));
/// assert!(!is_boot_banner(b"0.25,1.5,ok"));
/// ```
#[must_use]
pub fn is_boot_banner(bytes: &[u8]) -> bool {
    BANNERS
        .iter()
        .any(|banner| memmem::find(bytes, banner).is_some())
}

/// Hears boot banners in bytes that arrive in any pieces.
#[derive(Debug, Default)]
pub(crate) struct Listener {
    line: Vec<u8>,
}

impl Listener {
    /// Where in `bytes` the first line with a banner ends, if one does.
    pub(crate) fn hear(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut end = 0;
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            end += part.len();
            let room = LONGEST_BANNER - self.line.len();
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                let is_banner = is_boot_banner(&self.line);
                self.line.clear();
                if is_banner {
                    return Some(end);
                }
            }
        }
        None
    }
}

/// How much of a line is looked at.
const LONGEST_BANNER: usize = 256;

/// ESP32 (both boot loaders and the crash handler), MicroPython, Arduino cores.
const BANNERS: [&[u8]; 9] = [
    b"ets Ju",
    b"rst:0x",
    b"ESP-ROM:",
    b"Guru Meditation Error",
    b"Brownout detector was triggered",
    b"abort() was called at PC",
    b"MPY: soft reboot",
    b"MicroPython v",
    b"configsip:",
];
