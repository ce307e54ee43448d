//! Restarts boards that no longer answer.

use std::{fmt, io, process::Stdio, str::FromStr, time::Duration};

use flylead_core::rfc2217::{Control, Message};
use tokio::{
    process::Command,
    time::{self, Instant},
};

use super::{Address, open};

/// Way to restart a board that no longer answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recovery {
    /// Clears DTR and asserts it again, which restarts an Arduino, for example.
    Dtr,
    /// Asserts RTS and clears it again, which restarts an ESP32 (esptool, "Boot Mode Selection", Automatic Bootloader).
    Rts,
    /// Runs a command line of the shell that switches the board's power, such as `uhubctl -l 1-1 -p 2 -a cycle` or
    /// `labgrid-client -p pico power cycle`. The variable `FLYLEAD_PORT` holds the board's address.
    Command(String),
}

impl Recovery {
    /// Restarts the board at an address. Its port may be gone for a while afterwards.
    ///
    /// # Errors
    /// The port has no control lines; or the command fails, or runs for more than a minute, after which it is ended.
    pub async fn restart(&self, address: &Address) -> io::Result<()> {
        match self {
            Self::Dtr => pulse(address, [Control::Dtr(false), Control::Dtr(true)]).await,
            Self::Rts => pulse(address, [Control::Rts(true), Control::Rts(false)]).await,
            Self::Command(line) => run(line, address).await,
        }
    }

    /// Restarts the board at an address, and tries to connect to it for half a minute.
    ///
    /// # Errors
    /// The restart failed, or the last attempt to connect.
    pub async fn bring_back<T, E, F>(
        &self,
        address: &Address,
        connect: impl Fn() -> F,
    ) -> Result<T, NotRestarted<E>>
    where
        F: Future<Output = Result<T, E>>,
    {
        let restarted = self.restart(address).await;
        restarted.map_err(NotRestarted::Restart)?;
        let end = Instant::now() + RETURN_WITHIN;
        loop {
            match connect().await {
                Ok(connected) => return Ok(connected),
                Err(error) if Instant::now() >= end => return Err(NotRestarted::Connect(error)),
                Err(_) => time::sleep(RETURN_PAUSE).await,
            }
        }
    }
}

/// Reason why a board was not brought back.
#[derive(Debug)]
pub enum NotRestarted<E> {
    /// The restart failed.
    Restart(io::Error),
    /// The board was restarted, and does not answer.
    Connect(E),
}

async fn pulse(address: &Address, steps: [Control; 2]) -> io::Result<()> {
    let link = open(address).await.map_err(io::Error::other)?;
    let controls = link.controls().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::Unsupported,
            "the port has no control lines; use a command instead, such as uhubctl",
        )
    })?;
    for step in steps {
        controls.set(&Message::Control(step))?;
        time::sleep(PULSE).await;
    }
    Ok(())
}

async fn run(line: &str, address: &Address) -> io::Result<()> {
    let mut command = match cfg!(windows) {
        true => Command::new("cmd.exe"),
        false => Command::new("/bin/sh"),
    };
    command
        .arg(if cfg!(windows) { "/c" } else { "-c" })
        .arg(line)
        .env("FLYLEAD_PORT", address.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true);
    let ended = time::timeout(LONGEST, command.status()).await;
    let status = ended.map_err(|_| {
        let seconds = LONGEST.as_secs();
        io::Error::new(
            io::ErrorKind::TimedOut,
            format!("`{line}` took more than {seconds} s"),
        )
    })??;
    match status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("`{line}` failed: {status}"))),
    }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dtr => "dtr",
            Self::Rts => "rts",
            Self::Command(line) => line,
        })
    }
}

impl FromStr for Recovery {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "" => Err("write dtr, rts, or a command line that switches the board's power"),
            "dtr" => Ok(Self::Dtr),
            "rts" => Ok(Self::Rts),
            line => Ok(Self::Command(line.to_owned())),
        }
    }
}

/// Time in which a board that was restarted comes back to its port.
const RETURN_WITHIN: Duration = Duration::from_secs(30);
const RETURN_PAUSE: Duration = Duration::from_millis(500);
/// Length of a pulse; esptool's is as long.
const PULSE: Duration = Duration::from_millis(100);
/// Time limit of a command, more than any power switch needs.
const LONGEST: Duration = Duration::from_secs(60);

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_read_and_written() {
        for text in ["dtr", "rts", "uhubctl -l 1-1 -p 2 -a cycle"] {
            assert_eq!(text.parse::<Recovery>().unwrap().to_string(), text);
        }
        assert!(" ".parse::<Recovery>().is_err());
    }

    #[tokio::test]
    async fn a_command_gets_the_address_and_its_failure_is_reported() {
        let address: Address = "/dev/ttyACM7".parse().unwrap();
        let run = |line: &str| Recovery::Command(line.to_owned());
        let check = run("test \"$FLYLEAD_PORT\" = /dev/ttyACM7");
        check.restart(&address).await.unwrap();
        let error = run("exit 3").restart(&address).await.unwrap_err();
        assert!(error.to_string().contains("exit status: 3"), "{error}");
    }
}
