//! A child process on a pseudo-terminal.

use std::{
    io,
    os::fd::OwnedFd,
    pin::Pin,
    task::{Context, Poll},
};

use pty_process::{Command, Pts};
use rustix::{
    process::{Pid, Signal, kill_process_group},
    termios::{OptionalActions, tcgetattr, tcsetattr},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    process::Child,
};

use super::tty::Tty;
use crate::link::{address::Address, error::OpenError, stream::Link};

/// Terminal of a child process that leads a session of its own.
#[derive(Debug)]
struct Process {
    terminal: Tty,
    child: Child,
}

/// Starts a command line with the shell.
pub(in crate::link) fn open(command: &str) -> Result<Link, OpenError> {
    spawn(command).map(Link::new).map_err(|source| {
        let address = Address::Process(command.to_owned());
        OpenError::from_io(address, source)
    })
}

fn spawn(command: &str) -> io::Result<Process> {
    let (pty, pts) = pty_process::open().map_err(io::Error::other)?;
    make_binary(&pts)?;
    let child = Command::new("/bin/sh")
        .args(["-c", START, "sh", command])
        .kill_on_drop(true)
        .spawn(pts)
        .map_err(io::Error::other)?;
    let terminal = Tty::new(OwnedFd::from(pty))?;
    Ok(Process { terminal, child })
}

/// Disables all processing of bytes.
fn make_binary(pts: &Pts) -> io::Result<()> {
    let mut settings = tcgetattr(pts)?;
    settings.make_raw();
    Ok(tcsetattr(pts, OptionalActions::Now, &settings)?)
}

/// Script that starts the child. From then on Ctrl-C interrupts the child, as it does on a board, but only if the child
/// has prepared for it: a tool that presses Ctrl-C as soon as the link is open would otherwise end the child before it
/// has begun.
const START: &str = r#"trap '' INT; stty isig; exec /bin/sh -c "$1""#;

impl Drop for Process {
    fn drop(&mut self) {
        let leader = self
            .child
            .id()
            .and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(leader) = leader {
            // The child may have ended by itself.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl AsyncRead for Process {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.terminal).poll_read(context, buffer)
    }
}

impl AsyncWrite for Process {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.terminal).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.terminal).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.terminal).poll_shutdown(context)
    }
}
