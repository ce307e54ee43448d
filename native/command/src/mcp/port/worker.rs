//! Sole owner of an open port, for devices that record.

use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use flylead_core::export::{Config, Doubt, Event, RunId};
use flylead_native::{
    Trace,
    export::{Device, Error, Options, Progress, Saved, Verify},
    link::Link,
};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    task::JoinHandle,
};

use super::Port;
use crate::mcp::{
    answer::{Fault, Status},
    gate::Passed,
    logs,
    names::NEXT,
    server::settings::Settings,
};

/// An open port that is read all the time and controlled by messages.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) baud: u32,
    port: Arc<Port>,
    jobs: mpsc::Sender<Job>,
    task: JoinHandle<()>,
    options: Options,
}

#[derive(Debug)]
enum Job {
    Write {
        data: Vec<u8>,
        done: oneshot::Sender<Result<(), Error>>,
    },
    SetLines {
        dtr: Option<bool>,
        rts: Option<bool>,
        done: oneshot::Sender<io::Result<()>>,
    },
    Export {
        run_id: RunId,
        options: Options,
        cancel: Arc<Notify>,
    },
}

impl Worker {
    /// Starts a worker that owns the port's link.
    pub(crate) fn spawn(
        port: &Arc<Port>,
        link: Link,
        baud: u32,
        config: Config,
        trace: Option<Trace>,
        settings: &Settings,
    ) -> Self {
        let (jobs, jobs_in) = mpsc::channel(1);
        let mut options = Options::default();
        options.artifacts.clone_from(&settings.artifacts);
        let owner = Owner {
            port: Arc::clone(port),
            device: Device::attach(link, config, trace).at(&port.address(baud)),
        };
        Self {
            baud,
            port: Arc::clone(port),
            jobs,
            task: tokio::spawn(owner.run(jobs_in, settings.idle_close)),
            options,
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.jobs.is_closed()
    }

    /// Sends bytes that have passed the gate, and returns once the system has accepted them.
    pub(crate) async fn write(&self, data: Vec<u8>, _: &Passed) -> Result<(), Fault> {
        self.port.sending(&data);
        self.send(data).await
    }

    async fn send(&self, data: Vec<u8>) -> Result<(), Fault> {
        Ok(self.done(|done| Job::Write { data, done }).await??)
    }

    /// Sets the given ones of DTR and RTS.
    pub(crate) async fn set_lines(
        &self,
        (dtr, rts): (Option<bool>, Option<bool>),
        _: &Passed,
    ) -> Result<(), Fault> {
        if (dtr, rts) == (None, None) {
            return Ok(());
        }
        let set = self.done(|done| Job::SetLines { dtr, rts, done }).await?;
        set.map_err(|error| Fault::argument(format!("DTR and RTS cannot be set: {error}")))
    }

    /// Passes a job to the worker, and returns its result.
    async fn done<T>(&self, job: impl FnOnce(oneshot::Sender<T>) -> Job) -> Result<T, Fault> {
        let (done, is_done) = oneshot::channel();
        self.jobs.send(job(done)).await.map_err(|_| closed())?;
        is_done.await.map_err(|_| closed())
    }

    /// Interrupts the program that was left to run on a board, and takes the board out of raw mode: Ctrl-C, then Ctrl-B.
    pub(crate) async fn interrupt(&self) -> Result<(), Fault> {
        for key in [INTERRUPT, LEAVE_RAW] {
            self.send(key.to_vec()).await?;
            tokio::time::sleep(A_MOMENT).await;
        }
        Ok(())
    }

    /// Begins to fetch a log in the background.
    pub(crate) async fn export(
        &self,
        run_id: RunId,
        verify: Verify,
        accept: Vec<Doubt>,
    ) -> Result<Status, Fault> {
        let mut asked = asked(&self.options.artifacts, &run_id);
        asked.warnings.extend(self.port.take_notice());
        let cancel = self.port.begin_export(asked.clone());
        let mut options = self.options.clone();
        options.verify = verify;
        options.accept = accept;
        let job = Job::Export {
            run_id,
            options,
            cancel,
        };
        if self.jobs.send(job).await.is_err() {
            self.port
                .end_export(|status| end(status, "failed", Some(closed())));
            return Err(closed());
        }
        Ok(asked)
    }

    /// Closes the port, and returns when it is closed.
    pub(crate) async fn close(self) {
        drop(self.jobs);
        // A panic of the worker has already been reported by its own thread.
        let _ = self.task.await;
    }
}

fn asked(artifacts: &Path, run_id: &RunId) -> Status {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let log = artifacts.join(run_id.as_str()).join("sd/log.csv");
    Status {
        ok: true,
        state: "waiting_header".into(),
        hint: Some(NEXT.into()),
        export_id: Some(format!("{run_id}-{number}")),
        run_id: Some(run_id.to_string()),
        expected_path: Some(log.display().to_string()),
        ..Status::default()
    }
}

/// State of the worker's task.
struct Owner {
    port: Arc<Port>,
    device: Device,
}

impl Owner {
    async fn run(mut self, mut jobs: mpsc::Receiver<Job>, idle_close: Duration) {
        let port = Arc::clone(&self.port);
        let why = loop {
            tokio::select! {
                job = jobs.recv() => match job {
                    Some(job) => self.work(job).await,
                    None => break "the port was closed for another call",
                },
                () = self.listen() => break "the device has gone",
                () = port.idle(idle_close) => break "the port was closed because it was idle",
                () = port.wanted() => break "the port was passed on to another tool that waits for it",
            }
        };
        jobs.close();
        // Requests to a port that has just closed get an answer too.
        while let Ok(job) = jobs.try_recv() {
            if let Job::Export { .. } = job {
                port.end_export(|status| end(status, "failed", Some(closed())));
            }
        }
        self.device.close().await;
        port.closed(why);
    }

