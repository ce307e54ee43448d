//! A conversation with a recording device.

use std::{
    cell::{OnceCell, RefCell},
    ops::ControlFlow,
    rc::Rc,
    time::Duration,
};

use flylead_core::{
    Instant,
    export::{Collector, CommandError, Config, Event, Receipt, RunId},
};
use futures::{StreamExt, channel::oneshot, stream::LocalBoxStream};
use serde::Deserialize;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{
    events::Events,
    types::{ExportEvent, ExportPhase, ExportedLog},
};
use crate::{
    binding::arguments::{self, Data, Options, Streams, Text},
    binding::channel::{Bytes, Receiver, Sender, channel},
    binding::ending::Ending,
    binding::error::Error,
    driver::{Application, Driver},
    link::Link,
    task::{Reply, Task},
    types::{ExportDoubt, LostReason},
};

/// Limits of a recorder. Omitted ones have their defaults.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RecorderOptions {
    /// Time limit of the log's header, in milliseconds. Default 120 000.
    #[serde(deserialize_with = "arguments::millis")]
    #[tsify(type = "number")]
    pub timeout: Option<Duration>,
    /// Time limit of the device's silence inside the log, in milliseconds; a flowing log may take any time. Default 10
    /// 000.
    #[serde(deserialize_with = "arguments::millis")]
    #[tsify(type = "number")]
    pub idle_timeout: Option<Duration>,
    /// Size limit of a log, in bytes; a log that announces more is refused at once. Default 64 MiB.
    #[tsify(type = "number")]
    pub size_limit: Option<u64>,
    /// True to collect the log for the caller that awaits it. Otherwise its `bytes` are empty,
    /// and an iterating caller receives each byte once, to store it as it arrives, so that a log
    /// may exceed the memory. Default `true`.
    #[tsify(type = "boolean")]
    pub keep_log: Option<bool>,
    /// Refuses a log without the device's `CRC32=` or `SHA256=`. Default `false`.
    pub require_checksum: bool,
    /// Accepted doubts; a refused log names them in its error. Default: none.
    #[tsify(type = "ExportDoubt[]")]
    pub accept: Vec<ExportDoubt>,
    /// Limit of unread chatter, in bytes; the newest is kept. Default 1 MiB.
    #[tsify(type = "number")]
    pub output_limit: Option<usize>,
    /// Requests that earlier conversations over this port left unanswered, oldest first, such as their
    /// `recorder.unanswered`. An answer to one of them is not taken for the log of another run. Default: none.
    #[tsify(type = "UnansweredRequest[]")]
    pub unanswered: Vec<UnansweredRequest>,
}

/// Request for a log whose answer may still arrive.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnansweredRequest {
    /// The requested run.
    pub run_id: String,
    /// Time since the request, in milliseconds. An answer is no longer expected after 600 000.
    #[serde(default, deserialize_with = "arguments::millis")]
    #[tsify(type = "number")]
    pub age: Option<Duration>,
}

/// Device that records to its SD card between `START` and `STOP`, and sends the file upon `EXPORT`. It sends nothing
/// before the first request, and nothing at all while a log is fetched. In Rust, dropping it closes it.
///
/// ```ts
/// const recorder = Recorder.attach(await openSerial());
/// recorder.start("run001");
/// // … later
/// recorder.stop();
/// const { bytes, integrity } = await recorder.fetch("run001");
/// ```
#[wasm_bindgen]
#[derive(Debug)]
pub struct Recorder {
    driver: Rc<Driver<Collector>>,
    device: Rc<Device>,
    chatter: OnceCell<web_sys::ReadableStream>,
}

/// State of one device: the log in transfer, and the end.
#[derive(Debug)]
struct Device {
    /// `None` once the conversation has ended.
    chatter: RefCell<Option<Sender<Bytes>>>,
    unread_chatter: RefCell<Option<Receiver<Bytes>>>,
    fetch: RefCell<Option<Fetch>>,
    keeps_log: bool,
    ending: Ending,
}

/// The single log in transfer.
#[derive(Debug)]
struct Fetch {
    log: oneshot::Sender<Result<ExportedLog, Error>>,
    events: Sender<Events>,
    /// Bytes of the log, limited by the machine; empty if the log is not kept.
    bytes: Vec<u8>,
    /// Alive while there is something to cancel.
    _under_way: Rc<()>,
}

