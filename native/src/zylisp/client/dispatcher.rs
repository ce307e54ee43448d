//! Dispatches a server's replies to their callers.

use std::{
    collections::{HashMap, VecDeque},
    ops::ControlFlow,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use flylead_core::zylisp::{ClientEvent, MalformedReason, RequestId, ZylispClient};

use super::{
    ClientError,
    evaluation::{Answer, Output, Printed},
};
use crate::board::driver::Events;

/// Callers and their pending requests.
#[derive(Default)]
pub(super) struct Dispatcher {
    waiting: HashMap<RequestId, Waiting>,
    /// Output that its readers have no space for yet. Until they have, the server is not read.
    pub(super) held_up: VecDeque<(Output, Printed)>,
}

/// Caller that waits for a reply, and for the output before it.
pub(super) struct Waiting {
    pub(super) answer: Answer,
    pub(super) output: Option<Output>,
}

impl Dispatcher {
    pub(super) fn wait(&mut self, request: RequestId, waiting: Waiting) {
        self.waiting.insert(request, waiting);
    }

    pub(super) fn forget(&mut self, request: RequestId) {
        self.waiting.remove(&request);
    }

    /// Passes on an event of the client, and breaks once the connection has closed.
    pub(super) fn event(&mut self, event: ClientEvent) -> ControlFlow<()> {
        match event {
            ClientEvent::Output { request, output } => {
                self.printed(request, Printed::Output(output));
            }
            ClientEvent::NeedsInput { request } => self.printed(request, Printed::NeedsInput),
            ClientEvent::Reply(reply) => {
                if let Some(waiting) = self.waiting.remove(&reply.request) {
                    // The caller may have stopped waiting.
                    let _ = waiting.answer.send(Ok(reply));
                }
            }
            ClientEvent::Malformed(reason) => return self.unreadable(&reason),
            ClientEvent::Lost { .. } => {
                self.waiting.clear();
                return ControlFlow::Break(());
            }
            ClientEvent::Notice(_) => {}
        }
        ControlFlow::Continue(())
    }

    fn printed(&mut self, request: RequestId, printed: Printed) {
        let waiting = self.waiting.get(&request);
        if let Some(sender) = waiting.and_then(|waiting| waiting.output.as_ref()) {
            self.held_up.push_back((sender.clone(), printed));
        }
    }

    /// Ends the connection to a server that cannot be understood, as it will not be understood later either.
    fn unreadable(&mut self, reason: &MalformedReason) -> ControlFlow<()> {
        for (_, waiting) in self.waiting.drain() {
            let reason = reason.clone();
            // The caller may have stopped waiting.
            let _ = waiting.answer.send(Err(ClientError::Unreadable { reason }));
        }
        ControlFlow::Break(())
    }
}

/// A dispatcher shared by a driver's task and its callers.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Dispatcher>>);

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, Dispatcher> {
        // The dispatcher is consistent between any two of its steps.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on events until the connection has closed, and then releases all waiting callers.
    pub(super) async fn run(self, mut events: Events<ZylispClient>) {
        while let Some(event) = events.next().await {
            let over = self.lock().event(event).is_break();
            let mut held_up = std::mem::take(&mut self.lock().held_up);
            while !held_up.is_empty() {
                deliver(&mut held_up).await;
            }
            if over {
                break;
            }
        }
        self.lock().waiting.clear();
    }
}

/// Delivers one piece of output as soon as there is space for it. Cancel safe.
pub(super) async fn deliver(held_up: &mut VecDeque<(Output, Printed)>) {
    if let Some((sender, _)) = held_up.front() {
        let room = sender.clone().reserve_owned().await;
        if let (Some((_, printed)), Ok(room)) = (held_up.pop_front(), room) {
            room.send(printed);
        }
    }
}
