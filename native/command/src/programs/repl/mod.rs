//! `flylead repl`

mod keys;
mod screen;

use std::{
    io::{self, IsTerminal as _},
    path::PathBuf,
    time::Duration,
};

use clap::Args;
use flylead_core::raw_repl::{Config, Outcome};
use flylead_native::{
    Board, BoardError,
    link::{Address, Link, OpenError},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::mpsc,
    time::{Instant, sleep, timeout},
};

use super::run::read as read_program;
use crate::{
    Common, Exit, Failure,
    line::kept::Kept,
    terminal::{input::read_stdin, say, shutdown::Shutdown},
};
use keys::{Key, Keys};
use screen::Screen;

/// Use the board's own prompt
///
/// Every key goes to the board, Ctrl-C and Ctrl-D too, so its line editing, history and Tab completion work. Ctrl-X or
/// Ctrl-] leaves. If the board is unplugged, the session continues once it is back. If stdin is not a terminal, its
/// lines are typed, and the command ends once the board has been quiet for half a second after the last one.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Also write all output to a file
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,

    /// Text that Ctrl-J types; \n in it is Enter
    #[arg(long, value_name = "CODE")]
    inject_code: Option<String>,

    /// File of this computer that Ctrl-K runs, read at that moment
    #[arg(long, value_name = "FILE")]
    inject_file: Option<PathBuf>,

    /// In place of the option of all commands, for there is nothing here that JSON could say
    #[arg(long, hide = true)]
    json: bool,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        if self.json || common.json {
            return Err(Failure::new(
                Exit::Usage,
                "repl is interactive and has no --json; use exec or eval",
            ));
        }
        let screen = Screen::new(self.capture.as_deref())?;
        let kept = Kept::default();
        let mut link = kept.keep(common.open_shared().await?);
        let again = common.returns_at();
        if !io::stdin().is_terminal() {
            let typed = type_lines(&mut link, screen).await;
            kept.close().await;
            return typed;
        }
        say(format_args!(
            "Connected to {}. Ctrl-X leaves; Enter gives a prompt.",
            common.address()
        ));
        let shutdown = Shutdown::new()?;
        let terminal = Raw::enable()?;
        let talk = Talk {
            common,
            again,
            link,
            kept: &kept,
            typed: read_stdin(),
            keys: Keys {
                code: self.inject_code.as_deref().map(enter_for_newlines),
                has_file: self.inject_file.is_some(),
            },
            file: self.inject_file,
            screen,
            shutdown,
        };
        let end = talk.run().await;
        kept.close().await;
        drop(terminal);
        say("");
        match end? {
            End::Left => Ok(Exit::Done),
            End::Hangup => Ok(Exit::Interrupted),
            End::Lost => Err(Failure::new(
                Exit::Lost,
                "the board is gone: the connection closed",
            )),
        }
    }
}

/// Reason why the terminal returns to the shell.
enum End {
    Left,
    Hangup,
    Lost,
}

/// A person at the board's prompt.
struct Talk<'a> {
    common: &'a Common,
    /// Address at which an unplugged board returns.
    again: Option<Address>,
    link: Link,
    /// Owner of the link; a program is sent through another link.
    kept: &'a Kept,
    typed: mpsc::Receiver<Vec<u8>>,
    keys: Keys,
    file: Option<PathBuf>,
    screen: Screen,
    shutdown: Shutdown,
}

impl Talk<'_> {
    /// Talks to the board, and again to the same board after it was unplugged.
    async fn run(mut self) -> Result<End, Failure> {
        loop {
            let end = self.talk().await?;
            let Some(address) = self.again.clone().filter(|_| matches!(end, End::Lost)) else {
                return Ok(end);
            };
            self.kept.close().await;
            say("\nflylead: the board is gone; waiting for it. Ctrl-X leaves.");
            match self.wait(&address).await {
                Ok(link) => self.link = self.kept.keep(link),
                Err(end) => return Ok(end),
            }
            say("flylead: the board is back. Enter gives a prompt.");
        }
    }

    /// Waits until the board can be opened again, or until the end.
    async fn wait(&mut self, address: &Address) -> Result<Link, End> {
        let opening = open_when_back(self.common, address);
        tokio::pin!(opening);
        loop {
            tokio::select! {
                typed = self.typed.recv() => match typed {
                    // The other keys were for a board that is gone.
                    Some(typed) if !self.keys.of(&typed).contains(&Key::Leave) => {}
                    _ => return Err(End::Left),
                },
                link = &mut opening => return Ok(link),
                () = self.shutdown.requested() => return Err(End::Hangup),
            }
        }
    }

    /// Passes keys to the board and its bytes to the screen.
    async fn talk(&mut self) -> Result<End, Failure> {
        let mut chunk = vec![0; CHUNK];
        loop {
            tokio::select! {
                biased;
                typed = self.typed.recv() => {
                    let Some(typed) = typed else { return Ok(End::Left) };
                    if let Some(end) = self.press(&typed).await? {
                        return Ok(end);
                    }
                }
                read = self.link.read(&mut chunk) => match read {
                    Ok(length) if length > 0 => {
                        let has_ended = self.screen.show(&chunk[..length])?;
                        if has_ended && self.link.write_all(TO_PROMPT).await.is_err() {
                            return Ok(End::Lost);
                        }
                    }
                    _ => return Ok(End::Lost),
                },
                () = self.shutdown.requested() => return Ok(End::Hangup),
            }
        }
    }

    /// Carries out the actions of the keys, and returns the end if one of them leaves.
    async fn press(&mut self, typed: &[u8]) -> Result<Option<End>, Failure> {
        for key in self.keys.of(typed) {
            let sent = match key {
                Key::Type(bytes) => self.link.write_all(&bytes).await,
                Key::RunFile => {
                    self.run_file().await?;
                    // The prompt that followed was not shown.
                    self.link.write_all(&[ENTER]).await
                }
                Key::Leave => return Ok(Some(End::Left)),
            };
            if sent.is_err() {
                return Ok(Some(End::Lost));
            }
        }
        Ok(None)
    }

    /// Runs the file as `flylead run` does. Meanwhile, keys go to the program.
    async fn run_file(&mut self) -> Result<(), Failure> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let source = match read_program(file) {
            Ok(source) => source,
            Err(error) => {
                say(format_args!("flylead: {}: {error}", file.display()));
                return Ok(());
            }
        };
        let Some(link) = self.kept.lend() else {
            return Ok(());
        };
        let mut board = Board::attach(link, Config::default(), None);
        let done = self.follow(&mut board, source).await;
        if let Err(error) = &done {
            say(format_args!("flylead: {error}"));
        }
        // A board that is gone is reported by the conversation that continues.
        let _ = board.release().await;
        Ok(())
    }

    async fn follow(&mut self, board: &mut Board, source: Vec<u8>) -> Result<(), BoardError> {
        let mut program = board.start(source, None).await?;
        loop {
            tokio::select! {
                said = program.next_output() => match said? {
                    // Output for a screen that is gone is dropped.
                    Some(said) => drop(self.screen.show(&said)),
                    None => break,
                },
                typed = self.typed.recv() => match typed {
                    Some(typed) if typed.contains(&CTRL_C) => program.interrupt().await?,
                    // A program that has not started, or has ended, reads nothing.
                    Some(typed) => drop(program.send(typed).await),
                    None => program.interrupt().await?,
                },
            }
        }
        if let Outcome::Raised(traceback) = program.outcome().await? {
            drop(self.screen.show(traceback.text.as_bytes()));
        }
        Ok(())
    }
}

