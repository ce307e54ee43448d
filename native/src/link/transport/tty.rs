//! A terminal as a byte stream: serial ports, and the master's end of a pseudo-terminal.

use std::{
    io,
    os::fd::OwnedFd,
    pin::Pin,
    task::{Context, Poll, ready},
};

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::Errno,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, unix::AsyncFd};

/// Terminal whose reads and writes go straight to the descriptor when it is ready, without a thread or a second buffer.
#[derive(Debug)]
pub(in crate::link) struct Tty(AsyncFd<OwnedFd>);

impl Tty {
    pub(in crate::link) fn new(terminal: OwnedFd) -> io::Result<Self> {
        fcntl_setfl(&terminal, fcntl_getfl(&terminal)? | OFlags::NONBLOCK)?;
        register(terminal).map(Self)
    }

    pub(super) fn get_ref(&self) -> &OwnedFd {
        self.0.get_ref()
    }
}

#[expect(unsafe_code, reason = "tokio has no safe way to watch a terminal")]
fn register(terminal: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open and unchanged until it is dropped, and the one in here is only reachable through
    // `&`.
    unsafe { AsyncFd::register(terminal) }.map_err(io::Error::from)
}

impl AsyncRead for Tty {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(context))?;
            let unfilled = buffer.initialize_unfilled();
            match ready.try_io(|terminal| read(terminal.get_ref(), unfilled)) {
                Ok(read) => return Poll::Ready(read.map(|length| buffer.advance(length))),
                Err(_would_block) => {}
            }
        }
    }
}

/// Reads from a terminal. One whose other end is gone reports an error, which becomes an ordinary end of the stream.
fn read(terminal: &OwnedFd, buffer: &mut [u8]) -> io::Result<usize> {
    match rustix::io::read(terminal, buffer) {
        Err(Errno::IO | Errno::NXIO | Errno::NODEV) => Ok(0),
        read => Ok(read?),
    }
}

impl AsyncWrite for Tty {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(context))?;
            match ready.try_io(|terminal| Ok(rustix::io::write(terminal.get_ref(), bytes)?)) {
                Ok(written) => return Poll::Ready(written),
                Err(_would_block) => {}
            }
        }
    }

    /// Does nothing: a terminal holds nothing back, and waiting until the wire is quiet could take forever.
    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
