//! A log on its way from a device to the disk.

mod line_ends;
pub(crate) mod options;
mod part;

use std::{io, time::SystemTime};

use flylead_core::export::{Collector, Event, Failure, Header, Integrity, Receipt, RunId};

use super::{
    Error, Journal, Manifest, Options, Origin, Progress, Saved, Verify,
    device::Absences,
    save::open_root,
    story::{Story, lines::Lines, serial_log::SerialLog},
};
use crate::{Driver, Gone};
use part::{Part, Refused};

/// One attempt to fetch a log.
pub(super) struct Attempt<'a> {
    pub(super) driver: &'a mut Driver<Collector>,
    pub(super) journal: &'a mut Option<Journal>,
    pub(super) story: &'a Story,
    pub(super) origin: &'a mut Origin,
    pub(super) absences: Absences,
    pub(super) said: Lines,
    pub(super) run_id: &'a RunId,
    pub(super) options: &'a Options,
    pub(super) progress: &'a mut (dyn FnMut(Progress) + Send),
}

/// Piece of an export for the caller.
enum Piece<'a> {
    Begun(&'a Header),
    Body(&'a [u8]),
}

/// Result of one export, as the receiver reports it.
type End = Result<Receipt, Refused>;

/// Reason why an export ended before the device or the receiver ended it.
enum Stop {
    Gone,
    Disk(io::Error),
}

impl From<Gone> for Stop {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

impl Attempt<'_> {
    pub(super) async fn run(mut self) -> Result<Saved, Error> {
        match self.save().await {
            Ok(end) => end,
            Err(Stop::Gone) => Err(Error::Gone),
            Err(Stop::Disk(source)) => {
                cancel(self.driver).await?;
                Err(Error::Disk {
                    path: self.options.artifacts.clone(),
                    source,
                })
            }
        }
    }

    async fn save(&mut self) -> Result<Result<Saved, Error>, Stop> {
        let requested = SystemTime::now();
        let mut serial_log = open_root(&self.options.artifacts)
            .and_then(|root| SerialLog::open(&root, self.run_id))
            .map_err(Stop::Disk)?;
        let mut part = Part::begin(self.options, self.run_id).map_err(Stop::Disk)?;
        let mut keep = |piece: Piece<'_>| match piece {
            Piece::Begun(header) => part.begun(header),
            Piece::Body(bytes) => part.body(bytes),
        };
        let end = match self.receive(&mut serial_log, &mut keep).await? {
            Ok(receipt) => self.verify(receipt, &mut serial_log).await?,
            failed => failed,
        };
        match end {
            Ok(receipt) => part.publish(self.manifest(&receipt, requested)).map(Ok),
            Err(refused) => part.failed(refused).map(Err),
        }
        .map_err(Stop::Disk)
    }

    fn manifest(&self, receipt: &Receipt, requested: SystemTime) -> Manifest {
        let mut manifest = Manifest::new(self.run_id, receipt, requested, self.origin.clone());
        let Absences { count, time } = self.absences;
        if count > 0 {
            manifest.warnings.push(format!(
                "the device was unplugged {count} times, for {:.1} s in all: rows may be missing",
                time.as_secs_f32()
            ));
        }
        manifest
    }

    /// Requests the log once more for comparison, if that is wanted and the device has not proven the log.
    async fn verify(
        &mut self,
        mut receipt: Receipt,
        serial_log: &mut SerialLog,
    ) -> Result<End, Stop> {
        if self.options.verify == Verify::Once || receipt.integrity.is_proof() {
            return Ok(Ok(receipt));
        }
        (self.progress)(Progress::AskedTwice);
        let again = self.receive(serial_log, &mut |_| Ok(())).await?;
        Ok(match again {
            Ok(again) if again.sha256 != receipt.sha256 => Err(Refused {
                failure: Failure::Differs,
                doubts: Vec::new(),
                quotes: Vec::new(),
            }),
            Ok(_) if receipt.integrity == Integrity::Accepted => Ok(receipt),
            Ok(_) => {
                receipt.integrity = Integrity::Twice;
                Ok(receipt)
            }
            failed => failed,
        })
    }

    /// Receives one export, and passes it on piece by piece.
    async fn receive(
        &mut self,
        serial_log: &mut SerialLog,
        keep: &mut (dyn FnMut(Piece<'_>) -> io::Result<()> + Send),
    ) -> Result<End, Stop> {
        self.ask(serial_log).await?;
        let mut received = 0;
        loop {
            match self.driver.next_event().await.ok_or(Stop::Gone)? {
                Event::Chatter(bytes) => {
                    serial_log.write(&bytes);
                    let origin = &mut *self.origin;
                    self.said.feed(&bytes, |line| origin.read(line.as_bytes()));
                }
                Event::Reset => (self.progress)(Progress::Reset),
                Event::Begun(header) => {
                    self.remember().await?;
                    keep(Piece::Begun(&header)).map_err(Stop::Disk)?;
                    let announced = header.framing.size();
                    (self.progress)(Progress::Begun { announced });
                }
                Event::Body(bytes) => {
                    keep(Piece::Body(&bytes)).map_err(Stop::Disk)?;
                    received += bytes.len() as u64;
                    (self.progress)(Progress::Received { bytes: received });
                }
                Event::Finished(receipt) => {
                    self.remember().await?;
                    return Ok(Ok(receipt));
                }
                Event::Failed {
                    failure,
                    doubts,
                    quotes,
                } => {
                    // A link that has closed answers nothing any more, and the questions stay open.
                    let _ = self.remember().await;
                    return Ok(Err(Refused {
                        failure,
                        doubts,
                        quotes,
                    }));
                }
                Event::Closed => return Err(Stop::Gone),
                Event::Asked => {}
            }
        }
    }

    /// Records which requests are open now.
    async fn remember(&mut self) -> Result<(), Gone> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        let open = |device: &mut Collector, _| device.unanswered().cloned().collect();
        journal.keep(self.driver.command(open).await?);
        Ok(())
    }

    /// Requests the log, and skips events left behind by an export whose future was dropped.
    async fn ask(&mut self, serial_log: &mut SerialLog) -> Result<(), Stop> {
        let run_id = self.run_id.clone();
        let accept = self.options.accept.clone();
        let late = self.journal.as_mut().map(|journal| {
            let late = journal.take_late();
            journal.asked(&run_id);
            late
        });
        let export = move |device: &mut Collector, now| {
            // Usually there is no export to cancel.
            let _ = device.cancel();
            for (run_id, left) in late.unwrap_or_default() {
                device.expect_late(&run_id, now + left);
            }
            device.export_accepting(now, &run_id, &accept)
        };
        self.story
            .sent(format!("EXPORT run_id={}", self.run_id).as_bytes());
        // The request is refused only if the link is closed: there is no other export now.
        self.driver.command(export).await?.map_err(|_| Stop::Gone)?;
        loop {
            match self.driver.next_event().await.ok_or(Stop::Gone)? {
                Event::Chatter(bytes) => serial_log.write(&bytes),
                Event::Asked => return Ok(()),
                Event::Closed => return Err(Stop::Gone),
                Event::Reset
                | Event::Begun(_)
                | Event::Body(_)
                | Event::Finished(_)
                | Event::Failed { .. } => {}
            }
        }
    }
}

/// Cancels the current export, if there is one.
pub(super) async fn cancel(driver: &mut Driver<Collector>) -> Result<(), Gone> {
    // If there is no export, nothing needs to be cancelled.
    let _ = driver.command(|device, _| device.cancel()).await?;
    Ok(())
}
