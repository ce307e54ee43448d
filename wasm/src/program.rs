//! A program that runs on the board, seen from the page.

use flylead_core::raw_repl::Outcome;
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::JsValue;

use crate::{deferred::Deferred, error, events, queue::Queue, streams::object};

/// Where its output goes and who waits for its end.
#[derive(Debug)]
pub(crate) struct Program {
    output: Output,
    answer: Deferred,
}

#[derive(Debug)]
enum Output {
    /// For `exec`: all at the end.
    Collected {
        stdout: Vec<u8>,
        limit: usize,
        overflown: bool,
    },
    /// For `run`: as it comes.
    Live(Queue),
}

impl Program {
    pub(crate) fn collected(limit: usize) -> Self {
        Self {
            output: Output::Collected {
                stdout: Vec::new(),
                limit,
                overflown: false,
            },
            answer: Deferred::new(),
        }
    }

    pub(crate) fn live(queue: Queue) -> Self {
        Self {
            output: Output::Live(queue),
            answer: Deferred::unwatched(),
        }
    }

    pub(crate) fn answer(&self) -> Promise {
        self.answer.promise.clone()
    }

    /// Takes what it printed. `true` once, when that passes the limit and the program should stop.
    pub(crate) fn take_output(&mut self, bytes: Vec<u8>) -> bool {
        match &mut self.output {
            Output::Live(queue) => {
                queue.push(bytes);
                false
            }
            Output::Collected {
                overflown: true, ..
            } => false,
            Output::Collected {
                stdout,
                limit,
                overflown,
            } => {
                stdout.extend(bytes);
                *overflown = stdout.len() > *limit;
                stdout.truncate(*limit);
                *overflown
            }
        }
    }

    pub(crate) fn finish(self, outcome: &Outcome) {
        match self.output {
            Output::Live(queue) => {
                queue.end(Ok(()));
                self.answer.settle(Ok(events::outcome_object(outcome)));
            }
            Output::Collected {
                stdout,
                limit,
                overflown: true,
            } => {
                let text = String::from_utf8_lossy(&stdout);
                self.answer.settle(Err(error::too_long(limit, &text)));
            }
            Output::Collected { stdout, .. } => self.answer.settle(result(&stdout, outcome)),
        }
    }

    pub(crate) fn abandon(self, error: &JsValue) {
        if let Output::Live(queue) = self.output {
            queue.end(Err(error.clone()));
        }
        self.answer.settle(Err(error.clone()));
    }
}

/// `ExecResult` of the declarations, or the error that `exec` rejects with.
fn result(stdout: &[u8], outcome: &Outcome) -> Result<JsValue, JsValue> {
    let text = String::from_utf8_lossy(stdout);
    let exited = match outcome {
        Outcome::Raised(traceback) => return Err(error::raised(traceback, &text)),
        Outcome::TimedOut(traceback) => return Err(error::timed_out(traceback.as_ref(), &text)),
        Outcome::BoardReset => return Err(error::restarted(&text)),
        Outcome::Exited => true,
        Outcome::Completed => false,
    };
    let result = object(&[
        ("stdout", (&*text).into()),
        ("bytes", Uint8Array::from(stdout).into()),
        ("exited", exited.into()),
    ]);
    Ok(result.into())
}
