//! Peers that are no MicroPython, behind a pty: each says and answers what its kind does.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use flylead_core::raw_repl::Peer;

use super::line::{tty::Tty, worker::Worker};

/// Peer at the end of a line that is not a MicroPython board.
#[derive(Debug)]
pub struct Stranger {
    path: PathBuf,
    _worker: Worker,
}

impl Stranger {
    /// Names of the kinds, for [`named`](Self::named).
    pub const NAMES: [&'static str; 9] = [
        "loopback",
        "silent",
        "esp",
        "esp-says-so",
        "esp-without-firmware",
        "circuitpython",
        "computer",
        "program",
        "other-speed",
    ];

    /// Starts the peer of this kind, and returns it with what it is to be recognized as.
    ///
    /// # Panics
    ///
    /// When there are no more ptys.
    #[must_use]
    pub fn named(name: &str) -> Option<(Self, Peer)> {
        Some(match name {
            "loopback" => (Self::loopback(), Peer::Loopback),
            "silent" => (Self::silent(), Peer::Silent),
            "esp" => (Self::esp_in_download_mode(), Peer::EspDownload),
            "esp-says-so" => (Self::saying(DOWNLOAD_BOOT), Peer::EspDownload),
            "esp-without-firmware" => (Self::saying(NO_FIRMWARE), Peer::EspNoFirmware),
            "circuitpython" => (Self::saying(CIRCUITPYTHON), Peer::CircuitPython),
            "computer" => (Self::saying("\r\nraspberrypi login: "), Peer::Login),
            "program" => (Self::saying("tick 17\r\n"), Peer::Program),
            "other-speed" => {
                let answer = |heard: &[u8]| match heard {
                    [] => OTHER_SPEED.to_vec(),
                    _ => Vec::new(),
                };
                (Self::start(answer), Peer::WrongSpeed)
            }
            _ => return None,
        })
    }

    /// Starts a peer that answers each piece that comes, and says something by itself every fifth of a second: `answer` is given
    /// nothing then.
    ///
    /// # Panics
    ///
    /// When there are no more ptys.
    #[must_use]
    pub fn start(mut answer: impl FnMut(&[u8]) -> Vec<u8> + Send + 'static) -> Self {
        let (mut line, path) = Tty::pair().expect("the system has a pty left");
        // Held open, so that the line survives a client that comes and goes.
        let hold = Tty::open(&path).expect("a pty that was just made can be opened");
        let worker = Worker::start(move |end| {
            while !end.is_over() {
                let heard = line.read(PAUSE).unwrap_or_default();
                // A client that reads nothing loses what does not fit, as on a real line.
                line.write(&answer(&heard));
            }
            drop(hold);
        });
        Self {
            path,
            _worker: worker,
        }
    }

    /// A bridge between TX and RX.
    #[must_use]
    pub fn loopback() -> Self {
        Self::start(<[u8]>::to_vec)
    }

    /// A line at which nothing answers.
    #[must_use]
    pub fn silent() -> Self {
        Self::start(|_| Vec::new())
    }

    /// An ESP32 in download mode: its boot ROM answers nothing but SYNC, eight times (esptool, "Serial Protocol").
    #[must_use]
    pub fn esp_in_download_mode() -> Self {
        let mut heard = Vec::new();
        Self::start(move |bytes| {
            heard.extend_from_slice(bytes);
            let is_sync = heard.windows(SYNC.len()).any(|it| it == SYNC);
            match is_sync {
                true => {
                    heard.clear();
                    SYNC_ANSWER.repeat(8)
                }
                false => Vec::new(),
            }
        })
    }

    /// A peer that says this again and again, and answers nothing.
    #[must_use]
    pub fn saying(text: &'static str) -> Self {
        Self::start(move |heard| match heard {
            [] => text.into(),
            _ => Vec::new(),
        })
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

const DOWNLOAD_BOOT: &str =
    "rst:0x1 (POWERON_RESET),boot:0x3 (DOWNLOAD_BOOT(UART0))\r\nwaiting for download\r\n";
const NO_FIRMWARE: &str = "rst:0x10 (RTCWDT_RTC_RESET)\r\ninvalid header: 0xffffffff\r\n";
const CIRCUITPYTHON: &str = "Press any key to enter the REPL. Use CTRL-D to reload.\r\n";
/// Text at another speed, as a receiver samples it.
const OTHER_SPEED: &[u8] = b"\xe0\x1c\x00\xfc\xe0\x9c\x80\xfe";
const PAUSE: Duration = Duration::from_millis(200);
const SYNC: &[u8] = b"\xc0\x00\x08\x24\x00\x00\x00\x00\x00\x07\x07\x12\x20";
const SYNC_ANSWER: &[u8] = b"\xc0\x01\x08\x04\x00\x07\x07\x12\x20\x00\x00\x00\x00\xc0";
