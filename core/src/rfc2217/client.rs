//! Client that uses a serial port of another computer.

use alloc::{collections::VecDeque, vec::Vec};
use core::time::Duration;

use super::{
    com_port::{Control, FlowControl, Message, Side},
    telnet::{BINARY, COM_PORT, Decoder, Item, Options, SUPPRESS_GO_AHEAD, Use, Verb},
    wire::{data, message},
};
use crate::{Input, Instant, Machine, Output};

/// The client's side of RFC 2217.
///
/// It requests the port immediately; after [`Event::Opened`], [written](Self::write) bytes reach the device.
///
/// A client and a port that answers in capitals, both with the one-page [driver](crate::Pump):
///
/// ```
/// use flylead_core::rfc2217::{Client, ClientEvent, Server, ServerEvent};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/driver.rs"));
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// let (mut socket, mut port) = UnixStream::pair()?;
/// std::thread::spawn(move || {
///     drive(&mut port, &mut Pump::new(Server::new()), |server, event| {
///         match event {
///             ServerEvent::Data(bytes) => server.command(|port| port.write(&bytes.to_ascii_uppercase())),
///             ServerEvent::Asked(setting) => server.command(|port| port.tell(&setting)),
///             _ => {}
///         }
///         true
///     })
/// });
/// let mut client = Pump::new(Client::new(Instant::START, 115_200));
/// let mut said = Vec::new();
/// drive(&mut socket, &mut client, |client, event| match event {
///     ClientEvent::Opened { .. } => client.command(|port| port.write(b"hello")).is_ok(),
///     ClientEvent::Data(bytes) => {
///         said.extend(bytes);
///         said.len() < 5
///     }
///     _ => true,
/// })?;
/// assert_eq!(said, b"HELLO");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Client {
    decoder: Decoder,
    options: Options,
    baud: u32,
    stage: Stage,
    is_suspended: bool,
    outputs: VecDeque<Output<Event>>,
}

#[derive(Debug)]
enum Stage {
    /// Telnet's options are negotiated, then the speed is set. A server that refuses the port sends its reason as text.
    Opening {
        deadline: Instant,
        said: Vec<u8>,
        has_set_baud: bool,
    },
    Open,
    Lost,
}

/// Event for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The port is open. Its speed, in bits per second, may differ from the requested one.
    Opened {
        /// Rate that the server set.
        baud: u32,
    },
    /// The device sent these bytes.
    Data(Vec<u8>),
    /// The server reports a setting, or a change of a line.
    Told(Message),
    /// The connection is lost: nothing more arrives, and nothing can be sent.
    Lost {
        /// Reason for the loss.
        reason: LostReason,
        /// Text from the server before the port was open, usually its reason; at most 256 bytes.
        said: Vec<u8>,
    },
}

/// Reason why the port is not available, or no longer available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostReason {
    /// The server ended the connection.
    Closed,
    /// The server supports telnet, but does not let clients set a port.
    NoPortControl,
    /// The server would change bytes in transit.
    NotBinary,
    /// The server did not agree within five seconds.
    TimedOut,
}

impl Client {
    /// Requests the port at a speed in bits per second, with 8 data bits, no parity, 1 stop bit and no flow control.
    /// DTR and RTS are left unchanged.
    #[must_use]
    pub fn new(now: Instant, baud: u32) -> Self {
        let mut options = Options::new();
        let mut asked = Vec::new();
        for (verb, option) in ASKED {
            options.ask(verb, option, &mut asked);
        }
        Self {
            decoder: Decoder::default(),
            options,
            baud,
            stage: Stage::Opening {
                deadline: now + ANSWER_TIMEOUT,
                said: Vec::new(),
                has_set_baud: false,
            },
            is_suspended: false,
            outputs: [Output::Transmit(asked)].into(),
        }
    }

