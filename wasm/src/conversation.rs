//! A driver and its desk, as everything that may ask the board something shares them.

use std::rc::Rc;

use flylead_core::{
    Instant,
    board::{self, Request},
    raw_repl::CommandError,
};
use js_sys::Promise;
use wasm_bindgen::JsValue;

use crate::{
    deferred::Deferred,
    desk::{Desk, Task},
    driver::Driver,
    error,
    request::Pending,
};

/// One conversation with one board. Clones are the same conversation.
#[derive(Debug, Clone)]
pub(crate) struct Conversation {
    pub(crate) driver: Rc<Driver<board::Board>>,
    pub(crate) desk: Rc<Desk>,
}

impl Conversation {
    /// Sends Ctrl-C, or ends the request for files that is under way.
    pub(crate) fn interrupt(&self) -> Result<(), JsValue> {
        self.command(board::Board::interrupt)
    }

    /// Types bytes.
    pub(crate) fn send(&self, bytes: &[u8]) -> Result<(), JsValue> {
        self.command(|board, _| board.send(bytes))
    }

    /// A request, one at a time.
    pub(crate) fn begin(&self, task: Task, request: Request) -> Result<(), JsValue> {
        self.check_idle()?;
        self.command(|board, now| board.request(now, request))?;
        self.desk.begin(task);
        Ok(())
    }

    /// Like [`begin`](Self::begin), for a task that is nothing but its answer.
    pub(crate) fn step(&self, request: Request) -> Promise {
        let deferred = Deferred::new();
        let promise = deferred.promise.clone();
        self.begin(Task::Step(deferred), request)
            .map_or_else(|error| Promise::reject(&error), |()| promise)
    }

    /// Asks for something to be done with the board's files. What is refused is so in `pending`'s answer.
    pub(crate) fn request(&self, pending: Pending, request: Request) {
        let asked = self
            .check_idle()
            .and_then(|()| self.command(|board, now| board.request(now, request)));
        match asked {
            Ok(()) => self.desk.begin(Task::Request(pending)),
            Err(error) => pending.abandon(&error),
        }
    }

    fn command(
        &self,
        command: impl FnOnce(&mut board::Board, Instant) -> Result<(), CommandError>,
    ) -> Result<(), JsValue> {
        self.desk.check()?;
        self.driver.command(command).map_err(error::refused)
    }

    fn check_idle(&self) -> Result<(), JsValue> {
        self.desk.check()?;
        if self.desk.is_busy() {
            return Err(error::refused(CommandError::Busy));
        }
        Ok(())
    }

    pub(crate) fn end(&self) {
        self.driver.close();
        self.desk.close();
    }
}
