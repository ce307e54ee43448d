//! A device that records, as a JavaScript object.

use std::{cell::OnceCell, rc::Rc};

use flylead_core::{
    Instant,
    export::{Collector, CommandError, RunId},
};
use js_sys::{Promise, RangeError};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use super::{fetch::Fetch, logbook::Logbook};
use crate::{driver::Driver, error, link::Link, options::RecorderOptions, streams};

/// A conversation with one device that records to its SD card.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Recorder {
    driver: Rc<Driver<Collector>>,
    logbook: Rc<Logbook>,
    chatter: OnceCell<JsValue>,
}

#[wasm_bindgen]
impl Recorder {
    /// Takes both streams of an open link.
    ///
    /// # Errors
    /// A `TypeError` when a stream is missing or locked, a `RangeError` for an option that makes no sense.
    pub fn attach(link: &JsValue, options: &JsValue) -> Result<Self, JsValue> {
        let options = RecorderOptions::read(options)?;
        let link = Link::lock(link)?;
        let logbook = Rc::new(Logbook::new(options.output_limit));
        let machine = Collector::new(options.config);
        let driver = Driver::spawn(link, machine, Rc::clone(&logbook));
        Ok(Self {
            driver,
            logbook,
            chatter: OnceCell::new(),
        })
    }

    /// Where an export stands.
    #[wasm_bindgen(getter)]
    pub fn phase(&self) -> String {
        let phase = self.driver.inspect(Collector::phase);
        self.logbook.phase(phase).to_owned()
    }

    /// Everything the device says that is no log.
    #[wasm_bindgen(getter)]
    pub fn chatter(&self) -> JsValue {
        let make = || streams::readable(self.logbook.chatter.clone());
        self.chatter.get_or_init(make).clone()
    }

    /// Resolves when the conversation is over.
    #[wasm_bindgen(getter)]
    pub fn lost(&self) -> Promise {
        self.logbook.lost()
    }

    /// Asks the device to record.
    ///
    /// # Errors
    /// When the run id is none, while a log is being fetched, when the conversation is over.
    pub fn start(&self, run_id: &JsValue) -> Result<(), JsValue> {
        let run_id = read_run_id(run_id)?;
        self.command(|device, _| device.start(&run_id))
    }

    /// Asks the device to end its recording.
    ///
    /// # Errors
    /// While a log is being fetched, and when the conversation is over.
    pub fn stop(&self) -> Result<(), JsValue> {
        self.command(|device, _| device.stop())
    }

    /// Sends text or bytes as they are.
    ///
    /// # Errors
    /// While a log is being fetched, and when the conversation is over.
    pub fn send(&self, data: &JsValue) -> Result<(), JsValue> {
        let bytes = streams::bytes(data)?;
        self.command(|device, _| device.write(&bytes))
    }

    /// Asks for the log of a run.
    ///
    /// # Errors
    /// When the run id is none, while another log is being fetched, when the conversation is over.
    pub fn fetch(&self, run_id: &JsValue) -> Result<Fetch, JsValue> {
        let run_id = read_run_id(run_id)?;
        self.logbook.check_idle()?;
        self.command(|device, now| device.export(now, &run_id))?;
        let (feed, done) = self.logbook.begin();
        Ok(Fetch::new(done, feed, Rc::clone(&self.driver)))
    }

    /// Ends the conversation and unlocks the link.
    pub fn close(&self) -> Promise {
        self.driver.close();
        self.logbook.close();
        Promise::resolve(&JsValue::UNDEFINED)
    }

    /// `close`, for `await using`.
    #[wasm_bindgen(js_name = "[Symbol.asyncDispose]")]
    pub fn dispose(&self) -> Promise {
        self.close()
    }
}

impl Recorder {
    fn command(
        &self,
        command: impl FnOnce(&mut Collector, Instant) -> Result<(), CommandError>,
    ) -> Result<(), JsValue> {
        self.logbook.check()?;
        self.driver.command(command).map_err(error::export_refused)
    }
}

/// An object that nobody holds any more has nobody to tell.
impl Drop for Recorder {
    fn drop(&mut self) {
        self.driver.close();
        self.logbook.close();
    }
}

fn read_run_id(value: &JsValue) -> Result<RunId, JsValue> {
    let name = value.as_string().unwrap_or_default();
    RunId::new(&name).map_err(|error| RangeError::new(&error.to_string()).into())
}
