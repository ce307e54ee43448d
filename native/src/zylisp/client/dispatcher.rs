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
use crate::driver::Events;

/// Callers and their pending requests.
#[derive(Default)]
pub(super) struct Dispatcher {
    waiting: HashMap<RequestId, Waiting>,
    /// Output for which its reader had no room. Until it has, the server is not listened to.
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

    /// Hands out what the client learns, and breaks when the connection has closed.
    pub(super) fn event(&mut self, event: ClientEvent) -> ControlFlow<()> {
        match event {
            ClientEvent::Output { request, output } => {
                self.printed(request, Printed::Output(output));
            }
            ClientEvent::NeedsInput { request } => self.printed(request, Printed::NeedsInput),
            ClientEvent::Reply(reply) => {
                if let Some(waiting) = self.waiting.remove(&reply.request) {
                    // Whoever asked may have stopped waiting.
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

    /// A server that cannot be understood will not be understood later either.
    fn unreadable(&mut self, reason: &MalformedReason) -> ControlFlow<()> {
        for (_, waiting) in self.waiting.drain() {
            let reason = reason.clone();
            // Whoever asked may have stopped waiting.
            let _ = waiting.answer.send(Err(ClientError::Unreadable { reason }));
        }
        ControlFlow::Break(())
    }
}

/// A dispatcher that a driver's task and those who ask have together.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Dispatcher>>);

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, Dispatcher> {
        // It is whole between any two of its steps.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands out what comes, until the connection has closed. Nobody waits for anything then.
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

/// Hands out one piece of output, as soon as there is room for it. Cancel safe.
pub(super) async fn deliver(held_up: &mut VecDeque<(Output, Printed)>) {
    if let Some((sender, _)) = held_up.front() {
        let room = sender.clone().reserve_owned().await;
        if let (Some((_, printed)), Ok(room)) = (held_up.pop_front(), room) {
            room.send(printed);
        }
    }
}