#[wasm_bindgen]
impl Recorder {
    /// Takes both streams of an open link and locks them until `close`. Fails with a `TypeError` if one is missing (the
    /// port is not open) or locked.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`](crate::ErrorKind::Argument) for the link or an option.
    pub fn attach(link: Streams, options: Option<Options<RecorderOptions>>) -> Result<Self, Error> {
        let options = Options::get(options)?;
        let machine = options.machine()?;
        let link = Link::lock(&link)?;
        let device = Rc::new(Device::new(&options));
        let driver = Driver::spawn(link, machine, Rc::clone(&device));
        Ok(Self {
            driver,
            device,
            chatter: OnceCell::new(),
        })
    }

    /// Returns the phase of the log's transfer.
    #[wasm_bindgen(getter)]
    pub fn phase(&self) -> ExportPhase {
        match self.device.ending.is_over() {
            true => ExportPhase::Closed,
            false => (&self.driver.inspect(Collector::phase)).into(),
        }
    }

    /// Resolves when the conversation ends: with the reason if the device was lost, without one after `close`.
    #[wasm_bindgen(getter, unchecked_return_type = "Promise<LostError | undefined>")]
    pub fn lost(&self) -> Reply<Option<Error>> {
        self.device.ending.lost()
    }

    /// Returns the requested runs whose answer has not begun, oldest first. An answer may arrive after `close`: give them
    /// to the next conversation over this port, as its option `unanswered`.
    #[wasm_bindgen(getter)]
    pub fn unanswered(&self) -> Vec<String> {
        self.driver
            .inspect(|device| device.unanswered().map(ToString::to_string).collect())
    }

    /// Asks the device to record; its answer, if it has one, is chatter. A run id is 1 to 64 letters, digits, `_`, `-`
    /// and `.`, and cannot be a path.
    ///
    /// # Errors
    /// A `TypeError` for an invalid run id, `BusyError` while a log is fetched, `LostError`.
    pub fn start(&self, run_id: Text) -> Result<(), Error> {
        let run_id = read(&run_id)?;
        self.command(|device, _| device.start(&run_id))
    }

    /// Asks the device to end its recording.
    ///
    /// # Errors
    /// `BusyError` while a log is fetched, `LostError`.
    pub fn stop(&self) -> Result<(), Error> {
        self.command(|device, _| device.stop())
    }

    /// Sends text or bytes as they are.
    ///
    /// # Errors
    /// `BusyError` while a log is fetched, `LostError`.
    pub fn send(&self, data: Data) -> Result<(), Error> {
        let bytes = data.bytes()?;
        self.command(|device, _| device.write(&bytes))
    }

    /// Requests the log of a run. The device refuses to send a running experiment: `stop()` it first. The task fails
    /// with `ExportError`, `CancelledError`, `ClosedError`. The protocol has no command for cancelling: after it, the
    /// rest that the device sends becomes chatter.
    ///
    /// # Errors
    /// A `TypeError` for an invalid run id, `BusyError` while another log is fetched, `LostError`.
    #[wasm_bindgen(unchecked_return_type = "Fetch")]
    pub fn fetch(&self, run_id: Text) -> Result<Task<ExportedLog, ExportEvent>, Error> {
        let run_id = read(&run_id)?;
        self.command(|device, now| device.export(now, &run_id))?;
        let (log, reply) = Reply::channel();
        let (events, receiver) = channel(Events::default());
        let under_way = Rc::new(());
        let (driver, begun) = (Rc::clone(&self.driver), Rc::downgrade(&under_way));
        self.device.fetch.replace(Some(Fetch {
            log,
            events,
            bytes: Vec::new(),
            _under_way: under_way,
        }));
        Ok(Task::new(reply, receiver, move || {
            if begun.strong_count() > 0 {
                // Refused if it has just ended, which was the aim.
                let _ = driver.command(|device, _| device.cancel());
            }
        }))
    }

    /// Ends the conversation and unlocks both streams of the link, which stay open. A fetch in progress ends with
    /// `ClosedError`. May be called twice.
    pub fn close(&self) {
        self.driver.close();
        self.device.close();
    }
}

/// Methods only for Rust.
impl Recorder {
    /// Returns the device's output outside of logs, to the first caller.
    #[must_use]
    pub fn output(&self) -> Option<LocalBoxStream<'static, Vec<u8>>> {
        let chatter = self.device.unread_chatter.take()?;
        Some(chatter.boxed_local())
    }

    fn command(
        &self,
        command: impl FnOnce(&mut Collector, Instant) -> Result<(), CommandError>,
    ) -> Result<(), Error> {
        self.device.ending.check()?;
        // The machine may have received all of a log whose events are still being delivered.
        if self.device.fetch.borrow().is_some() {
            return Err(CommandError::Busy.into());
        }
        self.driver.command(command).map_err(Error::from)
    }
}

