//! A device that records, at the other end of a link.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use flylead_core::{
    export::{
        Collector, CommandError, Config, Event, Failure, Framing, Header, Integrity, Receipt, RunId,
    },
    trace::Record,
};
use tokio::time;

use super::{Manifest, Saved, part::Part, save::open_root, serial_log::SerialLog};
use crate::{Driver, Gone, Trace, link::Link};

/// A device at the other end of a [`Link`].
///
/// ```no_run
/// # async fn collect() -> Result<(), Box<dyn std::error::Error>> {
/// use std::{path::Path, time::Duration};
/// use flylead::{export::{Device, Options}, link};
/// use flylead_core::export::{Config, RunId};
///
/// let link = link::open(&"/dev/ttyUSB0".parse()?).await?;
/// let mut device = Device::attach(link, Config::default(), None);
/// let run = RunId::new("run001")?;
/// device.start(&run).await?;
/// tokio::time::sleep(Duration::from_secs(10)).await;
/// device.stop().await?;
/// let saved = device.fetch(&run, &Options::default(), |_| ()).await?;
/// println!("{}", saved.path.display());
/// # Ok(())
/// # }
/// ```
///
/// The link stays open between the commands and is read all the time, so nothing is lost between asking and listening,
/// and no board is reset by opening it again.
#[derive(Debug)]
pub struct Device {
    driver: Driver<Collector>,
}

/// How to fetch a log.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The folder of all runs.
    pub artifacts: PathBuf,
    /// How often to ask again after a fault on the way.
    pub retries: u32,
    /// Whether a log without the device's checksum is asked for twice.
    pub verify: Verify,
    /// Whether `\r\n` becomes `\n` in a log that came between `BEGIN` and `END`. One with a size stays as it is.
    pub normalize_eol: bool,
    /// Bytes of the disk that must stay free; a log that would take them is refused at its header.
    pub keep_free: u64,
}

/// How a log is proven that comes without the device's checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verify {
    /// By its length and what follows it. Changed bytes pass.
    #[default]
    Once,
    /// By asking for it twice and comparing. It takes twice as long.
    Twice,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            artifacts: "artifacts".into(),
            retries: 1,
            verify: Verify::Once,
            normalize_eol: false,
            keep_free: 16 * 1024 * 1024,
        }
    }
}

/// How far an export is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// Asked, for the first time or again after this failure.
    Asked {
        /// Why it is asked again.
        after: Option<Failure>,
    },
    /// The header came.
    Begun {
        /// How many bytes it announces, if it does.
        announced: Option<u64>,
    },
    /// The log is here, and is asked for once more to compare.
    AskedTwice,
    /// Bytes of the body that have come so far.
    Received {
        /// How many.
        bytes: u64,
    },
    /// The device started anew.
    Reset,
}

/// What a device answered to `START` or `STOP`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reply {
    /// Everything it said in the time it was listened to. Untrusted.
    pub text: String,
}

