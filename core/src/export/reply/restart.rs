//! Recognizes the banners that boards print when they start.

use alloc::{string::String, vec::Vec};

use memchr::{memchr, memchr_iter, memmem};

/// Returns true if these bytes contain a banner of a board's boot loader, crash handler or interpreter.
///
/// ```
/// use flylead_core::export::is_boot_banner;
///
/// assert!(is_boot_banner(b"ets Jul 29 2019 12:21:46"));
/// assert!(is_boot_banner(b"MicroPython v1.26.0 on 2025-08-09; Raspberry Pi Pico with RP2040"));
/// assert!(!is_boot_banner(b"0.25,1.5,ok"));
/// assert!(!is_boot_banner(b"# recorded with MicroPython v1.26"));
/// ```
#[must_use]
pub fn is_boot_banner(bytes: &[u8]) -> bool {
    has_banner(bytes) || memmem::find(bytes, ESP_ROM).is_some()
}

/// Searches the lines of a device for boot banners; the lines may be split anywhere.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
}

impl Lines {
    /// Returns the end of the first line in `bytes` that completes a banner.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut end = 0;
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            end += part.len();
            let room = LONGEST_LINE - self.line.len();
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

/// Searches a whole body for boot banners; it may be split anywhere and need not have lines.
#[derive(Debug, Default)]
pub(crate) struct Restarts {
    /// The line of the first banner, from the banner on.
    seen: Option<Line>,
    /// The last bytes, which may begin a banner.
    edge: Vec<u8>,
}

/// A line received so far.
#[derive(Debug, Default)]
struct Line {
    bytes: Vec<u8>,
    has_ended: bool,
}

impl Line {
    fn feed(&mut self, bytes: &[u8]) {
        if self.has_ended {
            return;
        }
        let end = memchr(b'\n', bytes);
        let room = LONGEST_LINE - self.bytes.len();
        let length = end.unwrap_or(bytes.len()).min(room);
        self.bytes.extend_from_slice(&bytes[..length]);
        self.has_ended = end.is_some();
    }
}

impl Restarts {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        if let Some(line) = &mut self.seen {
            return line.feed(bytes);
        }
        let known = self.edge.len();
        self.edge
            .extend_from_slice(&bytes[..bytes.len().min(LONGEST_BANNER)]);
        let is_long = bytes.len() > LONGEST_BANNER;
        let in_edge = banner_in(&self.edge);
        let found = in_edge.or_else(|| Some(known + banner_in(bytes).filter(|_| is_long)?));
        if let Some(start) = found {
            let line = self.seen.insert(Line::default());
            line.feed(self.edge[..known].get(start..).unwrap_or_default());
            line.feed(&bytes[start.saturating_sub(known)..]);
        }
        if bytes.len() > LONGEST_BANNER {
            self.edge.clear();
            self.edge
                .extend_from_slice(&bytes[bytes.len() - LONGEST_BANNER..]);
        }
        self.edge
            .drain(..self.edge.len().saturating_sub(LONGEST_BANNER));
    }

    /// Returns true if the board has restarted while it sent the body.
    pub(crate) const fn has_seen(&self) -> bool {
        self.seen.is_some()
    }

    /// Returns the line of the banner, if the board has restarted while it sent the body.
    pub(crate) fn line(&self) -> Option<String> {
        let line = String::from_utf8_lossy(&self.seen.as_ref()?.bytes);
        Some(line.trim_end().into())
    }
}

fn has_banner(bytes: &[u8]) -> bool {
    banner_in(bytes).is_some()
}

/// Returns the place of the first banner. Every banner in the table contains a `t`, and rows of numbers contain none:
/// one search for it skips them at memory speed.
fn banner_in(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b't', bytes)
        .find_map(|at| BANNERS.iter().find_map(|banner| banner.start(at, bytes)))
}

struct Banner {
    text: &'static [u8],
    /// Check of the text that must follow in a banner.
    follows: fn(&[u8]) -> bool,
}

