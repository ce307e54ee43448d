//! Terminals without the unsafe parts.

use std::{
    ffi::OsStr,
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::{ffi::OsStrExt, fs::OpenOptionsExt},
    },
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::OFlags,
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{OptionalActions, tcgetattr, tcsetattr},
};

/// One end of a terminal line that passes every byte as it is.
#[derive(Debug)]
pub(in crate::boards) struct Tty(File);

impl Tty {
    /// Opens an existing terminal and makes it raw.
    pub(in crate::boards) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::NOCTTY | OFlags::NONBLOCK;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags.bits().cast_signed())
            .open(path)?;
        make_raw(file.as_fd())?;
        Ok(Self(file))
    }

    /// A new terminal line: our end, and the path of the other.
    pub(in crate::boards) fn pair() -> io::Result<(Self, PathBuf)> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master: OwnedFd = openpt(flags)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        rustix::io::ioctl_fionbio(&master, true)?;
        let path = PathBuf::from(OsStr::from_bytes(name.as_bytes()));
        Ok((Self(File::from(master)), path))
    }

    /// Duplicates this end.
    pub(in crate::boards) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Speed of the line, as whoever opened it has set it, in bits per second.
    pub(in crate::boards) fn speed(&self) -> u32 {
        tcgetattr(&self.0).map_or(0, |settings| settings.output_speed())
    }

    /// Returns the bytes that arrived within `wait`: `None` for silence, empty at the end of the
    /// line.
    pub(in crate::boards) fn read(&mut self, wait: Duration) -> Option<Vec<u8>> {
        if !self.is_ready(PollFlags::IN, wait) {
            return None;
        }
        let mut buffer = vec![0; 65536];
        match self.0.read(&mut buffer) {
            Ok(count) => {
                buffer.truncate(count);
                Some(buffer)
            }
            Err(fault) if fault.kind() == io::ErrorKind::WouldBlock => None,
            // A terminal whose other end is gone says so with EIO.
            Err(_) => Some(Vec::new()),
        }
    }

    /// Writes what fits now; the number of bytes that did.
    pub(in crate::boards) fn write(&mut self, bytes: &[u8]) -> usize {
        self.0.write(bytes).unwrap_or(0)
    }

    /// Writes everything, or fails when the line takes nothing for ten seconds.
    pub(in crate::boards) fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if !self.is_ready(PollFlags::OUT, Duration::from_secs(10)) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let count = self.0.write(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
    }

    fn is_ready(&self, flags: PollFlags, wait: Duration) -> bool {
        poll_one(&mut [PollFd::new(&self.0, flags)], wait)
    }
}

/// Any file that can be waited for, such as a pipe, and does not block.
impl From<File> for Tty {
    fn from(file: File) -> Self {
        Self(file)
    }
}

impl AsFd for Tty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Waits at most `wait` for one of these, and returns true if one is ready.
pub(in crate::boards) fn poll_one(ends: &mut [PollFd<'_>], wait: Duration) -> bool {
    let wait = Timespec::try_from(wait).expect("waits are seconds");
    poll(ends, Some(&wait)).is_ok_and(|count| count > 0)
}

fn make_raw(end: BorrowedFd<'_>) -> io::Result<()> {
    let mut settings = tcgetattr(end)?;
    settings.make_raw();
    Ok(tcsetattr(end, OptionalActions::Now, &settings)?)
}
