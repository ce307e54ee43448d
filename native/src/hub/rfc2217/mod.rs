//! Serves a board of a hub to clients of RFC 2217.

mod settings;

use std::{collections::VecDeque, io, time::Duration};

use flylead_core::{
    Input, Instant, Pump,
    rfc2217::{Message, Server, ServerEvent},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time,
};

use super::{
    board::SharedBoard,
    member::{Member, MemberWriter, Received},
};
use crate::{
    hub::places::{Place, Places},
    link::turn::Ask,
};
use settings::Settings;

/// Offers a board to every client that connects, forever. They take turns, as all tools do: a client's turn begins with
/// the first byte that it sends. It sees only its own conversation.
///
/// The protocol has no authentication: anybody who can reach the listener can use the board.
///
/// # Errors
/// The listener is gone.
pub async fn serve(board: SharedBoard, listener: TcpListener) -> io::Result<()> {
    let places = Places::new(CLIENTS_LIMIT);
    loop {
        let (stream, from) = listener.accept().await?;
        let mut ask = Ask::shared(format!("an RFC 2217 client at {from}"));
        ask.looks_on = false;
        let Ok(member) = board.attach(ask).await else {
            return Ok(());
        };
        // While it has its turn, or waits for it, a silent client keeps its place.
        let place = places.take(member.writer.is_busy()).await;
        let client = Client::new(stream, Settings::new(board.baud()), place);
        // A client that disconnects needs no answer.
        tokio::spawn(client.serve(member));
    }
}

struct Client {
    stream: TcpStream,
    pump: Pump<Server>,
    settings: Settings,
    /// Requests of the client to send or to set, in order, that the board has not taken yet.
    wanted: VecDeque<Wanted>,
    place: Place,
}

enum Wanted {
    Sent(Vec<u8>),
    Set(Message),
}

/// Result of a setting.
struct WasSet(Message, bool);

impl Client {
    fn new(stream: TcpStream, settings: Settings, place: Place) -> Self {
        Self {
            stream,
            pump: Pump::new(Server::new()),
            settings,
            wanted: VecDeque::new(),
            place,
        }
    }

    async fn serve(mut self, member: Member) -> io::Result<()> {
        self.stream.set_nodelay(true)?;
        let Member { writer, mut reader } = member;
        let (wanted, wanted_in) = mpsc::channel(1);
        let (was_set, mut set) = mpsc::channel(1);
        let passing = tokio::spawn(pass_on(writer, wanted_in, was_set));
        let mut chunk = vec![0; CHUNK];
        loop {
            let has_room = self.pump.poll().command;
            let talks = has_room && !self.pump.machine().is_suspended();
            let (mut from, mut to) = self.stream.split();
            tokio::select! {
                written = to.write(self.pump.unsent()), if self.pump.poll().write => {
                    self.pump.sent(written?);
                    self.place.touch();
                }
                room = wanted.reserve(), if !self.wanted.is_empty() => {
                    let (Ok(room), Some(next)) = (room, self.wanted.pop_front()) else { break };
                    room.send(next);
                }
                read = from.read(&mut chunk), if self.wanted.is_empty() && has_room => match read? {
                    0 => break,
                    length => {
                        self.place.touch();
                        self.received(&chunk[..length]);
                    }
                },
                () = self.place.given_on() => break,
                Some(set) = set.recv() => self.was_set(&set),
                received = reader.next(), if talks => match received {
                    Some(Received::Bytes(bytes)) => self.pump.command(|server| server.write(&bytes)),
                    Some(Received::News(_)) => {}
                    None => break,
                },
            }
        }
        drop(wanted);
        drop(self);
        // The client's last bytes are for the board; a client still waiting for its turn is gone.
        let _ = time::timeout(LAST_BYTES, passing).await;
        Ok(())
    }

    fn received(&mut self, bytes: &[u8]) {
        // The machine needs no clock.
        self.pump.handle_input(Instant::START, Input::Bytes(bytes));
        while let Some(event) = self.pump.poll_event() {
            match event {
                ServerEvent::Data(bytes) => self.wanted.push_back(Wanted::Sent(bytes)),
                ServerEvent::Asked(asked) => self.asked(asked),
                _ => {}
            }
        }
    }

    /// Answers requests that change nothing; a request that would change the line waits for the client's turn.
    fn asked(&mut self, asked: Message) {
        match self.settings.answer(&asked) {
            Some(answer) => self.pump.command(|server| server.tell(&answer)),
            None => self.wanted.push_back(Wanted::Set(asked)),
        }
    }

    fn was_set(&mut self, WasSet(asked, done): &WasSet) {
        if *done {
            self.settings.set(asked);
        }
        let now = self.settings.now(asked);
        self.pump.command(|server| server.tell(&now));
    }
}

/// Passes a client's requests on to the board one by one, and leaves the board after the last.
async fn pass_on(
    board: MemberWriter,
    mut wanted: mpsc::Receiver<Wanted>,
    was_set: mpsc::Sender<WasSet>,
) {
    while let Some(wanted) = wanted.recv().await {
        let passed = match wanted {
            Wanted::Sent(bytes) => board.write(bytes).await,
            Wanted::Set(setting) => match board.set(setting.clone()).await {
                Ok(set) => {
                    // A client that has gone wants no answer.
                    let _ = was_set.send(WasSet(setting, set.is_ok())).await;
                    Ok(())
                }
                Err(closed) => Err(closed),
            },
        };
        if passed.is_err() {
            return;
        }
    }
    let _ = board.leave().await;
}

/// Limit of simultaneous clients; another one gets the place of the one that has been idle longest.
const CLIENTS_LIMIT: usize = 64;
const CHUNK: usize = 16 * 1024;
/// Time limit for sending the last bytes of a departed client.
const LAST_BYTES: Duration = Duration::from_secs(2);
