//! `flylead export`

mod kept;
mod plot;
mod record;
mod show;

use std::{path::PathBuf, time::Duration};

use clap::builder::TypedValueParser as _;
use clap::{Args, Subcommand, builder::PossibleValuesParser};
use flylead_core::export::{self, Config, Doubt, RunId};
use flylead_native::export::{Device, Error, Options, Saved, Verify};

use crate::{
    Common, Exit, Failure,
    terminal::{interrupts::Interrupts, shutdown::Shutdown},
};
use show::{Bar, report, show_error, show_reply};

/// Record an experiment on a device and collect its log
///
/// The device writes CSV to its SD card between START and STOP; EXPORT sends the file, which is saved as
/// artifacts/RUN_ID/sd/log.csv when it is whole, with a manifest beside it. An earlier log is never lost: it becomes
/// log.csv.1, and so on.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead export run run001 --for 10s     record for ten seconds, then fetch the log
  flylead export fetch run001             fetch it, or fetch it again
  flylead export plot run001              draw its columns
  flylead export list                     the saved logs and their proofs
  flylead export verify                   check that they are unchanged

A log that no checksum proves is refused if there is a doubt about it; it is kept as log.csv.suspect.
--accept takes such a log despite one of these doubts:
  error      a line from the device begins with ERROR or ERR, but is not an error
  late       an earlier request for another run was never answered: this may be its log
  header     a line begins with SIZE= or BEGIN, but is not a header
  restart    the log contains what boards print when they start
  last-line  the last line is an answer such as OK, or has different columns than the first lines
  stray-line a line between BEGIN and END is an ERROR, another BEGIN, or from a logger
  tail       the data that follows the log does not belong there
  checksum   the device's checksum does not match the log")]
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

    /// Number of retries after a transmission error
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    retries: u32,

    /// Refuse a log that comes without a CRC32= or SHA256= from the device
    #[arg(long, global = true)]
    require_checksum: bool,

    /// Accept a log despite this doubt; may be given several times
    #[arg(long, global = true, value_name = "REASON", value_parser = doubts())]
    accept: Vec<Doubt>,

    /// Request a log that comes without a checksum twice, and compare
    #[arg(long, global = true)]
    verify_twice: bool,

    /// Save a log that came between BEGIN and END with \n as its line ends
    #[arg(long, global = true)]
    normalize_eol: bool,

    /// Time to listen before anything is sent; for boards that restart when their port is opened
    #[arg(long, global = true, value_name = "TIME", value_parser = duration, default_value = "0")]
    settle: Duration,

    /// Longest silence of the device within a log; a log that keeps arriving may take any time
    #[arg(long, global = true, value_name = "TIME", value_parser = duration, default_value = "10s")]
    silence: Duration,

    /// Time to wait for a device that was unplugged
    #[arg(long, global = true, value_name = "TIME", value_parser = duration, default_value = "30s")]
    return_within: Duration,

    /// The longest log to take, in MiB
    #[arg(long, global = true, value_name = "MIB", default_value_t = 256)]
    limit: u32,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Start recording
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
    /// Start recording, wait, stop, and fetch the log
    ///
    /// The device's output is shown meanwhile. STOP is always sent: when the time is up, on Ctrl-C, and when the device
    /// reports ERROR or restarts. The log so far is fetched in any case.
    Run {
        /// The name of the run
        run_id: RunId,
        /// Duration of the recording, such as 10s, 1.5s or 2m
        #[arg(long = "for", value_name = "TIME", value_parser = duration)]
        length: Duration,
    },
    /// List saved logs, with their sizes and their proofs
    List {
        /// The name of a run [default: all]
        run_id: Option<RunId>,
    },
    /// Check that logs are unchanged since they arrived
    ///
    /// Reports whether each log is unchanged, and whether the device's own checksum proves it. The exit code is 5 if one
    /// was changed or has no manifest.
    Verify {
        /// The name of a run [default: all]
        run_id: Option<RunId>,
    },
    /// Show every line to and from the device at --port, with its time
    ///
    /// This history covers all programs that use the port, and continues after restarts and unplugging.
    History {
        /// Number of lines, from the last one back
        #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
        lines: usize,
    },
    /// Draw the numeric columns of a fetched log
    Plot {
        /// The name of the run
        run_id: RunId,
        /// Column to draw, by name or by number from 1 [default: all numeric ones]
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
        match &self.action {
            Action::List { run_id } => return kept::list(&self.artifacts, run_id.as_ref(), common),
            Action::Verify { run_id } => {
                return kept::verify(&self.artifacts, run_id.as_ref(), common);
            }
            Action::History { lines } => return kept::history(*lines, common),
            _ => {}
        }
        let mut stops = Stops(Interrupts::new()?, Shutdown::new()?);
        let mut device = Device::attach(
            common.open_untraced().await?,
            self.config(common),
            common.trace()?,
        )
        .at(&common.address());
        let exit = self.act(&mut device, common, &mut stops).await;
        device.close().await;
        exit.inspect_err(|error| show_error(error, common))
            .map_err(Failure::from)
    }

    async fn act(
        &self,
        device: &mut Device,
        common: &Common,
        stops: &mut Stops,
    ) -> Result<Exit, Error> {
        tokio::select! {
            settled = self.settle(device, common) => settled?,
            () = stops.next() => return Ok(Exit::Interrupted),
        }
        if let Action::Run { run_id, length } = &self.action {
            return record::run(self, device, run_id, *length, common, stops).await;
        }
        tokio::select! {
            done = self.ask(device, common) => done.map(|()| Exit::Done),
            () = stops.next() => Ok(Exit::Interrupted),
        }
    }

    async fn settle(&self, device: &mut Device, common: &Common) -> Result<(), Error> {
        if device.settle(self.settle).await? {
            common.note("the device restarted when its port was opened");
        }
        Ok(())
    }

    /// Carries out an action that consists of one request.
    async fn ask(&self, device: &mut Device, common: &Common) -> Result<(), Error> {
        match &self.action {
            Action::Start { run_id } => show_reply(common, &device.start(run_id).await?.text),
            Action::Stop => show_reply(common, &device.stop().await?.text),
            Action::Fetch { run_id } => report(&self.fetch(device, run_id, common).await?, common),
            Action::Run { .. }
            | Action::Plot { .. }
            | Action::List { .. }
            | Action::Verify { .. }
            | Action::History { .. } => {}
        }
        Ok(())
    }

    async fn fetch(
        &self,
        device: &mut Device,
        run_id: &RunId,
        common: &Common,
    ) -> Result<Saved, Error> {
        let bar = Bar::new(common);
        let fetched = device
            .fetch(run_id, &self.options(), |progress| bar.show(progress))
            .await;
        bar.clear();
        fetched
    }

    fn options(&self) -> Options {
        let mut options = Options::default();
        options.artifacts.clone_from(&self.artifacts);
        options.retries = self.retries;
        options.normalize_eol = self.normalize_eol;
        options.return_within = self.return_within;
        options.accept.clone_from(&self.accept);
        if self.verify_twice {
            options.verify = Verify::Twice;
        }
        options
    }

    /// Returns the receiver's configuration. `--timeout` limits the wait for the beginning of the device's answer.
    fn config(&self, common: &Common) -> Config {
        let mut config = Config::default();
        config.timeout = common.timeout.unwrap_or(config.timeout);
        config.idle_timeout = self.silence;
        config.require_checksum = self.require_checksum;
        config.size_limit = u64::from(self.limit) * 1024 * 1024;
        config
    }
}

/// Requests to stop: Ctrl-C, the end of the terminal, and a signal to terminate.
struct Stops(Interrupts, Shutdown);

impl Stops {
    async fn next(&mut self) {
        tokio::select! {
            () = self.0.next() => {}
            () = self.1.requested() => {}
        }
    }
}

fn doubts() -> impl clap::builder::TypedValueParser<Value = Doubt> {
    PossibleValuesParser::new(Doubt::ALL.map(Doubt::as_str)).try_map(|name| name.parse::<Doubt>())
}

/// Parses `10s`, `1.5s`, `500ms`, `2m`, or seconds without a unit.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
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

const fn is_refusal(failure: &export::Failure) -> bool {
    matches!(failure, export::Failure::DeviceError { .. })
}

fn exit_of(error: &Error) -> Exit {
    match error {
        Error::Disk { .. } => Exit::Usage,
        Error::Failed { failure, .. } | Error::Recording { failure } if is_refusal(failure) => {
            Exit::Refused
        }
        Error::Failed { .. }
        | Error::Recording { .. }
        | Error::Refused(_)
        | Error::Gone
        | Error::Stuck => Exit::Lost,
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(exit_of(&error), show::with_options(&error)).shown_as_json()
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
}
