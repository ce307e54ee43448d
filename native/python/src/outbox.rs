//! What a request tells, as far as somebody wants to know.

use std::future::Future;

use tokio::sync::mpsc::Sender;

use crate::message::{Failure, Message, Progress, Value};

/// What whoever waits for a request wants to be told before its end.
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

/// Where the messages of a request go. Each message wakes the thread that waits, so it gets what it wants alone; all other
/// output comes together, before the last message.
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

    /// What was printed. The program waits while nobody reads it.
    pub(crate) async fn print(&mut self, output: Vec<u8>) {
        match self.wants.output {
            // Whoever goes is noticed by `gone`.
            true => drop(self.messages.send(Message::Output(output)).await),
            false => self.keep(output),
        }
    }

    /// The same, as far as somebody reads along.
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

    /// How far it is. The next report says all that one before it said.
    pub(crate) fn report(&self, progress: Progress) {
        if self.wants.progress {
            drop(self.messages.try_send(Message::Progress(progress)));
        }
    }

    /// Whether nobody waits any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.messages.is_closed()
    }

    /// Waits until nobody waits any more.
    pub(crate) fn gone(&self) -> impl Future<Output = ()> + Send + use<> {
        let messages = self.messages.clone();
        async move { messages.closed().await }
    }

    /// The last message.
    pub(crate) async fn end(self, ended: Result<Value, Failure>) {
        if !self.kept.is_empty() {
            let _ = self.messages.send(Message::Output(self.kept)).await;
        }
        let _ = self.messages.send(Message::Ended(ended)).await;
    }
}
