//! Server that owns the serial port.

use alloc::{collections::VecDeque, vec::Vec};

use super::{
    com_port::{Message, Side},
    telnet::{BINARY, COM_PORT, Decoder, Item, Options, SUPPRESS_GO_AHEAD, Use, Verb},
    wire::{data, message},
};
use crate::{Input, Instant, Machine, Output};

/// The server's side of RFC 2217, for one client.
///
/// It owns no port: requests of the client arrive as [`Event::Asked`], and the result is [reported](Self::tell) to the
/// client, which waits for it.
#[derive(Debug)]
pub struct Server {
    decoder: Decoder,
    options: Options,
    line_state_mask: u8,
    modem_state_mask: u8,
    /// True if the client has requested a setting, which implies its consent to the option. pyserial 3.5 omits that
    /// consent if it receives this server's request before it has sent its own (`serial/rfc2217.py`,
    /// `TelnetOption.process_incoming`).
    has_asked: bool,
    is_suspended: bool,
    is_lost: bool,
    outputs: VecDeque<Output<Event>>,
}

/// Event that the server receives from its client.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Bytes for the device.
    Data(Vec<u8>),
    /// The client requests this setting, or queries it; report the result with [`Server::tell`].
    Asked(Message),
    /// The client has gone.
    Closed,
}

impl Server {
    /// Offers a port to a client that has just connected.
    #[must_use]
    pub fn new() -> Self {
        let mut options = Options::new();
        let mut asked = Vec::new();
        for (verb, option) in ASKED {
            options.ask(verb, option, &mut asked);
        }
        Self {
            decoder: Decoder::default(),
            options,
            line_state_mask: 0,
            // RFC 2217, section 3: all changes of the modem's lines are reported until the client requests otherwise.
            modem_state_mask: u8::MAX,
            has_asked: false,
            is_suspended: false,
            is_lost: false,
            outputs: [Output::Transmit(asked)].into(),
        }
    }

    /// Sends data from the device.
    pub fn write(&mut self, bytes: &[u8]) {
        self.transmit(data(bytes));
    }

    /// Reports a setting, or the change of a line, to the client. A change masked by the client is not reported.
    pub fn tell(&mut self, told: &Message) {
        let mut told = told.clone();
        if let Message::LineState(bits) = &mut told {
            *bits &= self.line_state_mask;
        } else if let Message::ModemState(bits) = &mut told {
            *bits &= self.modem_state_mask;
        }
        let is_masked = matches!(told, Message::LineState(0) | Message::ModemState(0));
        if !is_masked && self.has_port_control() {
            self.transmit(message(&told, Side::Server));
        }
    }

    /// Returns true if the client has requested silence.
    #[must_use]
    pub const fn is_suspended(&self) -> bool {
        self.is_suspended
    }

    /// Returns true if the client sets the port, rather than using plain telnet or no protocol.
    #[must_use]
    pub fn has_port_control(&self) -> bool {
        self.has_asked || self.options.theirs(COM_PORT) == Use::Yes
    }

    fn take(&mut self, item: Item<'_>) {
        match item {
            Item::Data(bytes) => self.event(Event::Data(bytes.into())),
            Item::Negotiation { verb, option } => {
                let mut answer = Vec::new();
                self.options.negotiate(verb, option, &mut answer);
                self.transmit(answer);
            }
            Item::Subnegotiation {
                option: COM_PORT,
                content,
            } => {
                if let Some(message) = Message::parse(content, Side::Client) {
                    self.has_asked = true;
                    self.asked(message);
                }
            }
            Item::Subnegotiation { .. } => {}
        }
    }

    /// Answers requests that do not concern the port, and passes on the rest.
    fn asked(&mut self, asked: Message) {
        match asked {
            Message::Signature(text) if text.is_empty() => {
                self.tell(&Message::Signature(SIGNATURE.to_vec()));
            }
            // The client's own name, which needs no answer.
            Message::Signature(_) => {}
            Message::Suspend => self.is_suspended = true,
            Message::Resume => self.is_suspended = false,
            Message::LineStateMask(mask) => {
                self.line_state_mask = mask;
                self.tell(&asked);
            }
            Message::ModemStateMask(mask) => {
                self.modem_state_mask = mask;
                self.tell(&asked);
            }
            Message::Baud(_)
            | Message::DataSize(_)
            | Message::Parity(_)
            | Message::StopSize(_)
            | Message::Control(_)
            | Message::LineState(_)
            | Message::ModemState(_)
            | Message::Purge(_) => self.event(Event::Asked(asked)),
        }
    }

    fn transmit(&mut self, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.outputs.push_back(Output::Transmit(bytes));
        }
    }

    fn event(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(event));
    }
}

impl Default for Server {
    fn default() -> Self {
        Self::new()
    }
}

impl Machine for Server {
    type Event = Event;

    fn handle_input(&mut self, _now: Instant, input: Input<'_>) {
        match input {
            Input::Bytes(bytes) if !self.is_lost => {
                let mut decoder = core::mem::take(&mut self.decoder);
                decoder.decode(bytes, |item| self.take(item));
                self.decoder = decoder;
            }
            Input::Closed if !self.is_lost => {
                self.is_lost = true;
                self.event(Event::Closed);
            }
            Input::Bytes(_) | Input::Closed | Input::Timeout => {}
        }
    }

    fn poll_output(&mut self) -> Output<Event> {
        self.outputs.pop_front().unwrap_or(Output::Idle(None))
    }
}

const ASKED: [(Verb, u8); 5] = [
    (Verb::Do, COM_PORT),
    (Verb::Will, BINARY),
    (Verb::Do, BINARY),
    (Verb::Will, SUPPRESS_GO_AHEAD),
    (Verb::Do, SUPPRESS_GO_AHEAD),
];
const SIGNATURE: &[u8] = b"flylead";
