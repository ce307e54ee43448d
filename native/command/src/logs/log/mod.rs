//! `flylead log`

mod file;
mod line;

use std::{path::PathBuf, time::Duration};

use chrono::{DateTime, Local};
use clap::{ArgGroup, Args};
use flylead_native::link::Link;
use tokio::io::AsyncReadExt as _;

use super::export::duration;
use crate::{
    Common, Exit, Failure,
    programs::repl::open_when_back,
    terminal::{interrupts::Interrupts, shutdown::Shutdown},
};
use file::{Format, LogFile, Rules};
use line::Lines;

/// Write what the board prints to a file, each line with its time
///
/// Nothing is sent to the board. If the board is unplugged, the log continues once it is back. Ctrl-C ends the log.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("turns").args(["max_size", "hourly"]).multiple(true))]
#[command(after_help = "Examples:
  flylead log greenhouse.csv --hourly
  flylead log board.jsonl --max-size 10M --keep 5
  flylead log -                                   on the terminal")]
pub(crate) struct Cmd {
    /// File to append to; - is stdout
    file: PathBuf,
    /// Format of the lines [default: by the file's name, .csv or .jsonl, or else text]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,
    /// Size at which a new file begins, such as 500K or 10M
    #[arg(long, value_name = "SIZE", value_parser = file::size)]
    max_size: Option<u64>,
    /// Begin a new file every hour
    #[arg(long)]
    hourly: bool,
    /// Number of full files to keep; older ones are removed
    #[arg(long, value_name = "N", requires = "turns")]
    keep: Option<usize>,
    /// Time after which the log ends, such as 10s or 2h
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    length: Option<Duration>,
}

/// A line, or news about the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    time: DateTime<Local>,
    kind: Kind,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Line,
    /// The board was unplugged.
    Gone,
    /// The board is back.
    Back,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Gone => "gone",
            Self::Back => "back",
        }
    }
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        // The detection of a speed types at the board.
        common.fixed_baud()?;
        let format = self.format.unwrap_or_else(|| Format::of(&self.file));
        let mut file = LogFile::open(
            &self.file,
            Rules {
                format,
                longest: self.max_size,
                hourly: self.hourly,
                keep: self.keep,
            },
        )?;
        let mut interrupts = Interrupts::new()?;
        let mut shutdown = Shutdown::new()?;
        let end = async {
            match self.length {
                Some(length) => tokio::time::sleep(length).await,
                None => std::future::pending().await,
            }
        };
        let mut lines = Lines::default();
        let ended = tokio::select! {
            done = interrupts.or(write(common, &mut lines, &mut file)) => done,
            () = shutdown.requested() => Ok(()),
            () = end => Ok(()),
        };
        // A line whose end has not arrived.
        if let Some(record) = lines.end() {
            file.write(&record)?;
        }
        match ended {
            Err(failure) if failure.exit() != Exit::Interrupted => Err(failure),
            _ => Ok(Exit::Done),
        }
    }
}

/// Records everything that arrives while the board is connected.
async fn write(common: &Common, lines: &mut Lines, file: &mut LogFile) -> Result<(), Failure> {
    let mut link = common.open_shared().await?;
    let again = common.returns_at();
    loop {
        write_until_gone(&mut link, lines, file).await?;
        if let Some(record) = lines.end() {
            file.write(&record)?;
        }
        let Some(address) = &again else {
            let message = "the board is gone: the connection closed";
            return Err(Failure::new(Exit::Lost, message));
        };
        drop(link);
        file.write(&Record::new(Kind::Gone))?;
        common.note("the board is gone; waiting for it. Ctrl-C ends the log");
        link = open_when_back(common, address).await;
        file.write(&Record::new(Kind::Back))?;
        common.note("the board is back");
    }
}

async fn write_until_gone(
    link: &mut Link,
    lines: &mut Lines,
    file: &mut LogFile,
) -> Result<(), Failure> {
    let mut piece = vec![0; PIECE];
    loop {
        let length = match link.read(&mut piece).await {
            Ok(0) | Err(_) => return Ok(()),
            Ok(length) => length,
        };
        for record in lines.take(&piece[..length]) {
            file.write(&record)?;
        }
    }
}

impl Record {
    fn new(kind: Kind) -> Self {
        Self {
            time: Local::now(),
            kind,
            text: String::new(),
        }
    }
}

const PIECE: usize = 16 * 1024;
