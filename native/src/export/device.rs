//! A device that records, at the other end of a link.

use std::{
    fs, io,
    time::{Duration, Instant},
};

use flylead_core::{
    export::{Answer, Collector, Config, Event, Failure, RunId},
    rfc2217::{Control, Message},
    trace::Record,
};
use tokio::time;

use super::{
    Error, Journal, Mark, Options, Origin, Progress, Saved,
    fetch::{self, Attempt},
    story::{Story, lines::Lines},
};
use crate::{
    Driver, Trace,
    link::{self, Address, Link, LinkControls, OpenError},
    random_hex,
};

/// A device at the other end of a [`Link`].
///
/// ```no_run
/// # async fn collect() -> Result<(), Box<dyn std::error::Error>> {
/// use std::{path::Path, time::Duration};
/// use flylead_native::{export::{Device, Options}, link};
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
/// The link stays open between the commands and is read all the time, so nothing is lost between a request and its
/// answer, and no board is reset by reopening its port.
#[derive(Debug)]
pub struct Device {
    driver: Driver<Collector>,
    /// Controls of the line; `None` where the link has none.
    controls: Option<LinkControls>,
    config: Config,
    trace: Option<Trace>,
    /// Address at which the device can be found again.
    address: Option<Address>,
    journal: Option<Journal>,
    story: Story,
    mark: Option<Mark>,
    origin: Origin,
    absences: Absences,
}

/// Number of times that a device was unplugged since its last log, and the total time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Absences {
    pub(super) count: u32,
    pub(super) time: Duration,
}

/// Answer of a device to `START` or `STOP`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reply {
    /// Output of the device while it was listened to. Untrusted.
    pub text: String,
}

impl Device {
    /// Attaches to the device at the other end of an open link, and records the conversation if a trace is given. It
    /// must be called within a tokio runtime.
    #[must_use]
    pub fn attach(link: Link, config: Config, trace: Option<Trace>) -> Self {
        let story = Story::default();
        Self {
            controls: link.controls(),
            driver: drive(link, &config, trace.clone(), &story),
            config,
            trace,
            address: None,
            journal: None,
            story,
            mark: None,
            origin: Origin::default(),
            absences: Absences::default(),
        }
    }

    /// Opens the port and attaches to the device there, [`at`](Self::at) this address.
    ///
    /// # Errors
    /// Those of [`link::open`].
    pub async fn open(address: &Address, config: Config) -> Result<Self, OpenError> {
        let link = link::open(address).await?;
        Ok(Self::attach(link, config, None).at(address))
    }

    /// Shares state about this port with other programs: unanswered requests, the run being recorded, and the history
    /// of its lines. A device that was unplugged is found again.
    #[must_use]
    pub fn at(mut self, address: &Address) -> Self {
        // A board's name, or the only board there is, is looked up.
        let found = link::find(address).ok();
        let address = found.as_ref().unwrap_or(address);
        self.journal = Journal::of(address);
        self.mark = Mark::of(address);
        self.origin = Origin::of(address);
        self.story.open(address);
        self.address = comes_back(address).then(|| address.clone());
        self
    }

    /// Waits until an unplugged device has returned, and continues with it. Returns the time that this took.
    ///
    /// A device with a serial number is recognized at any port; any other device, only at its previous port.
    ///
    /// # Errors
    /// When the device does not return in time, and when its [address](Self::at) is unknown.
    pub async fn reopen(&mut self, within: Duration) -> Result<Duration, Error> {
        let address = self.address.clone().ok_or(Error::Gone)?;
        let began = Instant::now();
        loop {
            let there = whereabouts(&address, self.origin.serial_number.as_deref());
            let opened = link::open_within(&there, within.min(OPEN_TIMEOUT)).await;
            if let Ok(link) = opened {
                self.controls = link.controls();
                self.driver = drive(link, &self.config, self.trace.clone(), &self.story);
                if let Some(journal) = &mut self.journal {
                    journal.begin_again();
                }
                self.story.note("opened again");
                self.absences.count += 1;
                self.absences.time += began.elapsed();
                return Ok(began.elapsed());
            }
            if began.elapsed() >= within {
                return Err(Error::Gone);
            }
            time::sleep(RETURN_PAUSE).await;
        }
    }

