//! A device that records, and the task that owns it.

use std::{path::PathBuf, time::Duration};

use flylead_core::export::{Config, Doubt, RunId};
use flylead_native::{
    export::{self, Options, Verify},
    link::{self, Address},
};
use pyo3::{exceptions::PyValueError, prelude::*};
use tokio::sync::mpsc::Receiver;

use crate::{
    job::Job,
    message::{Failure, Key, Progress, Value},
    outbox::{Outbox, Wants},
    request::{duration, seconds},
    session,
    work::{self, Inbox},
};

/// A device's task, which carries out one request after the other.
#[pyclass(frozen, module = "flylead._flylead")]
#[derive(Debug)]
pub(crate) struct DeviceSession(Inbox<Task>);

/// Task of a device.
#[derive(Debug)]
pub(crate) enum Task {
    Open { within: Duration, settle: Duration },
    Start(RunId),
    Stop,
    Listen(Duration),
    Fetch { run: RunId, options: Options },
    Close,
}

#[pymethods]
impl DeviceSession {
    /// Creates the session without opening anything yet.
    #[new]
    #[pyo3(signature = (address, silence, limit, require_checksum))]
    fn new(
        address: &str,
        silence: Option<f64>,
        limit: u64,
        require_checksum: bool,
    ) -> PyResult<Self> {
        let address = session::address(address)?;
        let mut config = Config::default();
        if let Some(silence) = seconds(silence)? {
            config.timeout = silence;
            config.idle_timeout = silence;
        }
        config.size_limit = limit;
        config.require_checksum = require_checksum;
        Ok(Self(Inbox::of(Worker::new(address, config))?))
    }

    fn open(&self, py: Python<'_>, within: f64, settle: f64) -> PyResult<Job> {
        let (within, settle) = (duration(within)?, duration(settle)?);
        self.0.start(py, Task::Open { within, settle }, Wants::ALL)
    }

    fn start(&self, py: Python<'_>, run: &str) -> PyResult<Job> {
        self.0.start(py, Task::Start(named(run)?), Wants::ALL)
    }

    fn stop(&self, py: Python<'_>) -> PyResult<Job> {
        self.0.start(py, Task::Stop, Wants::ALL)
    }

    /// Listens for this time; each line that the device prints is output.
    fn listen(&self, py: Python<'_>, time: f64) -> PyResult<Job> {
        self.0.start(py, Task::Listen(duration(time)?), Wants::ALL)
    }

    #[pyo3(signature = (run, artifacts, accept, retries, verify_twice, normalize_eol))]
    // The defaults are those of the command.
    #[allow(clippy::too_many_arguments)]
    fn fetch(
        &self,
        py: Python<'_>,
        run: &str,
        artifacts: PathBuf,
        accept: Vec<String>,
        retries: u32,
        verify_twice: bool,
        normalize_eol: bool,
    ) -> PyResult<Job> {
        let mut options = Options::default();
        options.artifacts = artifacts;
        options.accept = accept.iter().map(doubt).collect::<PyResult<_>>()?;
        options.retries = retries;
        options.normalize_eol = normalize_eol;
        if verify_twice {
            options.verify = Verify::Twice;
        }
        let run = named(run)?;
        self.0.start(py, Task::Fetch { run, options }, Wants::ALL)
    }

    fn close(&self, py: Python<'_>) -> PyResult<Job> {
        self.0.close(py, Task::Close)
    }
}

/// Converts a log to plain CSV, for libraries that read it.
#[pyfunction]
pub(crate) fn plain_csv(py: Python<'_>, log: Vec<u8>) -> Vec<u8> {
    py.detach(|| export::plain_csv(&log))
}

fn named(run: &str) -> PyResult<RunId> {
    RunId::new(run).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn doubt(name: &String) -> PyResult<Doubt> {
    name.parse()
        .map_err(|error| PyValueError::new_err(format!("{name:?} is nothing to accept; {error}")))
}

/// A device, once it is open.
struct Worker {
    address: Address,
    config: Config,
    device: Option<export::Device>,
}

impl Worker {
    const fn new(address: Address, config: Config) -> Self {
        Self {
            address,
            config,
            device: None,
        }
    }

    async fn open(&mut self, within: Duration, settle: Duration) -> Result<Value, Failure> {
        let link = link::open_within(&self.address, within);
        let link = link.await.map_err(Failure::Open)?;
        let mut device = export::Device::attach(link, self.config.clone(), None).at(&self.address);
        device.settle(settle).await?;
        self.device = Some(device);
        Ok(Value::Nothing)
    }

    async fn close(&mut self) {
        if let Some(device) = self.device.take() {
            device.close().await;
        }
    }
}

impl work::Worker for Worker {
    type Task = Task;

    async fn perform(
        &mut self,
        task: Task,
        outbox: &mut Outbox,
        _keys: &mut Receiver<Key>,
    ) -> Result<Value, Failure> {
        if let Task::Close = task {
            self.close().await;
            return Ok(Value::Nothing);
        }
        let gone = outbox.gone();
        let done = tokio::select! {
            done = self.ask(task, outbox) => Some(done),
            () = gone => None,
        };
        if let Some(done) = done {
            return done;
        }
        if let Some(device) = &mut self.device {
            device.cancel().await?;
        }
        Err(Failure::Stopped)
    }

    fn is_owed(task: &Task) -> bool {
        matches!(task, Task::Close)
    }

    async fn end(mut self) {
        self.close().await;
    }
}

impl Worker {
    async fn ask(&mut self, task: Task, outbox: &mut Outbox) -> Result<Value, Failure> {
        if let Task::Open { within, settle } = task {
            return self.open(within, settle).await;
        }
        let device = self.device.as_mut().ok_or(Failure::Closed)?;
        match task {
            Task::Start(run) => Ok(Value::Text(device.start(&run).await?.text)),
            Task::Stop => Ok(Value::Text(device.stop().await?.text)),
            Task::Listen(time) => {
                // A slow reader misses lines, so that the device never waits.
                let said = |line: &str| outbox.try_print(line.as_bytes().to_vec());
                device.listen(time, said).await?;
                Ok(Value::Nothing)
            }
            Task::Fetch { run, options } => {
                let mut bar = Bar::default();
                let progress = |progress| {
                    if let Some(progress) = bar.at(&progress) {
                        outbox.report(progress);
                    }
                };
                let saved = device.fetch(&run, &options, progress).await?;
                Ok(Value::Saved(Box::new(saved)))
            }
            Task::Open { .. } | Task::Close => Ok(Value::Nothing),
        }
    }
}

/// Progress of a log, in bytes.
#[derive(Default)]
struct Bar {
    total: Option<u64>,
}

impl Bar {
    fn at(&mut self, progress: &export::Progress) -> Option<Progress> {
        let done = match progress {
            export::Progress::Begun { announced } => {
                self.total = *announced;
                0
            }
            export::Progress::Received { bytes } => *bytes,
            export::Progress::Asked { .. }
            | export::Progress::AskedTwice
            | export::Progress::Reset => return None,
        };
        Some(Progress {
            done,
            total: self.total,
            entries: 0,
        })
    }
}
