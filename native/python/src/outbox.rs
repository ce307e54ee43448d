//! Delivers the messages of a request, as far as its caller wants them.

use std::future::Future;

use tokio::sync::mpsc::Sender;

use crate::message::{Failure, Message, Progress, Value};

/// Messages that the caller wants before the end of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wants {
    pub(crate) output: bool,
    pub(crate) progress: bool,
}

impl Wants {
    pub(crate) const ALL: Self = Self {
        output: true,
        progress: true,
    };
}

/// Outgoing messages of a request. Each message wakes the waiting thread, so only wanted messages are sent one by one;
/// all other output is sent together, before the last message.
#[derive(Debug)]
pub(crate) struct Outbox {
    messages: Sender<Message>,
    wants: Wants,
    kept: Vec<u8>,
}

impl Outbox {
    pub(crate) const fn new(messages: Sender<Message>, wants: Wants) -> Self {
        Self {
            messages,
            wants,
            kept: Vec::new(),
        }
    }

    /// Delivers output. The program waits until it is read.
    pub(crate) async fn print(&mut self, output: Vec<u8>) {
        match self.wants.output {
            // `gone` notices a caller that has left.
            true => drop(self.messages.send(Message::Output(output)).await),
            false => self.keep(output),
        }
    }

    /// Delivers output if it is being read.
    pub(crate) fn try_print(&mut self, output: Vec<u8>) {
        match self.wants.output {
            true => drop(self.messages.try_send(Message::Output(output))),
            false => self.keep(output),
        }
    }

    fn keep(&mut self, output: Vec<u8>) {
        match self.kept.is_empty() {
            true => self.kept = output,
            false => self.kept.extend(output),
        }
    }

    /// Reports progress. The next report includes everything that a previous one reported.
    pub(crate) fn report(&self, progress: Progress) {
        if self.wants.progress {
            drop(self.messages.try_send(Message::Progress(progress)));
        }
    }

    /// Returns true if nobody waits for messages any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.messages.is_closed()
    }

    /// Resolves once the caller stops waiting.
    pub(crate) fn gone(&self) -> impl Future<Output = ()> + Send + use<> {
        let messages = self.messages.clone();
        async move { messages.closed().await }
    }

    /// Sends the last message.
    pub(crate) async fn end(self, ended: Result<Value, Failure>) {
        if !self.kept.is_empty() {
            let _ = self.messages.send(Message::Output(self.kept)).await;
        }
        let _ = self.messages.send(Message::Ended(ended)).await;
    }
}