    /// Listens for this time before anything is sent, and for two seconds after a boot banner: some boards restart when
    /// their port is opened, and ignore input meanwhile. Returns true if the board restarted.
    ///
    /// # Errors
    /// When the link is closed.
    pub async fn settle(&mut self, time: Duration) -> Result<bool, Error> {
        let mut end = Instant::now() + time;
        let mut reset = false;
        while let Ok(said) = time::timeout_at(end.into(), self.next_said()).await {
            if let Said::Reset = said? {
                reset = true;
                end = end.max(Instant::now() + SETTLE);
            }
        }
        Ok(reset)
    }

    /// Asks the device to record, and listens for its answer for a second.
    ///
    /// # Errors
    /// When it answers with a line `ERROR…` or `ERR…`, and when the link is closed.
    pub async fn start(&mut self, run_id: &RunId) -> Result<Reply, Error> {
        let asked = run_id.clone();
        self.story.sent(format!("START run_id={run_id}").as_bytes());
        self.driver
            .command(move |device, _| device.start(&asked))
            .await??;
        // From here on the device may record, even if its answer is never received.
        if let Some(mark) = &self.mark {
            mark.begin(run_id);
        }
        let reply = match self.reply().await {
            Ok(reply) if reply.text.trim_end().ends_with(PROMPT) => {
                Err(Error::refusal(NO_PROGRAM.to_owned()))
            }
            reply => reply,
        };
        if let Err(Error::Failed { .. }) = &reply {
            self.ended();
        }
        reply
    }

    /// Asks the device to end its recording, and listens for its answer for a second.
    ///
    /// # Errors
    /// When it answers with a line `ERROR…` or `ERR…`, and when the link is closed.
    pub async fn stop(&mut self) -> Result<Reply, Error> {
        self.story.sent(b"STOP");
        self.driver.command(|device, _| device.stop()).await??;
        self.ended();
        self.reply().await
    }

    /// Removes the mark of a recording that has ended.
    fn ended(&self) {
        if let Some(mark) = &self.mark {
            mark.end();
        }
    }

    /// Sends these bytes unchanged, and waits until the system has accepted all of them.
    ///
    /// # Errors
    /// When the link is closed, and when the device accepts no more data for five seconds.
    pub async fn write(&mut self, bytes: impl Into<Vec<u8>>) -> Result<(), Error> {
        let bytes = bytes.into();
        self.story.sent(&bytes);
        self.driver
            .command(move |device, _| device.write(&bytes))
            .await??;
        let taken = time::timeout(WRITE_TIMEOUT, self.driver.flush()).await;
        Ok(taken.map_err(|_| Error::Stuck)??)
    }

    /// Sets the given ones of the control lines DTR and RTS, in this order. Many boards then restart or wait for
    /// firmware.
    ///
    /// # Errors
    /// When the link has no such lines, and when the system refuses.
    pub fn set_lines(&mut self, dtr: Option<bool>, rts: Option<bool>) -> io::Result<()> {
        let lines = [dtr.map(Control::Dtr), rts.map(Control::Rts)];
        for line in lines.into_iter().flatten() {
            let controls = self.controls.as_ref().ok_or_else(|| {
                io::Error::new(io::ErrorKind::Unsupported, "there are no control lines")
            })?;
            controls.set(&Message::Control(line))?;
            self.story.note(&format!("{line:?}"));
        }
        Ok(())
    }

    /// Returns the next event of the device while no log is being fetched; `None` once the link is closed.
    ///
    /// Cancel safe.
    pub async fn next_event(&mut self) -> Option<Event> {
        self.driver.next_event().await
    }