/// Methods only for JavaScript.
#[wasm_bindgen]
impl Recorder {
    /// Returns the device's output outside of logs: answers, echoes, its own logger. Untrusted. Unread output is kept
    /// up to `outputLimit`. Always the same stream.
    #[wasm_bindgen(
        getter,
        unchecked_return_type = "ReadableStream<Uint8Array<ArrayBuffer>>"
    )]
    pub fn chatter(&self) -> web_sys::ReadableStream {
        let open = || crate::task::output(self.output(), self.lost());
        self.chatter.get_or_init(open).clone()
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.close();
    }
}

impl Device {
    fn new(options: &RecorderOptions) -> Self {
        let chatter_limit = options.output_limit.unwrap_or(CHATTER_LIMIT);
        let (chatter, unread_chatter) = channel(Bytes::new(chatter_limit));
        Self {
            chatter: RefCell::new(Some(chatter)),
            unread_chatter: RefCell::new(Some(unread_chatter)),
            fetch: RefCell::default(),
            keeps_log: options.keep_log.unwrap_or(true),
            ending: Ending::default(),
        }
    }

    fn on_event(&self, event: Event) {
        if let (Event::Chatter(bytes), Some(chatter)) = (&event, &mut *self.chatter.borrow_mut()) {
            chatter.send(bytes.clone());
        }
        if let Some(fetch) = &mut *self.fetch.borrow_mut() {
            fetch.on_event(event, self.keeps_log);
        }
    }

    fn finish(&self, receipt: Result<&Receipt, Error>) {
        if let Some(Fetch { log, bytes, .. }) = self.fetch.take() {
            // Refused if the receiver is gone.
            let _ = log.send(receipt.map(|receipt| ExportedLog::new(bytes, receipt)));
        }
    }

    fn lose(&self, error: Error) {
        self.finish(Err(error.clone()));
        self.chatter.take();
        self.ending.end(Some(error));
    }

    fn close(&self) {
        if self.ending.end(None) {
            self.fetch.take();
            self.chatter.take();
        }
    }
}

impl Application<Collector> for Device {
    fn event(&self, driver: &Driver<Collector>, event: Event) -> ControlFlow<()> {
        match &event {
            Event::Finished(receipt) => self.finish(Ok(receipt)),
            Event::Failed {
                failure, doubts, ..
            } => self.finish(Err(Error::export(failure, doubts))),
            Event::Closed => {
                self.lose(Error::lost(LostReason::Closed, driver.fault(), GONE));
                return ControlFlow::Break(());
            }
            Event::Asked | Event::Begun(_) | Event::Body(_) | Event::Chatter(_) | Event::Reset => {
                self.on_event(event);
            }
        }
        ControlFlow::Continue(())
    }
}

impl Fetch {
    fn on_event(&mut self, event: Event, keeps_log: bool) {
        if let Event::Body(bytes) = &event
            && keeps_log
        {
            self.bytes.extend_from_slice(bytes);
        }
        if let Some(event) = ExportEvent::new(event) {
            self.events.send(event);
        }
    }
}

impl RecorderOptions {
    /// Creates the machine, which knows the unanswered requests. Its time begins now.
    fn machine(&self) -> Result<Collector, Error> {
        let config = self.config();
        let late_limit = config.late_limit;
        let mut machine = Collector::new(config);
        for request in &self.unanswered {
            let run_id = RunId::new(&request.run_id).map_err(Error::argument)?;
            let left = late_limit.saturating_sub(request.age.unwrap_or_default());
            if !left.is_zero() {
                machine.expect_late(&run_id, Instant::START + left);
            }
        }
        Ok(machine)
    }

    fn config(&self) -> Config {
        let mut config = Config::default();
        config.timeout = self.timeout.unwrap_or(config.timeout);
        config.idle_timeout = self.idle_timeout.unwrap_or(config.idle_timeout);
        config.size_limit = self.size_limit.unwrap_or(LOG_LIMIT);
        config.require_checksum = self.require_checksum;
        config.accept = self.accept.iter().map(|&doubt| doubt.into()).collect();
        config
    }
}

fn read(run_id: &Text) -> Result<RunId, Error> {
    RunId::new(&run_id.get()?).map_err(Error::argument)
}

/// Default size limit of a log, as a page keeps all of it in memory.
const LOG_LIMIT: u64 = 64 * 1024 * 1024;
/// Default limit of chatter, in bytes.
const CHATTER_LIMIT: usize = 1024 * 1024;
const GONE: &str = "the device is gone: the connection closed";
