//! The one owner of an open port.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use flylead::{
    export::{Device, Error, Options, Progress, Saved, Verify},
    link::Link,
};
use flylead_core::export::{Config, Event, RunId};
use tokio::{
    sync::{Notify, mpsc, oneshot, watch},
    task::JoinHandle,
    time,
};

use super::{
    answer::{Fault, Status},
    ports::Settings,
};

/// A port that is open, read all the time, and asked by messages.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) baud: u32,
    jobs: mpsc::Sender<Job>,
    status: Arc<watch::Sender<Status>>,
    heard: Arc<Mutex<Heard>>,
    cancel: Arc<Notify>,
    task: JoinHandle<()>,
    artifacts: PathBuf,
    notice: Mutex<Option<String>>,
}

#[derive(Debug)]
enum Job {
    Write {
        data: Vec<u8>,
        done: oneshot::Sender<Result<(), Error>>,
    },
    Export {
        run_id: RunId,
        verify: Verify,
    },
}

/// What the device has said and nobody has read; the newest part of it.
#[derive(Debug, Default)]
struct Heard {
    bytes: VecDeque<u8>,
}

impl Worker {
    pub(super) fn spawn(link: Link, config: Config, baud: u32, settings: &Settings) -> Self {
        let (jobs, jobs_in) = mpsc::channel(1);
        let idle = Status {
            ok: true,
            state: "idle".into(),
            ..Status::default()
        };
        let status = Arc::new(watch::Sender::new(idle));
        let heard = Arc::new(Mutex::default());
        let cancel = Arc::new(Notify::new());
        let mut options = Options::default();
        options.artifacts.clone_from(&settings.artifacts);
        let owner = Owner {
            device: Device::attach(link, config, None),
            options,
            status: Arc::clone(&status),
            heard: Arc::clone(&heard),
            cancel: Arc::clone(&cancel),
        };
        Self {
            baud,
            jobs,
            status,
            heard,
            cancel,
            task: tokio::spawn(owner.run(jobs_in, settings.idle_close)),
            artifacts: settings.artifacts.clone(),
            notice: Mutex::default(),
        }
    }