impl Banner {
    /// Returns the place of this banner, if its first `t` is here.
    fn start(&self, t: usize, bytes: &[u8]) -> Option<usize> {
        let start = memchr(b't', self.text).and_then(|offset| t.checked_sub(offset))?;
        let follows = bytes[start..]
            .strip_prefix(self.text)
            .is_some_and(self.follows);
        follows.then_some(start)
    }
}

const fn banner(text: &'static [u8]) -> Banner {
    Banner {
        text,
        follows: |_| true,
    }
}

const fn interpreter(text: &'static [u8]) -> Banner {
    Banner {
        text,
        follows: is_version,
    }
}

/// Returns true for `v1.26.0 on 2025-08-09; ` and the machine's name, as `MICROPY_BANNER_NAME_AND_VERSION`
/// (py/mpconfig.h, v1.26) and shared/runtime/pyexec.c write it. A remark in a log about its interpreter has no machine.
fn is_version(rest: &[u8]) -> bool {
    let mut words = rest.split(|byte| *byte == b' ').skip(1);
    let is_on = words.next() == Some(b"on");
    is_on
        && matches!(words.next(), Some(date) if date.len() == b"2025-08-09;".len() && date.ends_with(b";"))
}

/// Banners in a body: each chip prints one of them at every start, in addition to any other text.
///
/// ESP32 and ESP8266: the boot ROM (esptool documentation, Boot Mode Selection, Boot Log) and the panic handler (ESP-IDF
/// Programming Guide, Fatal Errors). MicroPython: ports/*/main.c after Ctrl-D, and the interpreter's first line.
/// Zephyr: kernel/banner.c.
const BANNERS: [Banner; 12] = [
    banner(b"rst:0x"),
    banner(b"rst cause:"),
    banner(b"ets Jan "),
    banner(b"ets Jun "),
    banner(b"ets Jul "),
    banner(b"Guru Meditation Error"),
    banner(b"Brownout detector was triggered"),
    banner(b"abort() was called at PC"),
    banner(b"MPY: soft reboot"),
    banner(b"*** Booting Zephyr OS"),
    interpreter(b"MicroPython "),
    interpreter(b"Adafruit CircuitPython "),
];

/// The first line of newer ESP32 chips, before the one with `rst:0x`.
const ESP_ROM: &[u8] = b"ESP-ROM:";

/// Length limit of a banner, in bytes, including the version of an unreleased interpreter.
const LONGEST_BANNER: usize = 96;

/// Limit of the part of a line that is examined, in bytes.
const LONGEST_LINE: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banner_in_a_body_is_found_wherever_it_is_and_however_it_is_cut() {
        let banners: [&[u8]; 6] = [
            b"ets Jun  8 2016 00:22:57\r\n\r\nrst:0x1 (POWERON_RESET)",
            b" ets Jan  8 2013,rst cause:4, boot mode:(3,6)",
            b"Guru Meditation Error: Core  1 panic'ed",
            b"MPY: soft reboot\r\n",
            b"MicroPython v1.26.0-preview.186.gb0cf6c3.dirty on 2025-08-09; Raspberry Pi Pico\r\n",
            b"*** Booting Zephyr OS build v3.7.0 ***",
        ];
        for banner in banners {
            for before in [0, 1, 95, 96, 97, 5000] {
                let body = [
                    &b"1".repeat(before),
                    banner,
                    b"0,1\n".repeat(3000).as_slice(),
                ]
                .concat();
                for size in [1, 7, 96, 97, 4096, body.len()] {
                    let mut restarts = Restarts::default();
                    body.chunks(size).for_each(|bytes| restarts.feed(bytes));
                    let text = String::from_utf8_lossy(banner);
                    let line = text.lines().next().map(str::trim);
                    let rest = restarts.line().map(|line| line.replace("0,1", ""));
                    assert_eq!(
                        rest.as_deref(),
                        line,
                        "{before} bytes before, cut into {size}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_log_may_name_the_interpreter_that_wrote_it() {
        for row in [
            "# MicroPython v1.24",
            "# 3.4.0; MicroPython v1.24.0 on 2024-10-25",
            "rst,first,strength",
            "sets Junction",
        ] {
            assert!(!is_boot_banner(row.as_bytes()), "{row}");
        }
    }
}
