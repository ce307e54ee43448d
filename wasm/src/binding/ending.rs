//! Ends a conversation: once, and for good.

use std::cell::{OnceCell, RefCell};

use futures::{channel::oneshot, future::ready};

use crate::{binding::error::Error, task::Reply};

/// End of a conversation, and the callers that wait for it.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    /// Reason for the loss of the peer; `None` if the application closed the conversation.
    end: OnceCell<Option<Error>>,
    waiting: RefCell<Vec<Waiting>>,
}

type Waiting = oneshot::Sender<Result<Option<Error>, Error>>;

impl Ending {
    pub(crate) fn is_over(&self) -> bool {
        self.end.get().is_some()
    }

    /// Checks that the conversation still accepts commands.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.end.get() {
            None => Ok(()),
            Some(lost) => Err(lost.clone().unwrap_or_else(Error::closed)),
        }
    }

    /// Ends the conversation. Returns false if it had already ended.
    pub(crate) fn end(&self, lost: Option<Error>) -> bool {
        let is_first = self.end.set(lost.clone()).is_ok();
        for waiting in self.waiting.take() {
            // Refused if the receiver is gone.
            let _ = waiting.send(Ok(lost.clone()));
        }
        is_first
    }

    /// Returns the reason for the loss, once it happens; `None` if the application closed it.
    pub(crate) fn lost(&self) -> Reply<Option<Error>> {
        if let Some(lost) = self.end.get() {
            return Reply::new(ready(Ok(lost.clone())));
        }
        let (waiting, reply) = Reply::channel();
        self.waiting.borrow_mut().push(waiting);
        reply
    }
}
