//! What boards print when they start anew.

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
