//! `flylead export`

use std::{io::IsTerminal as _, path::PathBuf, time::Duration};

use clap::{Args, Subcommand};
use flylead::export::{Device, Error, Options, Progress, Saved, Verify};
use flylead_core::export::{self, Config, RunId};
use indicatif::{ProgressBar, ProgressStyle};

use super::{Common, Exit, Failure, interrupts::Interrupts, plot};

/// Record an experiment on a device and collect its log
///
/// The device writes CSV to its SD card between START and STOP; EXPORT sends the file, which is saved as
/// artifacts/RUN_ID/sd/log.csv when it is whole, with a manifest beside it. An earlier log is never damaged.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead export run run001 --for 10s     record for ten seconds, then fetch the log
  flylead export fetch run001             fetch it, or fetch it again
  flylead export plot run001              look at it")]
pub(crate) struct Cmd {
    #[command(subcommand)]
    action: Action,

    /// The folder of all runs
    #[arg(
        long,
        global = true,
        value_name = "FOLDER",
        default_value = "artifacts"
    )]
    artifacts: PathBuf,

    /// How often to ask again after a fault on the way
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    retries: u32,

    /// Refuse a log that comes without a CRC32= or SHA256= of the device
    #[arg(long, global = true)]
    require_checksum: bool,

    /// Ask twice for a log that comes without a checksum, and compare
    #[arg(long, global = true)]
    verify_twice: bool,

    /// Save a log that came between BEGIN and END with \n at the ends of its lines
    #[arg(long, global = true)]
    normalize_eol: bool,

    /// How long to listen before anything is sent; for boards that start anew when their port is opened
    #[arg(long, global = true, value_name = "TIME", value_parser = duration, default_value = "0")]
    settle: Duration,

    /// The longest log to take, in MiB
    #[arg(long, global = true, value_name = "MIB", default_value_t = 256)]
    limit: u32,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Begin recording
    Start {
        /// The name of the run, such as 20260115_2112_run001
        run_id: RunId,
    },
    /// End the recording
    Stop,
    /// Fetch the log of a run
    Fetch {
        /// The name of the run
        run_id: RunId,
    },
    /// Begin, wait, end, and fetch the log
    Run {
        /// The name of the run
        run_id: RunId,
        /// How long to record, such as 10s, 1.5s or 2m
        #[arg(long = "for", value_name = "TIME", value_parser = duration)]
        length: Duration,
    },
    /// Look at a log that was fetched
    Plot {
        /// The name of the run
        run_id: RunId,
        /// Which column, by its name or its number from 1; all numeric ones when not given
        #[arg(long)]
        column: Option<String>,
    },
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        if let Action::Plot { run_id, column } = &self.action {
            let log = self.artifacts.join(run_id.as_str()).join("sd/log.csv");
            return plot::print(&log, column.as_deref());
        }
        let mut interrupts = Interrupts::new()?;
        let mut device = Device::attach(
            common.open_untraced().await?,
            self.config(common),
            common.trace()?,
        );
        let exit = tokio::select! {
            exit = self.act(&mut device, common) => told(exit, common),
            () = interrupts.next() => Ok(Exit::Interrupted),
        };
        device.close().await;
        exit
    }

    async fn act(&self, device: &mut Device, common: &Common) -> Result<Exit, Error> {
        if device.settle(self.settle).await? {
            common.note("the device started anew when its port was opened");
        }
        match &self.action {
            Action::Start { run_id } => print_reply(common, &device.start(run_id).await?.text),
            Action::Stop => print_reply(common, &device.stop().await?.text),
            Action::Fetch { run_id } => self.fetch(device, run_id, common).await?,
            Action::Run { run_id, length } => {
                print_reply(common, &device.start(run_id).await?.text);
                record(device, *length).await?;
                print_reply(common, &device.stop().await?.text);
                self.fetch(device, run_id, common).await?;
            }
            Action::Plot { .. } => {}
        }
        Ok(Exit::Done)
    }

    async fn fetch(
        &self,
        device: &mut Device,
        run_id: &RunId,
        common: &Common,
    ) -> Result<(), Error> {
        let bar = Bar::new(common);
        let fetched = device
            .fetch(run_id, &self.options(), |progress| bar.show(progress))
            .await;
        bar.0.finish_and_clear();
        report(&fetched?, common);
        Ok(())
    }

    fn options(&self) -> Options {
        let mut options = Options::default();
        options.artifacts.clone_from(&self.artifacts);
        options.retries = self.retries;
        options.normalize_eol = self.normalize_eol;
        if self.verify_twice {
            options.verify = Verify::Twice;
        }
        options
    }

    fn config(&self, common: &Common) -> Config {
        let mut config = Config::default();
        config.baud = common.baud.unwrap_or(config.baud);
        config.timeout = common.timeout.unwrap_or(config.timeout);
        config.require_checksum = self.require_checksum;
        config.size_limit = u64::from(self.limit) * 1024 * 1024;
        config
    }
}

