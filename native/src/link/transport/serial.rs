//! Serial ports on Unix, opened by the system's calls.
//!
//! The crate `serialport` lists ports, and opens them on Windows by `tokio-serial`. Here it would leave HUPCL set, by
//! which DTR drops at close, and refuse a terminal that does not take each of its flags (4.10.1, `src/posix/tty.rs`,
//! `TTYPort::open`). Its reads block, whereas [`Tty`] waits without a thread, and also reads the terminals of child
//! processes.

use std::{
    io,
    os::fd::OwnedFd,
    pin::Pin,
    task::{Context, Poll},
};

use flylead_core::rfc2217::{Control, Message};
use rustix::{
    fs::{FlockOperation, Mode, OFlags, flock},
    io::Errno,
    termios::{
        ControlModes, OptionalActions, Termios, ioctl_tiocexcl, ioctl_tiocnxcl, tcgetattr,
        tcsetattr,
    },
};
use serial2::SerialPort;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{controls::LinkControls, tty::Tty};
use crate::link::{address::Address, error::OpenError, stream::Link};

/// Serial port that no other program has open.
#[derive(Debug)]
struct Serial(Tty);

/// Opens a port, or a pseudo-terminal, exclusively.
///
/// DTR and RTS are left as the system sets them, because on many boards they are wired to reset and boot.
pub(in crate::link) fn open(path: &str, baud: Option<u32>) -> Result<Link, OpenError> {
    open_exclusively(path, baud.unwrap_or(Address::DEFAULT_BAUD))
        .map(|port| match controls(&port) {
            Ok(controls) => Link::new(port).with_controls(controls),
            Err(_) => Link::new(port),
        })
        .map_err(|source| {
            let path = path.to_owned();
            OpenError::from_io(Address::Serial { path, baud }, source)
        })
}

fn open_exclusively(path: &str, baud: u32) -> io::Result<Serial> {
    // Without NONBLOCK, opening waits for a carrier, which a board's three wires lack.
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let port = rustix::fs::open(path, flags, Mode::empty())?;
    let mut settings = tcgetattr(&port).map_err(not_a_port)?;
    flock(&port, FlockOperation::NonBlockingLockExclusive)?;
    ioctl_tiocexcl(&port)?;
    let port = Serial(Tty::new(port)?);
    make_binary(&mut settings);
    settings.set_speed(baud)?;
    tcsetattr(port.terminal(), OptionalActions::Now, &settings)?;
    Ok(port)
}

/// Returns controls that set the port through a handle of their own.
fn controls(port: &Serial) -> io::Result<LinkControls> {
    let port = SerialPort::from(port.terminal().try_clone()?);
    Ok(LinkControls::new(move |setting| {
        if let Message::Baud(baud) = setting {
            let mut settings = tcgetattr(&port)?;
            settings.set_speed(*baud)?;
            return Ok(tcsetattr(&port, OptionalActions::Now, &settings)?);
        }
        let Message::Control(control) = setting else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        match control {
            Control::Dtr(on) => if_any(port.set_dtr(*on)),
            Control::Rts(on) => if_any(port.set_rts(*on)),
            Control::Break(on) => if_any(port.set_break(*on)),
            Control::FlowControl(_) | Control::Other(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }))
}

/// Ignores the error of a pseudo-terminal, which has no settable lines and needs none.
fn if_any(set: io::Result<()>) -> io::Result<()> {
    let none = [Errno::NOTTY, Errno::INVAL].map(Errno::raw_os_error);
    match set {
        Err(error) if error.raw_os_error().is_some_and(|it| none.contains(&it)) => Ok(()),
        set => set,
    }
}

fn not_a_port(error: Errno) -> io::Error {
    match error {
        Errno::NOTTY => io::Error::new(io::ErrorKind::InvalidInput, "it is not a serial port"),
        error => error.into(),
    }
}

/// Sets eight bits, no parity, no processing, no modem control.
fn make_binary(settings: &mut Termios) {
    settings.make_raw();
    settings.control_modes |= ControlModes::CREAD | ControlModes::CLOCAL;
    // Without HUPCL the lines keep their state at close; a drop of DTR resets an ESP32 or an Arduino.
    settings.control_modes -= ControlModes::HUPCL | ControlModes::CSTOPB | ControlModes::CRTSCTS;
}

impl Serial {
    fn terminal(&self) -> &OwnedFd {
        self.0.get_ref()
    }
}

impl Drop for Serial {
    /// Releases the exclusive access, which would outlast our end of a pseudo-terminal. The lock would also be held by
    /// a process that was started meanwhile and has not yet executed its program: until then it shares our handle
    /// (flock(2), fork(2)).
    fn drop(&mut self) {
        let _ = flock(self.terminal(), FlockOperation::Unlock);
        let _ = ioctl_tiocnxcl(self.terminal());
    }
}

impl AsyncRead for Serial {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Serial {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    #[tokio::test]
    async fn a_port_is_free_when_it_is_closed_whoever_has_its_handle_still() {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let path = ptsname(&master, Vec::new()).unwrap();
        let path = path.to_str().unwrap();
        let port = open_exclusively(path, Address::DEFAULT_BAUD).unwrap();
        let busy = open_exclusively(path, Address::DEFAULT_BAUD).unwrap_err();
        assert!(matches!(
            busy.kind(),
            io::ErrorKind::WouldBlock | io::ErrorKind::ResourceBusy
        ));
        // A process that was started while the port was open shares it before it executes its program.
        let copy = port.terminal().try_clone().unwrap();
        drop(port);
        open_exclusively(path, Address::DEFAULT_BAUD).unwrap();
        drop(copy);
    }
}
