//! Tests both sides with each other, and a client with servers that refuse.

use alloc::{vec, vec::Vec};

use super::{Client, ClientEvent, Control, LostReason, Message, Server, ServerEvent};
use crate::{Input, Instant, Pump};

const NOW: Instant = Instant::START;

struct Pair {
    client: Pump<Client>,
    server: Pump<Server>,
    piece: usize,
}

impl Pair {
    fn new(piece: usize) -> Self {
        Self {
            client: Pump::new(Client::new(NOW, 921_600)),
            server: Pump::new(Server::new()),
            piece,
        }
    }

    /// Passes bytes back and forth until both are quiet; the server confirms each requested setting.
    fn settle(&mut self) -> (Vec<ClientEvent>, Vec<ServerEvent>) {
        let (mut at_client, mut at_server) = (Vec::new(), Vec::new());
        loop {
            let to_server = self.client.take_transmit();
            let to_client = self.server.take_transmit();
            if to_server.is_empty() && to_client.is_empty() {
                return (at_client, at_server);
            }
            for piece in to_server.chunks(self.piece) {
                self.server.handle_input(NOW, Input::Bytes(piece));
            }
            for piece in to_client.chunks(self.piece) {
                self.client.handle_input(NOW, Input::Bytes(piece));
            }
            at_client.extend(core::iter::from_fn(|| self.client.poll_event()));
            while let Some(event) = self.server.poll_event() {
                if let ServerEvent::Asked(message) = &event {
                    self.server.command(|server| server.tell(message));
                }
                at_server.push(event);
            }
        }
    }
}

#[test]
fn a_port_is_opened_set_and_every_byte_passes_both_ways_however_the_stream_is_split() {
    let all: Vec<u8> = (0..=255).chain([255, 255, 13, 0, 10]).collect();
    for piece in [1, 2, 7, 4096] {
        let mut pair = Pair::new(piece);
        let (at_client, at_server) = pair.settle();
        assert_eq!(at_client, [ClientEvent::Opened { baud: 921_600 }]);
        assert!(at_server.contains(&ServerEvent::Asked(Message::Baud(921_600))));
        let dtr = Message::Control(Control::Dtr(false));
        pair.client.command(|client| client.write(&all)).unwrap();
        pair.client.command(|client| client.set(&dtr)).unwrap();
        pair.server.command(|server| server.write(&all));
        let (at_client, at_server) = pair.settle();
        assert_eq!(told(&at_client), core::slice::from_ref(&dtr));
        let data = at_client.into_iter().filter_map(|event| match event {
            ClientEvent::Data(bytes) => Some(bytes),
            _ => None,
        });
        assert_eq!(data.collect::<Vec<_>>().concat(), all);
        let data = at_server.into_iter().filter_map(|event| match event {
            ServerEvent::Data(bytes) => Some(bytes),
            _ => None,
        });
        assert_eq!(data.collect::<Vec<_>>().concat(), all);
    }
}

fn told(events: &[ClientEvent]) -> Vec<Message> {
    let told = events.iter().filter_map(|event| match event {
        ClientEvent::Told(message) => Some(message.clone()),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_server_that_asks_for_silence_gets_it_until_it_resumes() {
    let mut pair = Pair::new(4096);
    pair.settle();
    pair.server.command(|server| server.tell(&Message::Suspend));
    pair.settle();
    assert!(pair.client.machine().is_suspended());
    assert!(pair.client.command(|client| client.write(b"x")).is_err());
    pair.server.command(|server| server.tell(&Message::Resume));
    pair.settle();
    assert!(pair.client.command(|client| client.write(b"x")).is_ok());
}

#[test]
fn a_masked_change_of_a_line_is_not_told() {
    let mut pair = Pair::new(4096);
    pair.settle();
    let mask = Message::ModemStateMask(0x80);
    pair.client.command(|client| client.set(&mask)).unwrap();
    pair.settle();
    for state in [0x13, 0x93] {
        pair.server
            .command(|server| server.tell(&Message::ModemState(state)));
    }
    assert_eq!(told(&pair.settle().0), [Message::ModemState(0x80)]);
}

fn lost(client: &mut Pump<Client>) -> (LostReason, Vec<u8>) {
    let events: Vec<_> = core::iter::from_fn(|| client.poll_event()).collect();
    match events.last() {
        Some(ClientEvent::Lost { reason, said }) => (*reason, said.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_that_refuses_is_told_by_its_words_or_by_what_it_refuses() {
    // IAC WONT/DONT as in RFC 854.
    let cases: [(&[u8], LostReason, &[u8]); 3] = [
        (&[255, 254, 44], LostReason::NoPortControl, b""),
        (&[255, 253, 44, 255, 252, 0], LostReason::NotBinary, b""),
        (
            b"Port already in use\r\n",
            LostReason::Closed,
            b"Port already in use\r\n",
        ),
    ];
    for (bytes, reason, said) in cases {
        let mut client = Pump::new(Client::new(NOW, 9600));
        client.handle_input(NOW, Input::Bytes(bytes));
        client.handle_input(NOW, Input::Closed);
        assert_eq!(lost(&mut client), (reason, said.to_vec()), "{bytes:?}");
    }
}

#[test]
fn a_server_that_never_agrees_is_lost_after_five_seconds() {
    let mut client = Pump::new(Client::new(NOW, 9600));
    assert_eq!(client.deadline(), Some(Instant::from_millis(5000)));
    client.handle_input(Instant::from_millis(4999), Input::Timeout);
    assert!(client.poll_event().is_none());
    client.handle_input(Instant::from_millis(5000), Input::Timeout);
    assert_eq!(lost(&mut client), (LostReason::TimedOut, vec![]));
    assert_eq!(client.deadline(), None);
}

#[test]
fn what_a_device_prints_while_its_port_is_opened_is_not_lost() {
    let mut client = Pump::new(Client::new(NOW, 9600));
    client.handle_input(NOW, Input::Bytes(b">>> "));
    assert_eq!(
        client.poll_event(),
        Some(ClientEvent::Data(b">>> ".to_vec()))
    );
}

#[test]
fn a_client_that_sets_the_port_without_having_said_that_it_would_is_answered() {
    let mut server = Pump::new(Server::new());
    drop(server.take_transmit());
    // IAC SB COM-PORT-OPTION SET-DATASIZE 8 IAC SE, as pyserial sends it without IAC WILL COM-PORT-OPTION.
    server.handle_input(NOW, Input::Bytes(&[255, 250, 44, 2, 8, 255, 240]));
    let asked = ServerEvent::Asked(Message::DataSize(8));
    assert_eq!(server.poll_event(), Some(asked));
    server.command(|server| server.tell(&Message::DataSize(8)));
    assert_eq!(server.take_transmit(), [255, 250, 44, 102, 8, 255, 240]);
}