    /// Listens for this time while the device records, and passes on each line that it prints. Untrusted.
    ///
    /// # Errors
    /// As soon as the device prints a line `ERROR…` or `ERR…` or restarts, because it no longer records then; and when
    /// the link is closed.
    pub async fn listen(
        &mut self,
        time: Duration,
        mut said: impl FnMut(&str),
    ) -> Result<(), Error> {
        let end = Instant::now() + time;
        let mut lines = Lines::default();
        let mut refused = None;
        while let Ok(next) = time::timeout_at(end.into(), self.next_said()).await {
            match next? {
                Said::Bytes(bytes) => lines.feed(&bytes, |line| {
                    said(line);
                    refused = refused.take().or_else(|| refusal(line));
                }),
                Said::Reset => refused = Some(Failure::DeviceReset),
            }
            if let Some(failure) = refused {
                self.ended();
                return Err(Error::Recording { failure });
            }
        }
        Ok(())
    }

    /// Fetches the log of a run, requesting it again after a transmission fault, and saves it only once it is complete.
    ///
    /// Dropping the future cancels the export: the received part is removed, and the next fetch may be requested.
    ///
    /// # Errors
    /// When no complete log arrives, and when it could not be saved. An earlier log stays as it is.
    pub async fn fetch(
        &mut self,
        run_id: &RunId,
        options: &Options,
        mut progress: impl FnMut(Progress) + Send,
    ) -> Result<Saved, Error> {
        let (mut after, mut suspects) = (None, Vec::new());
        for left in (0..=options.retries).rev() {
            progress(Progress::Asked {
                after: after.take(),
            });
            let attempt = Attempt {
                driver: &mut self.driver,
                journal: &mut self.journal,
                story: &self.story,
                origin: &mut self.origin,
                absences: self.absences,
                said: Lines::default(),
                run_id,
                options,
                progress: &mut progress,
            };
            match attempt.run().await {
                Err(Error::Failed { failure, kept, .. })
                    if left > 0 && is_worth_another(&failure) =>
                {
                    suspects.extend(kept);
                    if failure == Failure::DeviceReset {
                        time::sleep(SETTLE).await;
                    }
                    after = Some(failure);
                }
                Err(error) if left > 0 && self.address.is_some() && is_unplugged(&error) => {
                    if self.reopen(options.return_within).await.is_err() {
                        return Err(error);
                    }
                    suspects.extend(error.kept().cloned());
                    after = Some(Failure::PortLost);
                }
                Ok(saved) => {
                    // The log is complete, so the data kept from earlier attempts is worthless.
                    suspects.iter().for_each(|path| drop(fs::remove_file(path)));
                    self.absences = Absences::default();
                    return Ok(saved);
                }
                Err(error) => return Err(error),
            }
        }
        Err(Error::Gone)
    }

    /// Cancels an export whose future was dropped, so that other commands are accepted again.
    ///
    /// # Errors
    /// When the link is closed.
    pub async fn cancel(&mut self) -> Result<(), Error> {
        Ok(fetch::cancel(&mut self.driver).await?)
    }

    /// Closes the link.
    pub async fn close(self) {
        self.driver.close().await;
    }

    /// Returns the device's next output while no log is being fetched. Cancel safe.
    async fn next_said(&mut self) -> Result<Said, Error> {
        loop {
            match self.driver.next_event().await.ok_or(Error::Gone)? {
                Event::Chatter(bytes) => return Ok(Said::Bytes(bytes)),
                Event::Reset => return Ok(Said::Reset),
                Event::Closed => return Err(Error::Gone),
                // Events of an export whose future was dropped.
                Event::Asked
                | Event::Begun(_)
                | Event::Body(_)
                | Event::Finished(_)
                | Event::Failed { .. } => {}
            }
        }
    }

