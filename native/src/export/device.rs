//! A device that records, at the other end of a link.

use std::{
    fs,
    time::{Duration, Instant},
};

use flylead_core::{
    export::{Answer, Collector, Config, Event, Failure, RunId},
    trace::Record,
};
use tokio::time;

use super::{
    Error, Journal, Options, Progress, Saved,
    fetch::{self, Attempt},
};
use crate::{Driver, Trace, link::Link};

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
    journal: Option<Journal>,
}

/// What a device answered to `START` or `STOP`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reply {
    /// Everything it said in the time it was listened to. Untrusted.
    pub text: String,
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
        Self {
            driver,
            journal: None,
        }
    }

    /// Shares open questions with the programs before and after this one, so that a late answer is known for one.
    #[must_use]
    pub fn remembering(mut self, journal: Option<Journal>) -> Self {
        self.journal = journal;
        self
    }

    /// Listens for this time before anything is sent, and for two seconds after a boot banner: some boards start anew
    /// when their port is opened, and read nothing meanwhile. Whether one did.
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
        let run_id = run_id.clone();
        self.driver
            .command(move |device, _| device.start(&run_id))
            .await??;
        self.reply().await
    }

    /// Asks the device to end its recording, and listens for its answer for a second.
    ///
    /// # Errors
    /// When it answers with a line `ERROR…` or `ERR…`, and when the link is closed.
    pub async fn stop(&mut self) -> Result<Reply, Error> {
        self.driver.command(|device, _| device.stop()).await??;
        self.reply().await
    }

    /// Sends these bytes as they are, and waits until the system has taken all of them.
    ///
    /// # Errors
    /// When the link is closed, and when the device takes no more for five seconds.
    pub async fn write(&mut self, bytes: impl Into<Vec<u8>>) -> Result<(), Error> {
        let bytes = bytes.into();
        self.driver
            .command(move |device, _| device.write(&bytes))
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

    /// Listens for this time while the device records, and hands on each line that it says. Untrusted.
    ///
    /// # Errors
    /// As soon as the device says a line `ERROR…` or `ERR…` or starts anew, for then it no longer records; and when the
    /// link is closed.
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
                return Err(Error::Recording { failure });
            }
        }
        Ok(())
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
                Ok(saved) => {
                    // The log is here: what was kept of the attempts before is worth nothing.
                    suspects.iter().for_each(|path| drop(fs::remove_file(path)));
                    return Ok(saved);
                }
                Err(error) => return Err(error),
            }
        }
        Err(Error::Gone)
    }

    /// Gives up an export whose future was dropped, so that other commands are taken again.
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

    /// The next thing the device says, while nothing is being fetched. Cancel safe.
    async fn next_said(&mut self) -> Result<Said, Error> {
        loop {
            match self.driver.next_event().await.ok_or(Error::Gone)? {
                Event::Chatter(bytes) => return Ok(Said::Bytes(bytes)),
                Event::Reset => return Ok(Said::Reset),
                Event::Closed => return Err(Error::Gone),
                // Of an export whose future was dropped.
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

/// What a device says outside of exports.
enum Said {
    Bytes(Vec<u8>),
    /// A boot banner was among the bytes before.
    Reset,
}

/// A device that said nothing for the whole of its time says nothing in another one.
fn is_worth_another(failure: &Failure) -> bool {
    failure.is_retryable() && !matches!(failure, Failure::NoHeader { .. })
}

fn refusal(line: &str) -> Option<Failure> {
    match Answer::read(line.as_bytes())? {
        Answer::Done => None,
        Answer::Refused { text } => Some(Failure::DeviceError { text }),
    }
}

/// The lines of a device, put together from what arrives.
#[derive(Debug, Default)]
struct Lines {
    unfinished: Vec<u8>,
}

impl Lines {
    fn feed(&mut self, bytes: &[u8], mut line: impl FnMut(&str)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.unfinished.extend_from_slice(part);
            if part.ends_with(b"\n") || self.unfinished.len() > LONGEST_REPLY {
                line(String::from_utf8_lossy(&self.unfinished).trim_end());
                self.unfinished.clear();
            }
        }
    }
}

/// How long a device that has just started anew is left alone.
const SETTLE: Duration = Duration::from_secs(2);
/// How long `START` and `STOP` are listened to; the document gives them no answer.
const REPLY_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a device may take nothing, as with its flow control on.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// More than any answer.
const LONGEST_REPLY: usize = 16 * 1024;