/// Why there is no answer, or no log.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The export failed.
    Failed {
        /// Why.
        failure: Failure,
        /// Where what came of the log is, if anything did.
        partial: Option<PathBuf>,
    },
    /// The command was not one for now. Nothing was sent.
    Refused(CommandError),
    /// The link is closed.
    Gone,
    /// The device does not take what is sent to it.
    Stuck,
    /// The log could not be written.
    Disk {
        /// Where it was to be.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Device {
    /// Talks to a device over a link that is open, and writes the conversation down if that is wanted. It must be
    /// called within a tokio runtime.
    #[must_use]
    pub fn attach(link: Link, config: Config, trace: Option<Trace>) -> Self {
        let machine = Collector::new(config);
        let driver = match trace {
            Some(trace) => Driver::spawn_observed(trace.wrap(link), machine, move |event| {
                trace.record(&Record::Event(event.to_string()));
            }),
            None => Driver::spawn(link, machine),
        };
        Self { driver }
    }

    /// Listens for this time before anything is sent, and for two seconds after a boot banner: some boards start anew
    /// when their port is opened, and hear nothing meanwhile. Whether one did.
    ///
    /// # Errors
    /// When the link is closed.
    pub async fn settle(&mut self, time: Duration) -> Result<bool, Error> {
        let mut end = Instant::now() + time;
        let mut reset = false;
        while let Ok(event) = time::timeout_at(end.into(), self.driver.next_event()).await {
            match event.ok_or(Error::Gone)? {
                Event::Reset => {
                    reset = true;
                    end = end.max(Instant::now() + SETTLE);
                }
                Event::Closed => return Err(Error::Gone),
                _ => {}
            }
        }
        Ok(reset)
    }

    /// Asks the device to record, and listens for its answer for a second.
    ///
    /// # Errors
    /// When it answers with a line `ERROR…` or `ERR…`, and when the link is closed.
    pub async fn start(&mut self, run_id: &RunId) -> Result<Reply, Error> {
        let run_id = run_id.clone();
        self.driver
            .command(move |device, now| device.start(now, &run_id))
            .await??;
        self.reply().await
    }

    /// Asks the device to end its recording, and listens for its answer for a second.
    ///
    /// # Errors
    /// When it answers with a line `ERROR…` or `ERR…`, and when the link is closed.
    pub async fn stop(&mut self) -> Result<Reply, Error> {
        self.driver
            .command(|device, now| device.stop(now))
            .await??;
        self.reply().await
    }

    /// Sends these bytes as they are, and waits until the system has taken all of them.
    ///
    /// # Errors
    /// When the link is closed, and when the device takes no more for five seconds.
    pub async fn write(&mut self, bytes: impl Into<Vec<u8>>) -> Result<(), Error> {
        let bytes = bytes.into();
        self.driver
            .command(move |device, now| device.write(now, &bytes))
            .await??;
        let taken = time::timeout(WRITE_TIMEOUT, self.driver.flush()).await;
        Ok(taken.map_err(|_| Error::Stuck)??)
    }

    /// The next thing the device says or does, while nothing is being fetched; `None` when the link is closed.
    ///
    /// Cancel safe.
    pub async fn next_event(&mut self) -> Option<Event> {
        self.driver.next_event().await
    }

    /// Fetches the log of a run, asking again after a fault on the way, and saves it only when it is whole.
    ///
    /// Dropping the future cancels the export: what came is removed, and the next fetch may be asked for.
    ///
    /// # Errors
    /// When there is no whole log, and when it could not be saved. An earlier log stays as it is.
    pub async fn fetch(
        &mut self,
        run_id: &RunId,
        options: &Options,
        mut progress: impl FnMut(Progress),
    ) -> Result<Saved, Error> {
        let mut after = None;
        for left in (0..=options.retries).rev() {
            progress(Progress::Asked {
                after: after.take(),
            });
            match self.attempt(run_id, options, &mut progress).await {
                Err(Error::Failed { failure, .. }) if left > 0 && failure.is_retryable() => {
                    if failure == Failure::DeviceReset {
                        time::sleep(SETTLE).await;
                    }
                    after = Some(failure);
                }
                end => return end,
            }
        }
        Err(Error::Gone)
    }

    /// Gives up an export whose future was dropped, so that other commands are taken again.
    ///
    /// # Errors
    /// When the link is closed.
    pub async fn cancel(&mut self) -> Result<(), Error> {
        // That there is none is what was wanted.
        let _ = self
            .driver
            .command(|device, now| device.cancel(now))
            .await?;
        Ok(())
    }

    /// Closes the link.
    pub async fn close(self) {
        self.driver.close().await;
    }

    async fn attempt(
        &mut self,
        run_id: &RunId,
        options: &Options,
        progress: &mut impl FnMut(Progress),
    ) -> Result<Saved, Error> {
        let requested = SystemTime::now();
        let disk = |source| Error::Disk {
            path: options.artifacts.clone(),
            source,
        };
        let mut serial_log = open_log(&options.artifacts, run_id).map_err(disk)?;
        let mut part = Part::begin(options, run_id).map_err(disk)?;
        let mut keep = |piece: Piece<'_>| match piece {
            Piece::Begun(header) => part.begun(header),
            Piece::Body(bytes) => part.body(bytes),
        };
        let received = match self
            .receive(run_id, &mut serial_log, progress, &mut keep)
            .await
        {
            Ok(Ok(receipt)) => {
                self.verified(receipt, run_id, options, &mut serial_log, progress)
                    .await?
            }
            Ok(Err(failure)) => Err(failure),
            Err(Stop::Gone) => return Err(Error::Gone),
            Err(Stop::Disk(source)) => {
                self.cancel().await?;
                return Err(disk(source));
            }
        };
        match received {
            Ok(receipt) => part
                .publish(Manifest::new(run_id, &receipt, requested))
                .map_err(disk),
            Err(failure) => Err(part.failed(failure).map_err(disk)?),
        }
    }

    /// Asks for the log once more, if that is wanted and the device has not proven it.
    async fn verified(
        &mut self,
        mut receipt: Receipt,
        run_id: &RunId,
        options: &Options,
        serial_log: &mut SerialLog,
        progress: &mut impl FnMut(Progress),
    ) -> Result<Result<Receipt, Failure>, Error> {
        let is_proven = matches!(receipt.integrity, Integrity::Sha256 | Integrity::Crc32);
        if options.verify == Verify::Once || is_proven {
            return Ok(Ok(receipt));
        }
        progress(Progress::AskedTwice);
        let again = self
            .receive(run_id, serial_log, progress, &mut |_| Ok(()))
            .await;
        Ok(match again.map_err(|_| Error::Gone)? {
            Ok(again) if again.sha256 == receipt.sha256 => {
                receipt.integrity = Integrity::Twice;
                Ok(receipt)
            }
            Ok(_) => Err(Failure::Differs),
            Err(failure) => Err(failure),
        })
    }

    /// One export, handed on piece by piece.
    async fn receive(
        &mut self,
        run_id: &RunId,
        serial_log: &mut SerialLog,
        progress: &mut impl FnMut(Progress),
        keep: &mut (dyn FnMut(Piece<'_>) -> io::Result<()> + Send),
    ) -> Result<Result<Receipt, Failure>, Stop> {
        self.ask(run_id, serial_log).await.map_err(|_| Stop::Gone)?;
        let mut received = 0;
        loop {
            match self.driver.next_event().await.ok_or(Stop::Gone)? {
                Event::Chatter(bytes) => serial_log.write(&bytes),
                Event::Reset => progress(Progress::Reset),
                Event::Begun(header) => {
                    keep(Piece::Begun(&header)).map_err(Stop::Disk)?;
                    progress(Progress::Begun {
                        announced: size_of(&header),
                    });
                }
                Event::Body(bytes) => {
                    keep(Piece::Body(&bytes)).map_err(Stop::Disk)?;
                    received += bytes.len() as u64;
                    progress(Progress::Received { bytes: received });
                }
                Event::Finished(receipt) => return Ok(Ok(receipt)),
                Event::Failed { failure } => return Ok(Err(failure)),
                _ => {}
            }
        }
    }

    /// Asks, and passes over what an export whose future was dropped has left behind.
    async fn ask(&mut self, run_id: &RunId, serial_log: &mut SerialLog) -> Result<(), Error> {
        let run_id = run_id.clone();
        let export = move |device: &mut Collector, now| {
            // There is none to cancel as a rule.
            let _ = device.cancel(now);
            device.export(now, &run_id)
        };
        self.driver.command(export).await??;
        loop {
            match self.driver.next_event().await.ok_or(Error::Gone)? {
                Event::Chatter(bytes) => serial_log.write(&bytes),
                Event::Asked => return Ok(()),
                _ => {}
            }
        }
    }

    /// Listens until the device has said `OK` or `ERR`, or for a second.
    async fn reply(&mut self) -> Result<Reply, Error> {
        let end = Instant::now() + REPLY_TIMEOUT;
        let mut heard = Vec::new();
        while let Ok(event) = time::timeout_at(end.into(), self.driver.next_event()).await {
            match event.ok_or(Error::Gone)? {
                Event::Chatter(bytes) => heard.extend_from_slice(&bytes),
                Event::Closed => return Err(Error::Gone),
                _ => {}
            }
            let text = String::from_utf8_lossy(&heard);
            let mut whole = text
                .split_inclusive('\n')
                .filter(|line| line.ends_with('\n'));
            if let Some(line) = whole.find(|line| line.starts_with("OK") || line.starts_with("ERR"))
            {
                return answer(line, &text);
            }
            if heard.len() > LONGEST_REPLY {
                break;
            }
        }
        Ok(Reply {
            text: String::from_utf8_lossy(&heard).into_owned(),
        })
    }
}

fn open_log(artifacts: &Path, run_id: &RunId) -> io::Result<SerialLog> {
    SerialLog::open(&open_root(artifacts)?, run_id)
}

const fn size_of(header: &Header) -> Option<u64> {
    match header.framing {
        Framing::Sized { size } => Some(size),
        Framing::Marked { .. } => None,
    }
}

fn answer(line: &str, text: &str) -> Result<Reply, Error> {
    if line.starts_with("OK") {
        return Ok(Reply {
            text: text.to_owned(),
        });
    }
    let failure = Failure::DeviceError {
        text: line.trim().to_owned(),
    };
    Err(Error::Failed {
        failure,
        partial: None,
    })
}

/// What an export is handed on as.
enum Piece<'a> {
    Begun(&'a Header),
    Body(&'a [u8]),
}

/// Why an export ended before the device or the receiver ended it.
enum Stop {
    Gone,
    Disk(io::Error),
}

impl From<Gone> for Error {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

impl From<CommandError> for Error {
    fn from(error: CommandError) -> Self {
        Self::Refused(error)
    }
}

impl Error {
    /// The name that programs compare.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Failed { failure, .. } => failure.code(),
            Self::Refused(_) => "busy",
            Self::Disk { .. } => "disk",
            Self::Gone => "port_lost",
            Self::Stuck => "write_timeout",
        }
    }

    /// What to do, for programs.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Failed { failure, .. } => failure.hint().as_str(),
            Self::Refused(_) => "retry_export",
            Self::Disk { .. } => "check_disk",
            Self::Gone | Self::Stuck => "reconnect",
        }
    }

    /// Whether asking again may help without anybody doing anything.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Failed { failure, .. } => failure.is_retryable(),
            Self::Refused(_) | Self::Gone | Self::Stuck => true,
            Self::Disk { .. } => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { failure, partial } => {
                write!(f, "{failure}; {}", failure.hint())?;
                match partial {
                    Some(path) => write!(f, ". What came is in {}", path.display()),
                    None => Ok(()),
                }
            }
            Self::Refused(error) => error.fmt(f),
            Self::Gone => f.write_str("the connection to the device is over"),
            Self::Stuck => f.write_str(
                "the device takes nothing that is sent to it; unplug it and plug it in again",
            ),
            Self::Disk { path, source } => {
                write!(f, "{} could not be written: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {}

/// How long a device that has just started anew is left alone.
const SETTLE: Duration = Duration::from_secs(2);
/// How long `START` and `STOP` are listened to; the document gives them no answer.
const REPLY_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a device may take nothing, as with its flow control on.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// More than any answer.
const LONGEST_REPLY: usize = 16 * 1024;
