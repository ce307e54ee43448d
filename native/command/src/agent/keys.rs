//! A person's answer to a question: one key, or one line.
//!
//! Input typed before a question was shown does not answer it. An arrow key counts as one key and not as its three
//! bytes, and a key in the middle of others was pasted, not pressed.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal},
    time::Duration,
};

use crossterm::{
    event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    terminal::{disable_raw_mode, enable_raw_mode},
};

use crate::terminal::{say, say_in_raw_mode, say_part};

/// Returns true if a person can see questions, and answer them at a keyboard.
pub(super) fn is_person_there() -> bool {
    io::stderr().is_terminal() && keyboard().is_ok()
}

/// Opens the keyboard; `None` stands for the standard input. If a reply comes through that, the keyboard is the
/// terminal's own.
fn keyboard() -> io::Result<Option<File>> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    File::open(if cfg!(windows) { "CONIN$" } else { "/dev/tty" }).map(Some)
}

/// Asks until one of `keys` is pressed by itself. Returns `None` after Ctrl-C or Ctrl-D, or if the terminal is gone.
pub(super) fn key(question: &str, keys: &str) -> io::Result<Option<char>> {
    enable_raw_mode()?;
    let pressed = forget_input().and_then(|()| {
        say_in_raw_mode(question);
        wait_for(question, keys)
    });
    disable_raw_mode()?;
    let pressed = pressed?;
    say(pressed.unwrap_or('-'));
    Ok(pressed)
}

/// Asks for one key, of which `y` is yes. Any key except `y` and `n` repeats the question.
pub(super) fn yes(question: &str) -> io::Result<bool> {
    Ok(key(&format!("{question} [y/n] "), "yn")? == Some('y'))
}

/// Asks for a line, ignoring anything typed before.
pub(super) fn line(question: &str) -> io::Result<String> {
    enable_raw_mode()?;
    let forgotten = forget_input();
    disable_raw_mode()?;
    forgotten?;
    say_part(question);
    let mut answer = String::new();
    match keyboard()? {
        None => io::stdin().lock().read_line(&mut answer)?,
        Some(keyboard) => BufReader::new(keyboard).read_line(&mut answer)?,
    };
    Ok(answer.trim().to_owned())
}

fn wait_for(question: &str, keys: &str) -> io::Result<Option<char>> {
    loop {
        let Event::Key(key) = event::read()? else {
            continue;
        };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        if is_end(key) {
            return Ok(None);
        }
        let is_alone = rest_of_burst()? == 0;
        match key.code {
            KeyCode::Char(pressed)
                if key.modifiers.is_empty() && keys.contains(pressed) && is_alone =>
            {
                return Ok(Some(pressed));
            }
            _ => ask_again(question, keys),
        }
    }
}

/// Shows the question again. The terminal stays in raw mode, so that a key pressed meanwhile is neither echoed nor held
/// back until the end of a line.
fn ask_again(question: &str, keys: &str) {
    say_in_raw_mode(format_args!("\npress one of {}\n{question}", listed(keys)));
}

/// Returns true for Ctrl-C and Ctrl-D.
fn is_end(key: KeyEvent) -> bool {
    let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
    with_control && matches!(key.code, KeyCode::Char('c' | 'd'))
}

/// Skips and counts the events that arrive together with a key: the rest of a paste, or of a sequence that came in
/// pieces.
fn rest_of_burst() -> io::Result<usize> {
    let mut count = 0;
    while event::poll(BURST)? {
        event::read()?;
        count += 1;
    }
    Ok(count)
}

/// Discards typed input that was not read yet.
fn forget_input() -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::termios::{QueueSelector, tcflush};
        match keyboard()? {
            None => tcflush(io::stdin(), QueueSelector::IFlush)?,
            Some(keyboard) => tcflush(keyboard, QueueSelector::IFlush)?,
        }
    }
    while event::poll(Duration::ZERO)? {
        event::read()?;
    }
    Ok(())
}

fn listed(keys: &str) -> String {
    let keys: Vec<String> = keys.chars().map(String::from).collect();
    keys.join(", ")
}

/// Limit of the time between the bytes of one key; people press keys more slowly, and lines that
/// split a sequence deliver it faster.
const BURST: Duration = Duration::from_millis(50);
