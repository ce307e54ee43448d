//! Where a server's replies meet those who wait for them.

use std::{
    collections::{HashMap, VecDeque},
    ops::ControlFlow,
};

use flylead_core::zylisp::{ClientEvent, MalformedReason, RequestId};

use super::{
    ClientError,
    request::{Answer, Output},
};

/// Who waits for what.
#[derive(Default)]
pub(super) struct Desk {
    waiting: HashMap<RequestId, Waiting>,
    /// Output for which its reader had no room. Until it has, the server is not listened to.
    pub(super) held_up: VecDeque<(Output, String)>,
}

/// Who waits for a reply, and for the output before it.
pub(super) struct Waiting {
    pub(super) answer: Answer,
    pub(super) output: Option<Output>,
}

impl Desk {
    pub(super) fn wait(&mut self, request: RequestId, waiting: Waiting) {
        self.waiting.insert(request, waiting);
    }

    pub(super) fn forget(&mut self, request: RequestId) {
        self.waiting.remove(&request);
    }

    /// Hands out what the client learns, and breaks when the connection is over.
    pub(super) fn event(&mut self, event: ClientEvent) -> ControlFlow<()> {
        match event {
            ClientEvent::Output { request, output } => self.output(request, output),
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
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn output(&mut self, request: RequestId, output: String) {
        let waiting = self.waiting.get(&request);
        if let Some(sender) = waiting.and_then(|waiting| waiting.output.as_ref()) {
            self.held_up.push_back((sender.clone(), output));
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

/// Hands out one piece of output, as soon as there is room for it. Cancel safe.
pub(super) async fn deliver(held_up: &mut VecDeque<(Output, String)>) {
    if let Some((sender, _)) = held_up.front() {
        let room = sender.clone().reserve_owned().await;
        if let (Some((_, output)), Ok(room)) = (held_up.pop_front(), room) {
            room.send(output);
        }
    }
}
