//! What a person types, on its way to the board.

use std::{future::ready, rc::Rc};

use flylead_core::raw_repl::{CommandError, RawRepl};
use wasm_bindgen::JsValue;

use crate::{desk::Desk, driver::Driver, error, streams};

/// The writable side of a board's terminal. What is typed where nothing reads it is lost, as on any keyboard: a
/// stream that failed for it would be dead for good.
pub(crate) fn keyboard(driver: Rc<Driver<RawRepl>>, desk: Rc<Desk>) -> JsValue {
    streams::writable(move |bytes| ready(type_in(&driver, &desk, &bytes)))
}

fn type_in(driver: &Driver<RawRepl>, desk: &Desk, bytes: &[u8]) -> Result<(), JsValue> {
    desk.check()?;
    match driver.command(|repl, now| repl.send(now, bytes)) {
        Ok(()) | Err(CommandError::NotRunning) => Ok(()),
        Err(error) => Err(error::refused(error)),
    }
}
