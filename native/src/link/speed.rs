//! Finds the speed at which a board on a serial line answers.

use std::{fmt, str::FromStr, time::Duration};

use flylead_core::{raw_repl::Peer, rfc2217::Message};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time,
};

use super::stream::Link;

/// Requested speed of a serial port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    /// The first usual speed at which a board answers.
    Auto,
    /// Bits per second.
    Fixed(u32),
}

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            text => text.parse().map(Self::Fixed).map_err(|_| {
                "write a speed in bits per second, such as 115200, or auto to try the usual ones"
                    .to_owned()
            }),
        }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Fixed(baud) => baud.fmt(f),
        }
    }
}

/// Speeds in the order of attempts: MicroPython's own, then the usual ones of serial adapters and modules. An ESP8266's
/// boot ROM speaks at 74880.
pub const USUAL_SPEEDS: [u32; 9] = [
    115_200, 9600, 57_600, 230_400, 460_800, 921_600, 74_880, 38_400, 19_200,
];

/// Reason why no speed was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoSpeed {
    /// Nothing answered.
    Silent,
    /// All sent bytes came back, at every speed.
    Loopback,
    /// The link was closed.
    Closed,
    /// The time limit was exceeded.
    TimedOut,
}

/// Sets the line to the first usual speed at which the peer sends text, and returns it.
///
/// Enter is pressed at each speed first. If no speed yields text, the running program is interrupted at each.
pub(super) async fn find(link: &mut Link, within: Duration) -> Result<u32, NoSpeed> {
    let found = time::timeout(within, try_all(link)).await;
    found.unwrap_or(Err(NoSpeed::TimedOut))
}

async fn try_all(link: &mut Link) -> Result<u32, NoSpeed> {
    let (mut tried, mut came_back) = (0, 0);
    for keys in [ENTER, STOP] {
        for baud in USUAL_SPEEDS {
            match answer(link, baud, keys).await.ok_or(NoSpeed::Closed)? {
                // The adapter does not support this speed.
                None => {}
                Some(heard) if is_answer(&heard) => return Ok(baud),
                Some(heard) => {
                    tried += 1;
                    came_back += u32::from(heard == keys);
                }
            }
        }
    }
    Err(match tried > 0 && came_back == tried {
        true => NoSpeed::Loopback,
        false => NoSpeed::Silent,
    })
}

/// Returns the bytes received at this speed, or none if the line does not support it; `None` if the link is closed.
async fn answer(link: &mut Link, baud: u32, keys: &[u8]) -> Option<Option<Vec<u8>>> {
    if link.controls()?.set(&Message::Baud(baud)).is_err() {
        return Some(None);
    }
    // Bytes still in transit at the previous speed.
    listen(link, SETTLE_TIME).await?;
    let typed = async {
        link.write_all(keys).await?;
        link.flush().await
    };
    match time::timeout(WRITE_TIME, typed).await {
        Ok(Ok(())) => listen(link, ANSWER_TIME).await.map(Some),
        Ok(Err(_)) => None,
        // The peer takes nothing, at least at this speed.
        Err(_) => Some(Some(Vec::new())),
    }
}

/// Returns true for a prompt, or lines of a program's output.
fn is_answer(heard: &[u8]) -> bool {
    let has = |text: &[u8]| heard.windows(text.len()).any(|piece| piece == text);
    let is_prompt = has(b">>> ") || has(b"raw REPL; CTRL-B to exit");
    if is_prompt {
        return true;
    }
    let is_lines = heard.len() >= LEAST_TEXT && heard.contains(&b'\n');
    match Peer::of(heard) {
        Peer::Silent | Peer::WrongSpeed | Peer::Loopback => false,
        Peer::Program => is_lines && heard.iter().all(is_printable),
        _ => true,
    }
}

fn is_printable(byte: &u8) -> bool {
    matches!(byte, b'\t' | b'\r' | b'\n' | b'\x1b' | b' '..=b'~')
}

/// Returns all bytes received within a time, or enough of them; `None` if the link is closed.
async fn listen(link: &mut Link, within: Duration) -> Option<Vec<u8>> {
    let end = time::Instant::now() + within;
    let mut heard = Vec::new();
    let mut piece = [0; 1024];
    while heard.len() < ENOUGH && !heard.ends_with(b">>> ") {
        match time::timeout_at(end, link.read(&mut piece)).await {
            Err(_) => break,
            Ok(Ok(0) | Err(_)) => return None,
            Ok(Ok(length)) => heard.extend_from_slice(&piece[..length]),
        }
    }
    Some(heard)
}

const ENTER: &[u8] = b"\r";
/// Keys that lead to the prompt: Ctrl-C stops a running program, Ctrl-B leaves raw mode.
const STOP: &[u8] = b"\x03\x03\x02";
const SETTLE_TIME: Duration = Duration::from_millis(60);
const ANSWER_TIME: Duration = Duration::from_millis(300);
/// Time for a few bytes at the slowest speed, many times over.
const WRITE_TIME: Duration = Duration::from_millis(500);
/// Number of bytes of text that cannot be accidental.
const LEAST_TEXT: usize = 12;
const ENOUGH: usize = 4096;

#[cfg(test)]
mod tests {
    use tokio::io::DuplexStream;

    use super::*;
    use crate::link::transport::controls::LinkControls;

    #[test]
    fn only_text_is_an_answer() {
        for (heard, expected) in [
            (&b""[..], false),
            (b"\r\n>>> ", true),
            (b"\xff\xfe\x80>>> \xe0", true),
            (b"21.5\r\n", false),
            (b"temperature 21.5\r\n", true),
            (b"\x00\xe0\x1c\xfc\x00\xe0\x1c\xfc\x00\xe0\x1c\n", false),
            (b"\x03", false),
        ] {
            assert_eq!(is_answer(heard), expected, "{heard:?}");
        }
    }

    /// Creates a link whose speed can be set, and its peer.
    fn line(buffer: usize) -> (Link, DuplexStream) {
        let (near, far) = tokio::io::duplex(buffer);
        let controls = LinkControls::new(|_| Ok(()));
        (Link::new(near).with_controls(controls), far)
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_without_a_board_is_told_as_what_it_is() {
        let (mut link, far) = line(64);
        assert_eq!(find(&mut link, LONG).await, Err(NoSpeed::Silent));
        drop(far);
        assert_eq!(find(&mut link, LONG).await, Err(NoSpeed::Closed));

        let (mut link, far) = line(64);
        let bridge = async {
            let (mut from, mut to) = tokio::io::split(far);
            tokio::io::copy(&mut from, &mut to).await
        };
        let bridge = tokio::spawn(bridge);
        assert_eq!(find(&mut link, LONG).await, Err(NoSpeed::Loopback));
        bridge.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_that_takes_nothing_is_given_up_in_time() {
        let (mut link, far) = line(1);
        let began = time::Instant::now();
        let limit = Duration::from_secs(3);
        assert_eq!(find(&mut link, limit).await, Err(NoSpeed::TimedOut));
        assert_eq!(began.elapsed(), limit);
        assert_eq!(find(&mut link, LONG).await, Err(NoSpeed::Silent));
        drop(far);
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_speed_is_a_number_or_auto() {
        assert_eq!("auto".parse(), Ok(Speed::Auto));
        assert_eq!("9600".parse(), Ok(Speed::Fixed(9600)));
        assert!("fast".parse::<Speed>().unwrap_err().contains("auto"));
    }
}
