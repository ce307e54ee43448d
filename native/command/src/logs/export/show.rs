//! Shows an export to a person at a terminal, and to a script.

use std::{
    cell::{Cell, RefCell},
    io::{self, IsTerminal as _},
    time::{Duration, Instant},
};

use flylead_core::export::Failure;
use flylead_native::export::{Error, Progress, Saved, Watched};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::{Common, plot};
use crate::terminal::{print_line, say, visible_line};

pub(super) fn show_reply(common: &Common, text: &str) {
    match (common.json, text.trim()) {
        (true, text) => print(&json!({ "ok": true, "reply": text })),
        (false, "") => common.say("the device sent nothing"),
        (false, text) => print(&text),
    }
    if text.trim_end().ends_with(">>>") {
        common
            .note("the device answers with a Python prompt: its recording program is not running");
    }
}

pub(super) fn report(saved: &Saved, common: &Common) {
    if common.json {
        return print(&json!({
            "ok": true, "path": saved.path, "previous": saved.previous, "manifest": saved.manifest,
        }));
    }
    let manifest = &saved.manifest;
    print(&saved.path.display());
    let waited = manifest.checksum_wait_ms.map_or_else(String::new, |wait| {
        format!(" (waited {:.1} s for one)", wait as f64 / 1000.0)
    });
    let before = match &manifest.received {
        Some(received) => format!(
            ", as {} bytes before their line ends were changed",
            received.bytes
        ),
        None => String::new(),
    };
    say(format_args!(
        "{} bytes, {}{before}{waited}",
        manifest.bytes, manifest.integrity
    ));
    for warning in &manifest.warnings {
        say(format_args!("warning: {warning}"));
    }
    if let Some(previous) = &saved.previous {
        say(format_args!(
            "the previous log is now {}",
            previous.display()
        ));
    }
}

/// Prints an error on stdout as data, for scripts.
pub(super) fn show_error(error: &Error, common: &Common) {
    if !common.json {
        return;
    }
    let kept = error.kept();
    let is_suspect = !error.doubts().is_empty();
    let accept: Vec<_> = error.doubts().iter().map(|doubt| doubt.as_str()).collect();
    let quotes: Vec<_> = error
        .quotes()
        .iter()
        .map(|quote| json!({ "doubt": quote.doubt.as_str(), "line": quote.line }))
        .collect();
    let error = json!({
        "code": error.code(),
        "message": with_options(error),
        "retryable": error.is_retryable(),
        "hint": error.hint(),
        "partial": kept.filter(|_| !is_suspect),
        "suspect": kept.filter(|_| is_suspect),
        "accept": accept,
        "quotes": quotes,
    });
    print(&json!({ "ok": false, "error": error }));
}

/// Returns the error, with the options of this command that accept the log all the same.
pub(super) fn with_options(error: &Error) -> String {
    let options: Vec<_> = error
        .doubts()
        .iter()
        .map(|doubt| format!("--accept {doubt}"))
        .collect();
    match (options.is_empty(), error) {
        (true, Error::Failed { failure, .. }) if is_about_silence(failure) => match failure {
            Failure::NoHeader { .. } => format!("{error}; --timeout SECONDS waits longer"),
            _ => format!("{error}; --silence TIME waits longer"),
        },
        (true, _) => error.to_string(),
        (false, _) => format!("{error}; {} accepts the log anyway", options.join(" ")),
    }
}

const fn is_about_silence(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::ShortTransfer { .. } | Failure::NoHeader { .. } | Failure::TimedOut { .. }
    )
}

/// Prints a line, ignoring errors: a reader that is gone must not keep a device recording.
fn print(line: &impl std::fmt::Display) {
    let _ = print_line(line);
}

fn is_watched(common: &Common) -> bool {
    !common.json && io::stderr().is_terminal()
}

/// A recording: its remaining time, and the device's output. Shows a bar on a terminal, and lines elsewhere.
pub(super) struct Live {
    bar: ProgressBar,
    length: Duration,
    began: Instant,
    is_json: bool,
    /// Time of the device's last output, if any.
    last: Cell<Option<Instant>>,
    values: RefCell<Vec<f64>>,
}

impl Live {
    pub(super) fn new(length: Duration, common: &Common) -> Self {
        let bar = match is_watched(common) {
            true => ProgressBar::new(millis(length)).with_style(style(RECORDING)),
            false => ProgressBar::hidden(),
        };
        Self {
            bar,
            length,
            began: Instant::now(),
            is_json: common.json,
            last: Cell::default(),
            values: RefCell::default(),
        }
    }