/// Waits, and keeps reading: a device that cannot get rid of what it says stops recording.
async fn record(device: &mut Device, length: Duration) -> Result<(), Error> {
    let listening = async { while device.next_event().await.is_some() {} };
    match tokio::time::timeout(length, listening).await {
        Ok(()) => Err(Error::Gone),
        Err(_) => Ok(()),
    }
}

fn print_reply(common: &Common, text: &str) {
    match (common.json, text.trim()) {
        (true, text) => println!("{}", serde_json::json!({ "ok": true, "reply": text })),
        (false, "") => common.say("the device said nothing"),
        (false, text) => println!("{}", printable(text)),
    }
    if text.trim_end().ends_with(">>>") {
        common.note(
            "the device answers with a Python prompt: the program that records does not run there",
        );
    }
}

fn report(saved: &Saved, common: &Common) {
    if common.json {
        let result = serde_json::json!({
            "ok": true, "path": saved.path, "previous": saved.previous, "manifest": saved.manifest,
        });
        println!("{result}");
        return;
    }
    let manifest = &saved.manifest;
    println!("{}", saved.path.display());
    eprintln!("{} bytes, proven by {}", manifest.bytes, manifest.integrity);
    for warning in &manifest.warnings {
        eprintln!("warning: {warning}");
    }
    if let Some(previous) = &saved.previous {
        eprintln!("the log before it is now {}", previous.display());
    }
}

/// Scripts get what went wrong on stdout too, as data.
fn told(done: Result<Exit, Error>, common: &Common) -> Result<Exit, Failure> {
    if let (Err(error), true) = (&done, common.json) {
        let partial = match error {
            Error::Failed { partial, .. } => partial.as_deref(),
            _ => None,
        };
        let error = serde_json::json!({
            "code": error.code(),
            "message": error.to_string(),
            "retryable": error.is_retryable(),
            "hint": error.hint(),
            "partial": partial,
        });
        println!("{}", serde_json::json!({ "ok": false, "error": error }));
    }
    Ok(done?)
}

/// What a device says must not steer this terminal.
fn printable(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control() || matches!(character, '\n' | '\t'))
        .collect()
}

/// A bar on a terminal; nothing elsewhere.
struct Bar(ProgressBar);

impl Bar {
    fn new(common: &Common) -> Self {
        let visible = !common.json && std::io::stderr().is_terminal();
        Self(if visible {
            ProgressBar::no_length().with_style(waiting())
        } else {
            ProgressBar::hidden()
        })
    }

    fn show(&self, progress: Progress) {
        match progress {
            Progress::Asked {
                after: Some(failure),
            } => self.0.println(format!("{failure}; asking again")),
            Progress::Begun { announced } => {
                self.0.set_length(announced.unwrap_or_default());
                self.0.set_style(style(announced.is_some()));
            }
            Progress::Received { bytes } => self.0.set_position(bytes),
            Progress::AskedTwice => self.0.println("asking again, to compare"),
            Progress::Reset => self.0.println("the device started anew"),
            _ => {}
        }
    }
}

/// Until the device has said how much it is.
fn waiting() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} waiting for the log  {elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn style(sized: bool) -> ProgressStyle {
    let template = match sized {
        true => "{bar:30} {bytes}/{total_bytes}  {bytes_per_sec}  {eta}",
        false => "{spinner} {bytes}  {bytes_per_sec}",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// `10s`, `1.5s`, `500ms`, `2m`, or seconds without a unit.
fn duration(text: &str) -> Result<Duration, String> {
    let end = text.trim_end_matches(char::is_alphabetic).len();
    let scale = match &text[end..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time such as 10s, 500ms or 2m".to_owned()),
    };
    text[..end]
        .parse::<f64>()
        .ok()
        .and_then(|number| Duration::try_from_secs_f64(number * scale).ok())
        .ok_or_else(|| "write a time such as 10s, 500ms or 2m".to_owned())
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Disk { .. } => Self::new(Exit::Usage, error),
            Error::Failed {
                failure: export::Failure::DeviceError { .. },
                ..
            } => Self::new(Exit::Refused, error),
            _ => Self::new(Exit::Lost, error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        for (text, millis) in [
            ("10s", 10_000),
            ("1.5s", 1500),
            ("500ms", 500),
            ("2m", 120_000),
            ("3", 3000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "-1s", "10 s", "10d", "inf"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn f24_what_a_device_says_cannot_steer_the_terminal() {
        assert_eq!(printable("OK\x1b[2J\x07\tdone"), "OK[2J\tdone");
    }
}
