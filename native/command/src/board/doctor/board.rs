//! State of one board, queried only if that disturbs nobody.

use std::time::Duration;

use flylead_core::raw_repl::{Config, Peer};
use flylead_native::{
    Board, BoardError,
    doctor::{self, Area, Finding},
    link::{self, Address, Link, OpenError},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time,
};

use crate::{Common, Failure, board::info, terminal::interrupts::Interrupts};

/// Determines the identity and the state of a board. Ctrl-C ends this.
pub(super) async fn examine(address: &Address, common: &Common) -> Result<Vec<Finding>, Failure> {
    if let Some(finding) = in_use(address) {
        return Ok(vec![finding]);
    }
    let mut interrupts = Interrupts::new()?;
    let mut link = match interrupts
        .or(async { Ok(open(address, common).await) })
        .await?
    {
        Ok(opened) => opened,
        Err(finding) => return Ok(vec![finding]),
    };
    let state = interrupts.or(async { Ok(listen(&mut link).await) }).await?;
    if state != State::Prompt {
        return Ok(vec![state.finding()]);
    }
    let within = common.limit().unwrap_or(ANSWER_TIMEOUT);
    let mut config = Config::default();
    config.enter_timeout = within;
    let mut board = Board::attach(link, config, common.trace()?);
    let asked = time::timeout(within, info::ask(&mut board));
    let asked = interrupts.or(async { Ok(asked.await) }).await;
    common.leave(board).await;
    Ok(match asked? {
        Ok(Ok(facts)) => facts.iter().map(of_fact).collect(),
        Ok(Err(error)) => vec![failed(&error)],
        Err(_) => {
            let late = Area::Board.fault("the board is at its prompt but does not answer in time");
            vec![late.advising("give a slow board longer, such as with `--timeout 60`")]
        }
    })
}

fn of_fact(fact: &info::Fact) -> Finding {
    // The number of a chip identifies a board as a serial number does.
    let text = match fact.name {
        "unique_id" => "it has a number of its own",
        _ => &fact.text,
    };
    Area::Board.ok(format!("{}: {text}", fact.name.replace('_', " ")))
}

fn failed(error: &BoardError) -> Finding {
    Area::Board.fault(format!("the board was at its prompt, but then: {error}"))
}

/// Returns the finding about a port that a program has already opened, unless that program is the hub.
fn in_use(address: &Address) -> Option<Finding> {
    let Ok(Address::Serial { path, .. }) = link::find(address) else {
        return None;
    };
    let users = doctor::users_of(&path);
    let is_ours = |user: &String| user.starts_with("flylead (");
    if users.is_empty() || users.iter().all(is_ours) {
        return None;
    }
    let text = format!("not queried, because it is in use by {}", users.join(", "));
    Some(Area::Board.note(text))
}

/// Opens the board, either directly or through the hub that owns it, if it is free there.
async fn open(address: &Address, common: &Common) -> Result<Link, Finding> {
    let mut options = link::Options::default();
    options.within = common.timeout.unwrap_or(link::CONNECT_TIMEOUT);
    options.ask = link::turn::Ask::idle("flylead doctor");
    let opened = link::open_with(address, &options).await;
    opened.map_err(|error| match error {
        OpenError::InUse { by, .. } => {
            Area::Board.note(format!("not queried, because it is in use by {by}"))
        }
        error => Area::Board.fault(error.to_string()),
    })
}

/// State of a board, as far as its answer to Enter reveals it.
#[derive(Debug, PartialEq, Eq)]
enum State {
    Prompt,
    /// The board is in raw mode, where another tool left it.
    Raw,
    /// Peer that is not MicroPython, or at another speed.
    Stranger(Peer),
    /// A line has begun, but not ended.
    Unfinished,
    Writes,
    Silent,
    Gone,
}

impl State {
    fn finding(&self) -> Finding {
        match self {
            Self::Prompt => Area::Board.ok("at its prompt"),
            Self::Raw => Area::Board
                .note("at the raw REPL, where another tool left it")
                .advising("`flylead exec 1` brings it back to its prompt"),
            Self::Unfinished => Area::Board
                .note("at an unfinished line")
                .advising("press Ctrl-C in `flylead repl`"),
            Self::Writes => Area::Board
                .note("a program is running and printing; it was not interrupted")
                .advising("`flylead info` interrupts it and queries the board"),
            Self::Silent => Area::Board
                .note("no prompt: a program is running, the board does not run MicroPython, or another --baud is needed")
                .advising("`flylead info` interrupts what is running and queries the board"),
            Self::Stranger(peer) => Area::Board.fault("no MicroPython answers").advising(peer.to_string()),
            Self::Gone => Area::Board.fault("the link was closed by the peer"),
        }
    }
}

