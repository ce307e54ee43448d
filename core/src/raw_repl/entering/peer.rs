//! Recognizes the peer that did not answer as MicroPython does, by its last bytes, and names the next step.

use core::fmt;

/// Peer that failed to become a board in raw mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Peer {
    /// Nothing was received.
    Silent,
    /// Text was received: a program runs, and does not stop.
    Program,
    /// Bytes that are not text were received, as at a wrong speed.
    WrongSpeed,
    /// All sent bytes came back.
    Loopback,
    /// An ESP's boot ROM waits for firmware.
    EspDownload,
    /// An ESP's boot ROM finds no firmware that it can start, and restarts.
    EspNoFirmware,
    /// CircuitPython.
    CircuitPython,
    /// Another computer asks for a name or a password.
    Login,
}

impl Peer {
    /// Recognizes a peer by the last bytes received while raw mode was requested.
    #[must_use]
    pub fn of(heard: &[u8]) -> Self {
        let has = |text: &str| memchr::memmem::find(heard, text.as_bytes()).is_some();
        let has_any = |texts: &[&str]| texts.iter().any(|text| has(text));
        match heard {
            [] => Self::Silent,
            _ if is_echo(heard) => Self::Loopback,
            _ if has_any(&DOWNLOAD_TEXTS) || is_sync_answer(heard) => Self::EspDownload,
            _ if has_any(&NO_FIRMWARE_TEXTS) => Self::EspNoFirmware,
            _ if has_any(&CIRCUITPYTHON_TEXTS) => Self::CircuitPython,
            _ if !is_text(heard) => Self::WrongSpeed,
            _ if is_login(heard) => Self::Login,
            _ => Self::Program,
        }
    }

    /// Returns true if another speed may help.
    #[must_use]
    pub const fn may_need_other_speed(self) -> bool {
        matches!(self, Self::Silent | Self::WrongSpeed)
    }
}

/// Describes the finding and its next step, without a full stop.
impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Silent => {
                "nothing was received. Press the board's reset button and try again. If it stays silent, check that it runs \
                 MicroPython, that TX and RX are not swapped, and that the speed is right: 115200, 9600, 57600, 230400, 460800 and 921600 baud are common"
            }
            Self::Program => {
                "its program ignores Ctrl-C. Press the board's reset button and try again"
            }
            Self::WrongSpeed => {
                "the answer is not text, so the speed is probably wrong. Try 9600, 57600, 74880, 230400, 460800 or 921600 baud"
            }
            Self::Loopback => {
                "everything sent came back, so TX and RX are bridged and no board is connected. Remove the bridge, and connect TX \
                 to the board's RX and RX to its TX"
            }
            Self::EspDownload => {
                "the device is an ESP in download mode, waiting for firmware. Release BOOT (GPIO0) and press the reset button, or \
                 write MicroPython to it with `flylead flash`"
            }
            Self::EspNoFirmware => {
                "the device is an ESP whose firmware does not start. Write MicroPython to it with `flylead flash`"
            }
            Self::CircuitPython => {
                "the board runs CircuitPython, which did not reach its prompt. Press the reset button, wait until the program has \
                 started, and try again; or put MicroPython on the board"
            }
            Self::Login => {
                "the port shows the login prompt of another computer, not a board. Choose another port"
            }
        })
    }
}

/// Request that only the boot ROM of an ESP answers, whatever it was sent before (esptool, "Serial Protocol", SYNC).
pub(in crate::raw_repl) const SYNC: [u8; 46] = sync();

const fn sync() -> [u8; 46] {
    let head = [
        0xc0, 0x00, 0x08, 0x24, 0, 0, 0, 0, 0, 0x07, 0x07, 0x12, 0x20,
    ];
    let mut packet = [0x55; 46];
    let mut at = 0;
    while at < head.len() {
        packet[at] = head[at];
        at += 1;
    }
    packet[45] = 0xc0;
    packet
}