    /// The same, of a port that was open at another speed, or of a device that was elsewhere.
    pub(super) fn instead_of(self, baud: Option<u32>, moved: Option<String>) -> Self {
        let notice = baud.filter(|baud| *baud != self.baud).map(|baud| {
            format!(
                "the port was open at {baud} baud and is at {} now; a board may have started anew by that",
                self.baud
            )
        });
        Self {
            notice: Mutex::new(notice.or(moved)),
            ..self
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.jobs.is_closed()
    }

    pub(super) fn has_export(&self, export_id: &str) -> bool {
        self.status.borrow().export_id.as_deref() == Some(export_id)
    }

    /// Refuses while an export is under way.
    pub(super) fn check_free(&self) -> Result<(), Fault> {
        let status = self.status.borrow();
        match (is_over(&status), &status.export_id) {
            (false, Some(id)) => {
                let message =
                    format!("the export {id} is under way on this port; wait for it or cancel it");
                Err(Fault::new("busy", message, true))
            }
            _ => Ok(()),
        }
    }

    pub(super) async fn write(&self, data: Vec<u8>) -> Result<(), Fault> {
        self.check_free()?;
        let (done, is_done) = oneshot::channel();
        self.jobs
            .send(Job::Write { data, done })
            .await
            .map_err(|_| closed())?;
        Ok(is_done.await.map_err(|_| closed())??)
    }

    /// Begins to fetch a log in the background.
    pub(super) async fn export(&self, run_id: RunId, verify: Verify) -> Result<Status, Fault> {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        self.check_free()?;
        let log = self.artifacts.join(run_id.as_str()).join("sd/log.csv");
        let asked = Status {
            ok: true,
            state: "waiting_header".into(),
            hint: Some(NEXT.into()),
            export_id: Some(format!(
                "{run_id}-{}",
                COUNT.fetch_add(1, Ordering::Relaxed)
            )),
            run_id: Some(run_id.to_string()),
            expected_path: Some(log.display().to_string()),
            device_reset_seen: self.status.borrow().device_reset_seen,
            warnings: self.take_notice().into_iter().collect(),
            ..Status::default()
        };
        self.status.send_replace(asked.clone());
        self.jobs
            .send(Job::Export { run_id, verify })
            .await
            .map_err(|_| closed())?;
        Ok(asked)
    }

    pub(super) fn status(&self) -> Status {
        let mut status = self.status.borrow().clone();
        if self.is_closed() && is_over(&status) && status.state == "idle" {
            status.state = "closed".into();
        }
        status
    }

    /// What is to be known of how the port was opened; said once.
    pub(super) fn take_notice(&self) -> Option<String> {
        self.notice
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// What the device has said since the last time, in lines; the oldest part of it, when it has said much.
    pub(super) fn take_lines(&self) -> Vec<String> {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = heard.take();
        String::from_utf8_lossy(&bytes)
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// A way to wait for news that does not hold the port's place.
    pub(super) fn watch(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    pub(super) fn cancel(&self) {
        self.cancel.notify_one();
    }

    /// Closes the port, and returns when it is closed.
    pub(super) async fn close(self) {
        drop(self.jobs);
        // A worker's panic has been reported by its own thread.
        let _ = self.task.await;
    }
}

/// What the worker's task holds.
struct Owner {
    device: Device,
    options: Options,
    status: Arc<watch::Sender<Status>>,
    heard: Arc<Mutex<Heard>>,
    cancel: Arc<Notify>,
}

impl Owner {
    async fn run(mut self, mut jobs: mpsc::Receiver<Job>, idle_close: Duration) {
        loop {
            let idle = time::sleep(idle_close);
            tokio::select! {
                job = jobs.recv() => match job {
                    Some(job) => self.work(job).await,
                    None => break,
                },
                () = self.listen() => break,
                () = idle => break,
            }
        }
        jobs.close();
        // What was asked of a port that has just closed gets an answer too.
        while jobs.try_recv().is_ok() {
            self.status
                .send_modify(|status| end(status, "failed", Some(closed())));
        }
        self.status.send_modify(|_| ());
        self.device.close().await;
    }

    /// Listens until the link closes. Cancel safe.
    async fn listen(&mut self) {
        loop {
            match self.device.next_event().await {
                Some(Event::Chatter(bytes)) => {
                    self.heard
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .add(&bytes);
                    self.status.send_modify(|_| ());
                }
                Some(Event::Reset) => self
                    .status
                    .send_modify(|status| status.device_reset_seen = true),
                Some(Event::Closed) | None => return,
                Some(_) => {}
            }
        }
    }

    async fn work(&mut self, job: Job) {
        match job {
            // Whoever asked may have stopped waiting.
            Job::Write { data, done } => drop(done.send(self.device.write(data).await)),
            Job::Export { run_id, verify } => {
                self.options.verify = verify;
                self.export(&run_id).await;
            }
        }
    }

    async fn export(&mut self, run_id: &RunId) {
        let status = &self.status;
        let mut began = Instant::now();
        let progress = |progress| status.send_modify(|status| follow(status, progress, &mut began));
        let fetched = tokio::select! {
            fetched = self.device.fetch(run_id, &self.options, progress) => Some(fetched),
            () = self.cancel.notified() => None,
        };
        if fetched.is_none() {
            // It is gone, and cancelled thereby.
            let _ = self.device.cancel().await;
        }
        self.status.send_modify(|status| match fetched {
            Some(Ok(saved)) => finish(status, &saved),
            Some(Err(error)) => {
                let hint = error.hint();
                end(status, "failed", Some(error.into()));
                status.hint = Some(hint.to_owned());
            }
            None => end(status, "cancelled", None),
        });
    }
}

impl Heard {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(LONGEST_UNREAD);
        self.bytes.drain(..excess);
    }

    /// As much as one answer may hold, in whole lines if there is one.
    fn take(&mut self) -> Vec<u8> {
        let length = self.bytes.len().min(LONGEST_READ);
        let lines = self
            .bytes
            .iter()
            .take(length)
            .rposition(|byte| *byte == b'\n');
        let end = match lines {
            Some(newline) if length < self.bytes.len() => newline + 1,
            _ => length,
        };
        self.bytes.drain(..end).collect()
    }
}

pub(super) fn is_over(status: &Status) -> bool {
    !matches!(
        status.state.as_str(),
        "waiting_header" | "receiving" | "verifying"
    )
}

fn follow(status: &mut Status, progress: Progress, began: &mut Instant) {
    match progress {
        Progress::Asked { .. } => status.state = "waiting_header".into(),
        Progress::Begun { announced } => {
            *began = Instant::now();
            status.state = "receiving".into();
            status.bytes_total = announced;
            status.bytes_received = Some(0);
        }
        Progress::Received { bytes } => received(status, bytes, began.elapsed()),
        Progress::Reset => status.device_reset_seen = true,
        _ => {}
    }
}

fn received(status: &mut Status, bytes: u64, elapsed: Duration) {
    let millis = u64::try_from(elapsed.as_millis())
        .unwrap_or(u64::MAX)
        .max(1);
    let rate = bytes.saturating_mul(1000) / millis;
    status.bytes_received = Some(bytes);
    status.rate = Some(rate);
    status.eta_s = status
        .bytes_total
        .map(|total| total.saturating_sub(bytes) / rate.max(1));
    if status.bytes_total == Some(bytes) {
        status.state = "verifying".into();
    }
}

fn finish(status: &mut Status, saved: &Saved) {
    end(status, "done", None);
    status.bytes_received = Some(saved.manifest.bytes);
    status.path = Some(saved.path.display().to_string());
    status.sha256 = Some(saved.manifest.sha256.clone());
    status.integrity = Some(saved.manifest.integrity.as_str().to_owned());
    status.warnings.clone_from(&saved.manifest.warnings);
}

fn end(status: &mut Status, state: &str, error: Option<Fault>) {
    status.state = state.to_owned();
    status.hint = None;
    status.eta_s = None;
    status.ok = error.is_none();
    status.error = error;
}

fn closed() -> Fault {
    Fault::new(
        "port_lost",
        "the port has closed; ask again to open it anew",
        true,
    )
}

/// The tool that goes on.
pub(super) const NEXT: &str = "monitor_read_next";
/// What is kept of a device's words until somebody reads them.
const LONGEST_UNREAD: usize = 4 * 1024 * 1024;
/// What one answer holds of them.
const LONGEST_READ: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f24_one_reading_is_at_most_64_kib_of_whole_lines_and_the_newest_4_mib_are_kept() {
        let mut heard = Heard::default();
        heard.add(b"first\n");
        for _ in 0..50 {
            heard.add(&b"0123456789abcde\n".repeat(8 * 1024));
        }
        assert_eq!(heard.bytes.len(), LONGEST_UNREAD);
        let read = heard.take();
        assert!(read.len() <= LONGEST_READ && read.ends_with(b"\n"));
        assert!(!read.starts_with(b"first"));
        let mut readings = 1;
        while !heard.take().is_empty() {
            readings += 1;
        }
        assert_eq!(readings, LONGEST_UNREAD / LONGEST_READ);
        heard.add(b"a prompt without an end");
        assert_eq!(heard.take(), b"a prompt without an end");
    }
}
