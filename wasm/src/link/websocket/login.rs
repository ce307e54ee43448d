//! WebREPL's password prompt. Its texts are in MicroPython 1.28's `extmod/modwebrepl.c`.

use std::time::Duration;

use super::{Connection, Password};
use crate::{
    binding::clock::within,
    binding::error::{Error, ErrorKind},
};

/// Answers WebREPL's prompt, if there is one; returns true in that case.
pub(super) async fn login(
    connection: &mut Connection,
    password: Option<Password>,
    timeout: Duration,
) -> Result<bool, Error> {
    if !is_asked(connection, prompt_wait(&password, timeout)).await? {
        return match password {
            Some(Password::Text(_)) => Err(Error::timeout(NOT_ASKED)),
            Some(Password::Ask(_)) | None => Ok(false),
        };
    }
    let answer = match password {
        None => {
            return Err(Error::new(
                ErrorKind::Password,
                "the board asks for a password",
            ));
        }
        Some(Password::Text(text)) => text,
        Some(Password::Ask(ask)) => ask()
            .await
            .map_err(|cause| Error::link("no password was given", cause))?,
    };
    connection.send_text(&format!("{answer}\r"))?;
    let granted = within(timeout, is_granted(connection)).await;
    match granted.unwrap_or_else(|| Err(Error::timeout(NOT_ANSWERED)))? {
        true => Ok(true),
        false => Err(Error::new(
            ErrorKind::Password,
            "the board refused the password",
        )),
    }
}

fn prompt_wait(password: &Option<Password>, timeout: Duration) -> Duration {
    match password {
        Some(Password::Text(_)) => timeout,
        Some(Password::Ask(_)) => PROMPT_WAIT,
        None => BRIEF_WAIT,
    }
}

/// Returns true if the peer's first output is the prompt. Otherwise it is left for the next reader.
async fn is_asked(connection: &mut Connection, wait: Duration) -> Result<bool, Error> {
    let mut seen = Vec::new();
    let asked = within(wait, reads_prompt(connection, &mut seen)).await;
    let asked = asked.unwrap_or(Ok(false))?;
    if !asked {
        connection.put_back(seen);
    }
    Ok(asked)
}

async fn reads_prompt(connection: &mut Connection, seen: &mut Vec<u8>) -> Result<bool, Error> {
    while PROMPT.starts_with(seen) && *seen != PROMPT {
        match connection.next().await? {
            Some(bytes) => seen.extend(bytes),
            None => return Ok(false),
        }
    }
    Ok(seen.ends_with(PROMPT))
}

async fn is_granted(connection: &mut Connection) -> Result<bool, Error> {
    let mut seen = Vec::new();
    while let Some(bytes) = connection.next().await? {
        seen.extend(bytes);
        let text = String::from_utf8_lossy(&seen);
        if let Some((_, rest)) = text.split_once(GRANTED) {
            connection.put_back(rest.as_bytes().to_vec());
            return Ok(true);
        }
        if text.contains(DENIED) {
            break;
        }
    }
    Ok(false)
}

const PROMPT: &[u8] = b"Password: ";
const GRANTED: &str = "WebREPL connected\r\n";
const DENIED: &str = "Access denied";
/// Time that a peer has to request a password, with a password or a function to answer it, and without.
const PROMPT_WAIT: Duration = Duration::from_secs(2);
const BRIEF_WAIT: Duration = Duration::from_millis(250);
const NOT_ASKED: &str = "the board did not ask for its password; connect without one";
const NOT_ANSWERED: &str = "the board did not respond to its password";