    /// Listens until the link closes. Cancel safe.
    async fn listen(&mut self) {
        loop {
            match self.device.next_event().await {
                Some(Event::Chatter(bytes)) => self.port.received(&bytes),
                Some(Event::Reset) => self.port.reset_seen(),
                Some(Event::Closed) | None => return,
                // Events of a cancelled export.
                Some(
                    Event::Asked
                    | Event::Begun(_)
                    | Event::Body(_)
                    | Event::Finished(_)
                    | Event::Failed { .. },
                ) => {}
            }
        }
    }

    async fn work(&mut self, job: Job) {
        match job {
            // The caller may have stopped waiting.
            Job::Write { data, done } => drop(done.send(self.device.write(data).await)),
            Job::SetLines { dtr, rts, done } => drop(done.send(self.device.set_lines(dtr, rts))),
            Job::Export {
                run_id,
                options,
                cancel,
            } => self.export(&run_id, &options, &cancel).await,
        }
    }

    async fn export(&mut self, run_id: &RunId, options: &Options, cancel: &Notify) {
        let port = &self.port;
        let mut began = Instant::now();
        let progress = |progress| {
            if progress == Progress::Reset {
                port.reset_seen();
            }
            port.export_goes_on(|status| follow(status, progress, &mut began));
        };
        let fetched = tokio::select! {
            fetched = self.device.fetch(run_id, options, progress) => Some(fetched),
            () = cancel.notified() => None,
        };
        if fetched.is_none() {
            // The future of the fetch is gone; cancel its export so that the device accepts commands again.
            let _ = self.device.cancel().await;
        }
        let ended = match fetched {
            Some(Ok(saved)) => done(&saved).await,
            Some(Err(error)) => Box::new(|status: &mut Status| {
                let hint = error.hint();
                end(status, "failed", Some(error.into()));
                status.hint = Some(hint.to_owned());
            }),
            None => Box::new(|status: &mut Status| end(status, "cancelled", None)) as Change,
        };
        self.port.end_export(ended);
    }
}

type Change = Box<dyn FnOnce(&mut Status) + Send>;

/// Reports a saved log, whose content is read back from the disk.
async fn done(saved: &Saved) -> Change {
    let manifest = saved.manifest.clone();
    let path = saved.path.clone();
    let read = path.clone();
    let summary = tokio::task::spawn_blocking(move || logs::summary(&read)).await;
    let summary = summary.ok().and_then(Result::ok);
    Box::new(move |status| {
        end(status, "done", None);
        status.bytes_received = Some(manifest.bytes);
        status.path = Some(path.display().to_string());
        status.resource = Some(logs::uri(&manifest.run_id));
        status.log = summary;
        status.sha256 = Some(manifest.sha256);
        status.integrity = Some(manifest.integrity.as_str().to_owned());
        status.proven = Some(manifest.proven);
        status.warnings.extend(manifest.warnings);
        let accepted = manifest.accepted.iter();
        status
            .warnings
            .extend(accepted.map(|doubt| format!("accepted despite a doubt: {doubt}")));
    })
}

/// Returns true if no export is in progress.
pub(crate) fn is_over(status: &Status) -> bool {
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
        Progress::AskedTwice | Progress::Reset => {}
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

fn end(status: &mut Status, state: &str, error: Option<Fault>) {
    status.state = state.to_owned();
    status.hint = None;
    status.eta_s = None;
    status.ok = error.is_none();
    status.error = error;
}

/// Ctrl-C, which the running program gets as a `KeyboardInterrupt`.
const INTERRUPT: &[u8] = b"\x03";
/// Ctrl-B, which ends raw mode (MicroPython, "The interactive mode").
const LEAVE_RAW: &[u8] = b"\x02";
/// Time for a board to obey a key.
const A_MOMENT: Duration = Duration::from_millis(200);

fn closed() -> Fault {
    Fault::new(
        "port_lost",
        "the port has closed; ask again to reopen it",
        true,
    )
}