/// Listens, and presses Enter if nothing arrives: a running program receives an empty line at most, and no Ctrl-C.
async fn listen(link: &mut Link) -> State {
    let mut heard = Vec::new();
    let is_open = read(link, &mut heard, QUIET, |_| false).await;
    if is_open && !heard.ends_with(PROMPT) && !heard.is_empty() {
        return state_of(&heard);
    }
    if is_open && heard.is_empty() {
        if link.write_all(b"\r").await.is_err() || link.flush().await.is_err() {
            return State::Gone;
        }
        let is_prompt = |heard: &[u8]| heard.ends_with(PROMPT);
        if !read(link, &mut heard, PROMPT_TIMEOUT, is_prompt).await {
            return State::Gone;
        }
    }
    match is_open {
        false => State::Gone,
        true => state_of(&heard),
    }
}

/// Infers the state of a board from its last bytes.
fn state_of(heard: &[u8]) -> State {
    match heard {
        heard if heard.ends_with(PROMPT) => State::Prompt,
        heard if heard.ends_with(b"\n... ") => State::Unfinished,
        heard if heard.ends_with(b">") => State::Raw,
        [] => State::Silent,
        // A terminal's echo, or the program's own answer to an empty line.
        heard if heard.iter().all(u8::is_ascii_whitespace) => State::Silent,
        heard => match Peer::of(heard) {
            Peer::Program | Peer::Silent => State::Writes,
            peer => State::Stranger(peer),
        },
    }
}

/// Reads until the time has passed or enough data has arrived, at most [`HEARD_LIMIT`] bytes. Returns false if the link
/// was closed.
async fn read(
    link: &mut Link,
    heard: &mut Vec<u8>,
    within: Duration,
    is_enough: impl Fn(&[u8]) -> bool,
) -> bool {
    let end = time::Instant::now() + within;
    let mut piece = [0; 1024];
    while heard.len() < HEARD_LIMIT && !is_enough(heard) {
        match time::timeout_at(end, link.read(&mut piece)).await {
            Err(_) => return true,
            Ok(Ok(0) | Err(_)) => return false,
            Ok(Ok(length)) => heard.extend_from_slice(&piece[..length]),
        }
    }
    true
}

/// Prompt of MicroPython v1.28 (`shared/runtime/pyexec.c`, `pyexec_friendly_repl`).
const PROMPT: &[u8] = b">>> ";
/// Time to wait for output, after which a program counts as silent.
const QUIET: Duration = Duration::from_millis(400);
/// Time limit of a prompt, which arrives within milliseconds, or within this time over a network.
const PROMPT_TIMEOUT: Duration = Duration::from_secs(2);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Limit of examined output in bytes, longer than a banner.
const HEARD_LIMIT: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bytes_say_what_a_board_does() {
        for (heard, state) in [
            (&b""[..], State::Silent),
            (b"\r\n", State::Silent),
            (b"\r\n>>> ", State::Prompt),
            (b"MicroPython v1.28\r\n>>> ", State::Prompt),
            (b"\r\n... ", State::Unfinished),
            (b"raw REPL; CTRL-B to exit\r\n>", State::Raw),
            (b"21.5\r\n", State::Writes),
            (
                b"waiting for download\r\n",
                State::Stranger(Peer::EspDownload),
            ),
            (
                b"\xe0\x1c\x00\xfc\xe0\x9c\x80",
                State::Stranger(Peer::WrongSpeed),
            ),
        ] {
            assert_eq!(state_of(heard), state, "{heard:?}");
        }
    }

    #[tokio::test]
    async fn a_program_that_writes_is_sent_nothing() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        theirs.write_all(b"21.5\r\n").await.unwrap();
        let mut link = Link::new(ours);
        assert_eq!(listen(&mut link).await, State::Writes);
        drop(link);
        let mut sent = Vec::new();
        theirs.read_to_end(&mut sent).await.unwrap();
        assert_eq!(sent, b"");
    }
}