    pub(super) fn watched(&self, watched: Watched<'_>) {
        match watched {
            Watched::Line(line) => self.said(line),
            Watched::Away => self.tell("the device is gone; waiting for it", "away"),
            Watched::Back { after } => {
                let after = after.as_secs_f32();
                self.tell(&format!("the device is back after {after:.1} s"), "back");
            }
        }
    }

    fn tell(&self, text: &str, event: &str) {
        match (self.is_json, self.bar.is_hidden()) {
            (true, _) => print(&json!({ "event": event })),
            (false, true) => say(format_args!("flylead: {text}")),
            (false, false) => self.bar.println(text),
        }
    }

    pub(super) fn said(&self, line: &str) {
        let line = visible_line(line);
        self.last.set(Some(Instant::now()));
        if self.is_json {
            return print(&json!({ "said": line }));
        }
        match last_number(&line) {
            _ if self.bar.is_hidden() => say(&line),
            Some(value) => self.draw(&line, value),
            None => self.bar.println(&*line),
        }
    }

    fn draw(&self, line: &str, value: f64) {
        let mut values = self.values.borrow_mut();
        values.push(value);
        let excess = values.len().saturating_sub(BARS);
        values.drain(..excess);
        let line: String = line.chars().take(LONGEST_LINE).collect();
        self.bar
            .set_message(format!("{line}  {}", plot::bars(&values, BARS)));
    }

    /// Shows the remaining time until dropped.
    pub(super) async fn count_down<T>(&self) -> T {
        loop {
            let left = self.length.saturating_sub(self.began.elapsed());
            self.bar.set_position(millis(self.length - left));
            let silent = self.last.get().map_or(0, |last| last.elapsed().as_secs());
            self.bar.set_prefix(match silent {
                0..LONG_SILENCE => format!("{} s left", left.as_secs()),
                _ => format!("{} s left, silent for {silent} s", left.as_secs()),
            });
            tokio::time::sleep(REDRAW).await;
        }
    }

    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// A log on its way: shows a bar on a terminal, and nothing elsewhere.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(common: &Common) -> Self {
        Self(match is_watched(common) {
            true => ProgressBar::no_length().with_style(style(WAITING)),
            false => ProgressBar::hidden(),
        })
    }

    pub(super) fn show(&self, progress: Progress) {
        match progress {
            Progress::Asked { after: None } => {}
            Progress::Asked {
                after: Some(failure),
            } => self.0.println(visible_line(&format!(
                "{failure}; requesting the log again"
            ))),
            Progress::Begun { announced } => {
                self.0.set_length(announced.unwrap_or_default());
                self.0.set_style(style(match announced {
                    Some(_) => SIZED,
                    None => UNSIZED,
                }));
            }
            Progress::Received { bytes } => self.0.set_position(bytes),
            Progress::AskedTwice => self.0.println("requesting the log again, to compare"),
            Progress::Reset => self.0.println("the device restarted"),
        }
    }

    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

/// Returns the last number of a line, such as 40.1 for `t=12.5 h=40.1`.
fn last_number(line: &str) -> Option<f64> {
    line.rsplit(|character: char| character.is_whitespace() || ",;=:".contains(character))
        .filter_map(|word| word.parse().ok())
        .find(|number: &f64| number.is_finite())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

const RECORDING: &str = "recording {bar:24} {prefix}  {msg}";
/// Style of the bar until the device has announced the length.
const WAITING: &str = "{spinner} waiting for the log  {elapsed}";
const SIZED: &str = "{bar:30} {bytes}/{total_bytes}  {bytes_per_sec}  {eta}";
const UNSIZED: &str = "{spinner} {bytes}  {bytes_per_sec}";
/// Seconds after which a device that has talked is called silent.
const LONG_SILENCE: u64 = 5;
const REDRAW: Duration = Duration::from_millis(200);
/// Number of last values to draw.
const BARS: usize = 24;
/// Number of characters of a device's line to show beside the bar.
const LONGEST_LINE: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_of_a_line_is_drawn() {
        for (line, number) in [
            ("t=12.5 h=40.1", Some(40.1)),
            ("0,1,2", Some(2.0)),
            ("t: 3 ok", Some(3.0)),
            ("recording", None),
        ] {
            assert_eq!(last_number(line), number, "{line}");
        }
    }
}