/// Returns true for control characters alone, as they were sent, or a [`SYNC`].
fn is_echo(heard: &[u8]) -> bool {
    let is_ours = |byte: &u8| matches!(byte, 0 | 1 | 3);
    let both = heard.contains(&1) && heard.contains(&3);
    (both && heard.iter().all(is_ours)) || memchr::memmem::find(heard, &SYNC).is_some()
}

/// Returns true for a frame that answers [`SYNC`]: its direction is 1, its operation 8.
fn is_sync_answer(heard: &[u8]) -> bool {
    memchr::memmem::find(heard, &[0xc0, 0x01, 0x08]).is_some()
}

/// Returns true if at least seven of eight characters are text that a board prints. A character truncated at the start
/// or the end of the stored bytes is ignored.
fn is_text(heard: &[u8]) -> bool {
    let (mut odd, mut all) = (0, 0);
    for chunk in heard.utf8_chunks() {
        let is_odd =
            |char: &char| char.is_control() && !matches!(char, '\t'..='\r' | '\x1b' | '\x04');
        all += chunk.valid().chars().count();
        odd += chunk.valid().chars().filter(is_odd).count();
        let cut = usize::from(!chunk.invalid().is_empty());
        all += cut;
        odd += cut;
    }
    odd <= 1 || odd * 8 <= all
}

fn is_login(heard: &[u8]) -> bool {
    let end = heard.trim_ascii_end();
    end.ends_with(b"login:") || end.ends_with(b"Password:")
}

/// Texts of ESP-IDF, `components/esp_rom`: "waiting for download" and the reason of the boot.
const DOWNLOAD_TEXTS: [&str; 3] = ["waiting for download", "DOWNLOAD_BOOT", "(DOWNLOAD("];
const NO_FIRMWARE_TEXTS: [&str; 3] = ["invalid header: 0x", "flash read err", "csum err:"];
/// Texts of CircuitPython 9, `main.c` and `supervisor/shared/safe_mode.c`.
const CIRCUITPYTHON_TEXTS: [&str; 3] = [
    "CircuitPython",
    "Press any key to enter the REPL",
    "Auto-reload is o",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_peer_is_recognized_by_its_last_bytes() {
        for (heard, peer) in [
            (&b""[..], Peer::Silent),
            (b"\x03\x01\x03\x01", Peer::Loopback),
            (b"\x03\x01\0\0\0\x03\x01", Peer::Loopback),
            (b"rst:0x1 (POWERON_RESET),boot:0x3 (DOWNLOAD_BOOT(UART0))\r\nwaiting for download\r\n", Peer::EspDownload),
            (b"\xc0\x01\x08\x04\x00\x07\x07\x12\x20\0\0\0\0\xc0", Peer::EspDownload),
            (b"rst:0x10 (RTCWDT_RTC_RESET)\r\ninvalid header: 0xffffffff\r\n", Peer::EspNoFirmware),
            (b"\r\nAdafruit CircuitPython 9.2.1 on 2024-11-20; Raspberry Pi Pico\r\n", Peer::CircuitPython),
            (b"Code done running.\r\n\r\nPress any key to enter the REPL. Use CTRL-D to reload.\r\n", Peer::CircuitPython),
            (b"\xe0\x1c\x00\xfc\xe0\x9c\x80\xfe\x00\x1c", Peer::WrongSpeed),
            (b"\r\nraspberrypi login: ", Peer::Login),
            ("21,5 °C\r\n".as_bytes(), Peer::Program),
            // The first character is truncated.
            (b"\xb0C 21\r\ntick 17\r\n", Peer::Program),
            (b"\x1b[31mtick 17\x1b[0m\r\n", Peer::Program),
        ] {
            assert_eq!(Peer::of(heard), peer, "{heard:?}");
        }
    }

    #[test]
    fn a_sync_that_comes_back_is_no_answer() {
        assert_eq!(
            Peer::of(&[&b"\x03\x01"[..], &SYNC].concat()),
            Peer::Loopback
        );
    }
}