/// Opens a board as soon as it is connected, and reports once what prevents that.
pub(crate) async fn open_when_back(common: &Common, address: &Address) -> Link {
    let gone = Instant::now();
    let mut is_told = false;
    loop {
        sleep(LOOK_AGAIN).await;
        let error = match common.open_again(address).await {
            Ok(link) => return link,
            Err(error) => error,
        };
        let is_there = matches!(error, OpenError::Busy { .. } | OpenError::Forbidden { .. });
        // A system may take a moment before this user may open a new port.
        if is_there && !is_told && gone.elapsed() > TELL_AFTER {
            is_told = true;
            say(format_args!("flylead: {error}"));
        }
    }
}

/// Converts code of the command line, in which `\n` stands for the Enter key, as in mpremote.
fn enter_for_newlines(code: &str) -> Vec<u8> {
    code.replace("\\n", "\r").into_bytes()
}

/// Types the content of stdin, with Enter for each line end, and shows the output.
async fn type_lines(link: &mut Link, mut screen: Screen) -> Result<Exit, Failure> {
    let mut keys = read_stdin();
    let mut typing = true;
    let mut chunk = vec![0; CHUNK];
    loop {
        tokio::select! {
            typed = keys.recv(), if typing => match typed {
                Some(mut typed) => {
                    typed.iter_mut().filter(|key| **key == b'\n').for_each(|key| *key = ENTER);
                    link.write_all(&typed).await.map_err(|_| lost())?;
                }
                None => typing = false,
            },
            read = timeout(QUIET, link.read(&mut chunk)) => match read {
                Ok(Ok(length)) if length > 0 => drop(screen.show(&chunk[..length])?),
                Ok(_) => return Err(lost()),
                Err(_) if typing => {}
                Err(_) => return Ok(Exit::Done),
            },
        }
    }
}

fn lost() -> Failure {
    Failure::new(Exit::Lost, "the board is gone: the connection closed")
}

/// A terminal that passes on every key until this is dropped, even by a panic.
struct Raw;

impl Raw {
    fn enable() -> io::Result<Self> {
        crossterm::terminal::enable_raw_mode()?;
        #[cfg(unix)]
        keep_line_ends()?;
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let _ = crossterm::terminal::disable_raw_mode();
            report(panic);
        }));
        Ok(Self)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = crossterm::terminal::disable_raw_mode();
    }
}

/// Keeps the conversion of line ends: some boards end their lines with a bare line feed, which a raw terminal takes for
/// "straight down".
#[cfg(unix)]
fn keep_line_ends() -> io::Result<()> {
    use rustix::termios::{OptionalActions, OutputModes, tcgetattr, tcsetattr};
    let mut settings = tcgetattr(io::stdin())?;
    settings.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    Ok(tcsetattr(io::stdin(), OptionalActions::Now, &settings)?)
}

/// Interval between checks for an unplugged board.
const LOOK_AGAIN: Duration = Duration::from_millis(300);
/// Time after that until an error about an existing port is reported.
const TELL_AFTER: Duration = Duration::from_secs(3);
const CTRL_C: u8 = 3;
/// Ctrl-B, which brings a board back from raw mode.
const TO_PROMPT: &[u8] = b"\x02";
/// Byte that the Enter key sends.
const ENTER: u8 = b'\r';
/// Size of one read from the board, in bytes.
const CHUNK: usize = 16 * 1024;
/// Time of silence after input until a board counts as done.
const QUIET: Duration = Duration::from_millis(500);