    /// Listens until the device has answered with `OK` or `ERR`, or for a second.
    async fn reply(&mut self) -> Result<Reply, Error> {
        let end = Instant::now() + REPLY_TIMEOUT;
        let mut reply = Reply::default();
        let mut lines = Lines::default();
        while let Ok(said) = time::timeout_at(end.into(), self.next_said()).await {
            let mut answer = None;
            if let Said::Bytes(bytes) = said? {
                reply.text.push_str(&String::from_utf8_lossy(&bytes));
                lines.feed(&bytes, |line| {
                    answer = answer.take().or_else(|| Answer::read(line.as_bytes()));
                });
            }
            match answer {
                Some(Answer::Refused { text }) => return Err(Error::refusal(text)),
                Some(Answer::Done) => break,
                None if reply.text.len() > LONGEST_REPLY => break,
                None => {}
            }
        }
        Ok(reply)
    }
}

/// End of the answer of a board at which no program reads lines.
const PROMPT: &str = ">>>";
const NO_PROGRAM: &str = ">>>, Python's prompt: its recording program is not running; `flylead run --no-follow FILE` starts it";

/// Output of a device outside of exports.
enum Said {
    Bytes(Vec<u8>),
    /// The output before this contained a boot banner.
    Reset,
}

/// Returns true if another attempt may help. A device that was silent for a whole attempt stays silent in the next one.
fn is_worth_another(failure: &Failure) -> bool {
    failure.is_retryable() && !matches!(failure, Failure::NoHeader { .. })
}

/// Runs a receiver on a link, and records its history.
fn drive(link: Link, config: &Config, trace: Option<Trace>, story: &Story) -> Driver<Collector> {
    let mut config = config.clone();
    config.first_request = u32::from_str_radix(&random_hex::<3>(), 16).unwrap_or(1);
    let machine = Collector::new(config);
    let story = story.clone();
    match trace {
        Some(trace) => Driver::spawn_observed(trace.wrap(link), machine, move |event| {
            story.happened(event);
            trace.record(&Record::Event(event.to_string()));
        }),
        None => Driver::spawn_observed(link, machine, move |event| story.happened(event)),
    }
}

const fn is_unplugged(error: &Error) -> bool {
    matches!(
        error,
        Error::Gone
            | Error::Failed {
                failure: Failure::PortLost,
                ..
            }
    )
}

/// Returns true for a port at which an unplugged device comes back. The system gives the number of a pseudo-terminal to
/// the next program that requests one, so another device may be there; a link to a pseudo-terminal is trusted.
fn comes_back(address: &Address) -> bool {
    match address {
        Address::Serial { path, .. } => !path.starts_with("/dev/pts/"),
        Address::Id(_) | Address::Rfc2217 { .. } => true,
        _ => false,
    }
}

/// Returns the current address of the device that was at this address.
fn whereabouts(address: &Address, id: Option<&str>) -> Address {
    let mut there = address.clone();
    if let (Address::Serial { path, .. }, Some(id)) = (&mut there, id) {
        let ports = link::ports().unwrap_or_default();
        if let Some(port) = link::same_board(&ports, path, Some(id)) {
            path.clone_from(&port.path);
        }
    }
    there
}

fn refusal(line: &str) -> Option<Failure> {
    match Answer::read(line.as_bytes())? {
        Answer::Done => None,
        Answer::Refused { text } => Some(Failure::DeviceError { text }),
    }
}

/// Pause for a device that has just restarted.
const SETTLE: Duration = Duration::from_secs(2);
/// Time to listen for an answer to `START` and `STOP`; the document does not define one.
const REPLY_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for which a device may refuse data, for example by flow control.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// Limit of a reply in bytes, longer than any answer.
const LONGEST_REPLY: usize = 16 * 1024;
/// Time limit of one attempt to open a port.
const OPEN_TIMEOUT: Duration = Duration::from_secs(2);
const RETURN_PAUSE: Duration = Duration::from_millis(50);