    /// Sends bytes to the device.
    ///
    /// # Errors
    /// The port is not open, or the server requested silence: the bytes were not accepted.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), NotNow> {
        if self.is_suspended || !matches!(self.stage, Stage::Open) {
            return Err(NotNow);
        }
        self.transmit(data(bytes));
        Ok(())
    }

    /// Requests a setting; the server's answer arrives as [`Event::Told`].
    ///
    /// # Errors
    /// The port is not open.
    pub fn set(&mut self, setting: &Message) -> Result<(), NotNow> {
        if !matches!(self.stage, Stage::Open) {
            return Err(NotNow);
        }
        self.transmit(message(setting, Side::Client));
        Ok(())
    }

    /// Returns true if the server has requested silence.
    #[must_use]
    pub const fn is_suspended(&self) -> bool {
        self.is_suspended
    }

    fn take(&mut self, item: Item<'_>) {
        match item {
            // Bytes after a refusal in the same read are ignored.
            _ if matches!(self.stage, Stage::Lost) => {}
            Item::Data(bytes) => self.data(bytes),
            Item::Negotiation { verb, option } => {
                let mut answer = Vec::new();
                self.options.negotiate(verb, option, &mut answer);
                self.transmit(answer);
                self.negotiated();
            }
            Item::Subnegotiation {
                option: COM_PORT,
                content,
            } => {
                if let Some(message) = Message::parse(content, Side::Server) {
                    self.told(message);
                }
            }
            Item::Subnegotiation { .. } => {}
        }
    }

    fn data(&mut self, bytes: &[u8]) {
        if let Stage::Opening { said, .. } = &mut self.stage {
            let room = SAID_LIMIT.saturating_sub(said.len());
            said.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        self.event(Event::Data(bytes.into()));
    }

    /// Sets the port once telnet's options are agreed, or gives up if one of them is refused.
    fn negotiated(&mut self) {
        let Stage::Opening { has_set_baud, .. } = &mut self.stage else {
            return;
        };
        let both = [
            self.options.ours(BINARY),
            self.options.theirs(BINARY),
            self.options.ours(COM_PORT),
        ];
        if both[2] == Use::Refused {
            self.lose(LostReason::NoPortControl);
        } else if both.contains(&Use::Refused) {
            self.lose(LostReason::NotBinary);
        } else if both == [Use::Yes; 3] && !*has_set_baud {
            *has_set_baud = true;
            for setting in settings(self.baud) {
                self.transmit(message(&setting, Side::Client));
            }
        }
    }

    fn told(&mut self, message: Message) {
        match (&self.stage, message) {
            (Stage::Opening { .. }, Message::Baud(baud)) => {
                self.stage = Stage::Open;
                self.event(Event::Opened { baud });
            }
            (_, Message::Suspend) => self.is_suspended = true,
            (_, Message::Resume) => self.is_suspended = false,
            (Stage::Open, message) => self.event(Event::Told(message)),
            (Stage::Opening { .. } | Stage::Lost, _) => {}
        }
    }

    fn lose(&mut self, reason: LostReason) {
        let said = match core::mem::replace(&mut self.stage, Stage::Lost) {
            Stage::Opening { said, .. } => said,
            Stage::Open => Vec::new(),
            Stage::Lost => return,
        };
        self.event(Event::Lost { reason, said });
    }

    fn transmit(&mut self, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.outputs.push_back(Output::Transmit(bytes));
        }
    }

    fn event(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(event));
    }

    fn deadline(&self) -> Option<Instant> {
        match self.stage {
            Stage::Opening { deadline, .. } => Some(deadline),
            Stage::Open | Stage::Lost => None,
        }
    }
}

impl Machine for Client {
    type Event = Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        if matches!(self.stage, Stage::Lost) {
            return;
        }
        match input {
            Input::Bytes(bytes) => {
                let mut decoder = core::mem::take(&mut self.decoder);
                decoder.decode(bytes, |item| self.take(item));
                self.decoder = decoder;
            }
            Input::Closed => self.lose(LostReason::Closed),
            Input::Timeout => {
                if self.deadline().is_some_and(|deadline| deadline <= now) {
                    self.lose(LostReason::TimedOut);
                }
            }
        }
    }

    fn poll_output(&mut self) -> Output<Event> {
        let next = self.outputs.pop_front();
        next.unwrap_or_else(|| Output::Idle(self.deadline()))
    }
}

/// Error: the bytes were not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotNow;

impl core::fmt::Display for NotNow {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the port is not accepting data")
    }
}

impl core::error::Error for NotNow {}

const fn settings(baud: u32) -> [Message; 5] {
    [
        Message::DataSize(8),
        Message::Parity(1),
        Message::StopSize(1),
        Message::Control(Control::FlowControl(FlowControl::None)),
        // The last setting: its confirmation shows that the others were accepted.
        Message::Baud(baud),
    ]
}

const ASKED: [(Verb, u8); 5] = [
    (Verb::Will, COM_PORT),
    (Verb::Will, BINARY),
    (Verb::Do, BINARY),
    (Verb::Will, SUPPRESS_GO_AHEAD),
    (Verb::Do, SUPPRESS_GO_AHEAD),
];
/// Time that a server has to agree; a port of ser2net that must be opened first takes well under a
/// second.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// Limit of a server's message in place of a port, in bytes.
const SAID_LIMIT: usize = 256;
