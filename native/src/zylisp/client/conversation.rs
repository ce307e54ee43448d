//! The task that owns a connection to a server.

use std::io;

use flylead_core::{
    Input, Instant, Pump,
    zylisp::{RequestId, ZylispClient},
};
use tokio::{sync::mpsc, time};

use super::{
    super::transport::Transport,
    desk::{Desk, Waiting, deliver},
    request::Command,
};

/// The task that owns the connection.
pub(super) struct Conversation {
    transport: Transport,
    pump: Pump<ZylispClient>,
    desk: Desk,
    started: time::Instant,
    lost: bool,
}

impl Conversation {
    pub(super) fn new(transport: Transport, machine: ZylispClient) -> Self {
        Self {
            transport,
            pump: Pump::new(machine),
            desk: Desk::default(),
            started: time::Instant::now(),
            lost: false,
        }
    }

    pub(super) async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        let mut chunk = Vec::new();
        while !self.lost {
            tokio::select! {
                received = self.transport.receive(&mut chunk), if self.desk.held_up.is_empty() => {
                    self.received(received, &chunk);
                }
                () = deliver(&mut self.desk.held_up), if !self.desk.held_up.is_empty() => {}
                command = commands.recv() => match command {
                    Some(command) => self.commands(command, &mut commands),
                    None => break,
                },
            }
            let bytes = self.pump.take_transmit();
            if !bytes.is_empty() && self.transport.send(&bytes).await.is_err() {
                break;
            }
        }
        self.transport.close().await;
    }

    /// Takes every command that waits, so that they share a write.
    fn commands(&mut self, first: Command, commands: &mut mpsc::UnboundedReceiver<Command>) {
        let mut next = Some(first);
        while let Some(command) = next {
            self.command(command);
            next = commands.try_recv().ok();
        }
    }

    fn command(&mut self, command: Command) {
        let now = self.now();
        match command {
            Command::Request {
                make,
                made,
                answer,
                output,
            } => {
                if let Ok(request) = self.pump.command(|client| make(client, now)) {
                    self.desk.wait(request, Waiting { answer, output });
                    if made.send(request).is_err() {
                        self.cancel(request);
                    }
                }
            }
            Command::Cancel(request) => self.cancel(request),
            Command::GoOn => {}
        }
    }

    fn cancel(&mut self, request: RequestId) {
        let now = self.now();
        self.desk.forget(request);
        self.pump.command(|client| client.cancel(now, request));
    }

    fn received(&mut self, received: io::Result<()>, chunk: &[u8]) {
        let input = match received {
            Ok(()) if !chunk.is_empty() => Input::Bytes(chunk),
            _ => Input::Closed,
        };
        self.pump.handle_input(self.now(), input);
        while let Some(event) = self.pump.poll_event() {
            self.lost |= self.desk.event(event).is_break();
        }
    }

    fn now(&self) -> Instant {
        Instant::after_start(self.started.elapsed())
    }
}
