//! The terminal, while its keys go to a program on the board.

use std::io;

/// A terminal that passes on each key and shows none, as the board echoes the keys that it accepts. Ctrl-C still
/// interrupts. Dropping this restores the terminal.
#[derive(Debug)]
pub(super) struct Keys(#[cfg(unix)] rustix::termios::Termios);

#[cfg(unix)]
impl Keys {
    /// Takes the terminal; `None` if it belongs to another program, for example after an `&` in a shell: reading it
    /// would stop this process.
    pub(super) fn take() -> io::Result<Option<Self>> {
        use rustix::{
            process::getpgrp,
            termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr},
        };
        if tcgetpgrp(io::stdin()).is_ok_and(|group| group != getpgrp()) {
            return Ok(None);
        }
        let before = tcgetattr(io::stdin())?;
        let mut settings = before.clone();
        settings.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        tcsetattr(io::stdin(), OptionalActions::Now, &settings)?;
        Ok(Some(Self(before)))
    }
}

#[cfg(unix)]
impl Drop for Keys {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        // A terminal that is gone needs no settings.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

/// Windows passes lines on, and shows them.
#[cfg(not(unix))]
impl Keys {
    pub(super) fn take() -> io::Result<Option<Self>> {
        Ok(Some(Self()))
    }
}
