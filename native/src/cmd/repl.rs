//! `flylead repl`

use std::{
    io::{self, IsTerminal as _},
    time::Duration,
};

use clap::Args;
use flylead::link::Link;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

use super::{
    Common, Exit, Failure,
    input::read_stdin,
    shutdown,
    terminal::{print_raw, say},
};

/// Talk to the board's own prompt
///
/// The board's line editing, history and Tab work as they do on the board: every key goes there, Ctrl-C and Ctrl-D too.
/// Ctrl-X leaves. When stdin is not a terminal, its lines are typed, and the command ends when the board has been quiet
/// for half a second after the last one.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// In place of the option of all commands, for there is nothing here that JSON could say
    #[arg(long, hide = true)]
    json: bool,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        if self.json || common.json {
            return Err(Failure::new(
                Exit::Usage,
                "repl talks to a person, and has no --json; use exec or eval",
            ));
        }
        let mut link = common.open_shared().await?;
        if !io::stdin().is_terminal() {
            let typed = type_lines(&mut link).await;
            let _ = timeout(QUIET, link.shutdown()).await;
            return typed;
        }
        say(format_args!(
            "Connected to {}. Ctrl-X leaves; Enter gives a prompt.",
            common.address()
        ));
        let terminal = Raw::enable()?;
        let end = talk(&mut link).await;
        let _ = timeout(QUIET, link.shutdown()).await;
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

/// Why the terminal is the shell's again.
enum End {
    Left,
    Hangup,
    Lost,
}

/// Passes keys to the board and its bytes to the screen.
async fn talk(link: &mut Link) -> io::Result<End> {
    let mut keys = read_stdin();
    let mut chunk = vec![0; CHUNK];
    loop {
        tokio::select! {
            biased;
            pressed = keys.recv() => {
                let pressed = pressed.unwrap_or_else(|| vec![LEAVE]);
                let leave = pressed.iter().position(|&key| key == LEAVE);
                if link.write_all(&pressed[..leave.unwrap_or(pressed.len())]).await.is_err() {
                    return Ok(End::Lost);
                }
                if leave.is_some() {
                    return Ok(End::Left);
                }
            }
            read = link.read(&mut chunk) => match read {
                Ok(length) if length > 0 => print_raw(&chunk[..length])?,
                _ => return Ok(End::Lost),
            },
            () = shutdown::wait() => return Ok(End::Hangup),
        }
    }
}

/// Types what stdin has, Enter for each line end, and shows what comes of it.
async fn type_lines(link: &mut Link) -> Result<Exit, Failure> {
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
                Ok(Ok(length)) if length > 0 => print_raw(&chunk[..length])?,
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

/// A terminal that passes every key on, until this is dropped. A panic gives it back too.
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

/// Some boards end their lines with a bare line feed, which a raw terminal takes for "straight down".
#[cfg(unix)]
fn keep_line_ends() -> io::Result<()> {
    use rustix::termios::{OptionalActions, OutputModes, tcgetattr, tcsetattr};
    let mut settings = tcgetattr(io::stdin())?;
    settings.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    Ok(tcsetattr(io::stdin(), OptionalActions::Now, &settings)?)
}

/// Ctrl-X
const LEAVE: u8 = 0x18;
/// What the Enter key sends.
const ENTER: u8 = b'\r';
/// One read from the board.
const CHUNK: usize = 16 * 1024;
/// How long a board that has been typed to may think before it counts as done.
const QUIET: Duration = Duration::from_millis(500);
