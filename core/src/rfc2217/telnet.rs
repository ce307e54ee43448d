//! Telnet's framing and its negotiation of options: RFC 854, RFC 855, and the rules of RFC 1143 against endless
//! negotiation.

use alloc::vec::Vec;

use memchr::memchr;

/// "Interpret as command": the byte that begins every command, and is doubled in data (RFC 854).
const IAC: u8 = 255;
const DONT: u8 = 254;
const DO: u8 = 253;
const WONT: u8 = 252;
const WILL: u8 = 251;
const SB: u8 = 250;
const SE: u8 = 240;

/// RFC 856: eight bits, and carriage returns have no special meaning.
pub(super) const BINARY: u8 = 0;
/// RFC 858: neither side waits for a turn.
pub(super) const SUPPRESS_GO_AHEAD: u8 = 3;
/// RFC 2217, section 2.
pub(super) const COM_PORT: u8 = 44;

/// An item of a telnet stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item<'a> {
    Data(&'a [u8]),
    Negotiation { verb: Verb, option: u8 },
    Subnegotiation { option: u8, content: &'a [u8] },
}

/// Statement of one side about an option of its own (`Will`, `Wont`) or of its peer (`Do`, `Dont`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Will,
    Wont,
    Do,
    Dont,
}

impl Verb {
    const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            WILL => Some(Self::Will),
            WONT => Some(Self::Wont),
            DO => Some(Self::Do),
            DONT => Some(Self::Dont),
            _ => None,
        }
    }

    const fn to_byte(self) -> u8 {
        match self {
            Self::Will => WILL,
            Self::Wont => WONT,
            Self::Do => DO,
            Self::Dont => DONT,
        }
    }
}

/// Decodes a telnet stream. Any bytes, split anywhere, give the same data and the same commands.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    state: State,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Data,
    /// After `IAC`.
    Command,
    /// After `IAC WILL` and similar commands.
    Negotiation(Verb),
    /// Between `IAC SB` and `IAC SE`: the option, then its content, with doubled `IAC`s made single.
    Subnegotiation(Vec<u8>),
    /// After an `IAC` inside a subnegotiation.
    SubnegotiationCommand(Vec<u8>),
}

impl Decoder {
    /// Hands each item of `bytes` to `take`, in order.
    pub(super) fn decode(&mut self, mut bytes: &[u8], mut take: impl FnMut(Item<'_>)) {
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Data => self.data(bytes, &mut take),
                State::Subnegotiation(_) => self.content(bytes),
                State::Command | State::Negotiation(_) | State::SubnegotiationCommand(_) => {
                    self.command(bytes[0], &mut take);
                    &bytes[1..]
                }
            };
        }
    }

    fn data<'a>(&mut self, bytes: &'a [u8], take: &mut impl FnMut(Item<'_>)) -> &'a [u8] {
        let (data, rest) = bytes.split_at(memchr(IAC, bytes).unwrap_or(bytes.len()));
        if !data.is_empty() {
            take(Item::Data(data));
        }
        match rest.split_first() {
            Some((_, rest)) => {
                self.state = State::Command;
                rest
            }
            None => rest,
        }
    }

    fn content<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (content, rest) = bytes.split_at(memchr(IAC, bytes).unwrap_or(bytes.len()));
        let State::Subnegotiation(held) = &mut self.state else {
            return rest;
        };
        hold(held, content);
        match rest.split_first() {
            Some((_, rest)) => {
                let held = core::mem::take(held);
                self.state = State::SubnegotiationCommand(held);
                rest
            }
            None => rest,
        }
    }

    fn command(&mut self, byte: u8, take: &mut impl FnMut(Item<'_>)) {
        self.state = match core::mem::take(&mut self.state) {
            State::Command => match (byte, Verb::from_byte(byte)) {
                (IAC, _) => {
                    take(Item::Data(&[IAC]));
                    State::Data
                }
                (SB, _) => State::Subnegotiation(Vec::new()),
                (_, Some(verb)) => State::Negotiation(verb),
                // No operation, "are you there?" and similar commands require no action here.
                (_, None) => State::Data,
            },
            State::Negotiation(verb) => {
                take(Item::Negotiation { verb, option: byte });
                State::Data
            }
            State::SubnegotiationCommand(mut held) => match byte {
                SE => {
                    subnegotiation(&held, take);
                    State::Data
                }
                IAC => {
                    hold(&mut held, &[IAC]);
                    State::Subnegotiation(held)
                }
                // Not allowed here; some servers forget to double 255, so it counts as content.
                other => {
                    hold(&mut held, &[IAC, other]);
                    State::Subnegotiation(held)
                }
            },
            state @ (State::Data | State::Subnegotiation(_)) => state,
        };
    }
}

/// Stores content up to the limit. Longer content does not belong to any option known here: it is read to its end and
/// dropped.
fn hold(held: &mut Vec<u8>, content: &[u8]) {
    let room = SUBNEGOTIATION_LIMIT.saturating_sub(held.len());
    held.extend_from_slice(&content[..content.len().min(room)]);
}

fn subnegotiation(held: &[u8], take: &mut impl FnMut(Item<'_>)) {
    if let Some((&option, content)) = held.split_first()
        && held.len() < SUBNEGOTIATION_LIMIT
    {
        take(Item::Subnegotiation { option, content });
    }
}

/// Appends data with every 255 doubled.
pub(super) fn escape(mut data: &[u8], to: &mut Vec<u8>) {
    while let Some(at) = memchr(IAC, data) {
        to.extend_from_slice(&data[..=at]);
        to.push(IAC);
        data = &data[at + 1..];
    }
    to.extend_from_slice(data);
}

/// Appends a subnegotiation of an option.
pub(super) fn subnegotiate(option: u8, content: &[u8], to: &mut Vec<u8>) {
    to.extend([IAC, SB, option]);
    escape(content, to);
    to.extend([IAC, SE]);
}

/// Options in use, on either side.
///
/// A side answers only requests that change something, so that two sides never answer each other endlessly (RFC 1143).
#[derive(Debug)]
pub(super) struct Options {
    ours: [Use; KNOWN.len()],
    theirs: [Use; KNOWN.len()],
}

/// State of an option on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    No,
    Asked,
    Yes,
    Refused,
}

impl Options {
    /// Creates the options, none of which are in use.
    pub(super) const fn new() -> Self {
        Self {
            ours: [Use::No; KNOWN.len()],
            theirs: [Use::No; KNOWN.len()],
        }
    }

    /// Asks the peer for permission to use an option (`Will`), or to use it (`Do`).
    pub(super) fn ask(&mut self, verb: Verb, option: u8, to: &mut Vec<u8>) {
        if let Some(state) = self.side(verb, option)
            && *state == Use::No
        {
            *state = Use::Asked;
            to.extend([IAC, verb.to_byte(), option]);
        }
    }

    /// Handles a statement of the peer, and answers it if necessary.
    pub(super) fn negotiate(&mut self, verb: Verb, option: u8, to: &mut Vec<u8>) {
        // The peer's `Do` concerns this side, its `Will` the peer's side.
        let (yes, no) = match verb {
            Verb::Do | Verb::Dont => (Verb::Will, Verb::Wont),
            Verb::Will | Verb::Wont => (Verb::Do, Verb::Dont),
        };
        let agrees = matches!(verb, Verb::Do | Verb::Will);
        let Some(state) = self.side(yes, option) else {
            if agrees {
                to.extend([IAC, no.to_byte(), option]);
            }
            return;
        };
        match (*state, agrees) {
            (Use::Asked, true) | (Use::Yes, true) => *state = Use::Yes,
            (Use::No | Use::Refused, true) => {
                *state = Use::Yes;
                to.extend([IAC, yes.to_byte(), option]);
            }
            (Use::Yes, false) => {
                *state = Use::Refused;
                to.extend([IAC, no.to_byte(), option]);
            }
            (Use::No | Use::Asked | Use::Refused, false) => *state = Use::Refused,
        }
    }

    /// Returns the state of an option on this side.
    pub(super) fn ours(&self, option: u8) -> Use {
        position(option).map_or(Use::Refused, |at| self.ours[at])
    }

    /// Returns the state of an option on the peer's side.
    pub(super) fn theirs(&self, option: u8) -> Use {
        position(option).map_or(Use::Refused, |at| self.theirs[at])
    }

    fn side(&mut self, verb: Verb, option: u8) -> Option<&mut Use> {
        let at = position(option)?;
        Some(match verb {
            Verb::Will | Verb::Wont => &mut self.ours[at],
            Verb::Do | Verb::Dont => &mut self.theirs[at],
        })
    }
}

fn position(option: u8) -> Option<usize> {
    KNOWN.iter().position(|&known| known == option)
}

const KNOWN: [u8; 3] = [BINARY, SUPPRESS_GO_AHEAD, COM_PORT];
/// Length limit of a subnegotiation, in bytes: the longest content of COM-PORT-OPTION is a signature, a line of text.
const SUBNEGOTIATION_LIMIT: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, string::String, vec};

    /// Decodes a stream, joining data, because a split of the stream may split it anywhere.
    fn decode(stream: &[u8], piece: usize) -> Vec<String> {
        let mut decoder = Decoder::default();
        let mut items: Vec<String> = Vec::new();
        let mut data: Vec<u8> = Vec::new();
        for bytes in stream.chunks(piece) {
            decoder.decode(bytes, |item| match item {
                Item::Data(bytes) => data.extend_from_slice(bytes),
                other => {
                    items.push(format!("{:?}", core::mem::take(&mut data)));
                    items.push(format!("{other:?}"));
                }
            });
        }
        items.push(format!("{data:?}"));
        items
    }

    #[test]
    fn a_stream_is_taken_apart_the_same_however_it_is_split() {
        let stream = [
            b"ab\xff\xffc".as_slice(),
            &[IAC, WILL, BINARY, IAC, 241],
            &[IAC, SB, COM_PORT, 101, 0, 1, IAC, IAC, 0, IAC, SE],
            b"\xff\xff\r\0d",
        ]
        .concat();
        let whole = decode(&stream, stream.len());
        assert_eq!(
            whole,
            [
                "[97, 98, 255, 99]",
                "Negotiation { verb: Will, option: 0 }",
                "[]",
                "Subnegotiation { option: 44, content: [101, 0, 1, 255, 0] }",
                "[255, 13, 0, 100]"
            ]
        );
        for piece in 1..stream.len() {
            assert_eq!(decode(&stream, piece), whole, "in pieces of {piece}");
        }
    }

    #[test]
    fn what_is_escaped_decodes_to_itself() {
        let data: Vec<u8> = (0..=255).chain([IAC, IAC, SE, SB]).collect();
        let mut escaped = Vec::new();
        escape(&data, &mut escaped);
        assert_eq!(escaped.len(), data.len() + 3);
        assert_eq!(decode(&escaped, 3), [format!("{data:?}")]);
    }

    /// Decodes 20 kB made of `unit`, and asserts that the decoder stores no more than its limit and still finds the
    /// end.
    fn flood(unit: &[u8], piece: usize) {
        let mut decoder = Decoder::default();
        decoder.decode(&[IAC, SB, COM_PORT], |_| ());
        let stream = unit.repeat(20_000 / unit.len());
        for bytes in stream.chunks(piece) {
            decoder.decode(bytes, |item| panic!("{unit:?}: {item:?}"));
            let (State::Subnegotiation(held) | State::SubnegotiationCommand(held)) = &decoder.state
            else {
                panic!("{unit:?}: it goes on");
            };
            let capacity = held.capacity();
            assert!(capacity <= 2 * SUBNEGOTIATION_LIMIT, "{unit:?}: {capacity}");
        }
        decoder.decode(&[IAC, SE], |item| panic!("{unit:?}: {item:?}"));
        decoder.decode(b"data", |item| assert_eq!(item, Item::Data(b"data")));
    }

    #[test]
    fn a_subnegotiation_without_an_end_holds_no_more_than_its_limit_whatever_it_is_made_of() {
        for byte in 0..=u8::MAX {
            if byte != IAC {
                flood(&[byte], 1000);
            }
            if byte != SE {
                flood(&[IAC, byte], 4096);
                flood(&[IAC, byte, IAC, IAC, 7], 999);
            }
        }
    }

    #[test]
    fn an_answer_is_given_once_and_only_to_what_changes_something() {
        let mut options = Options::new();
        let mut said = Vec::new();
        options.ask(Verb::Will, COM_PORT, &mut said);
        options.negotiate(Verb::Do, COM_PORT, &mut said);
        options.negotiate(Verb::Do, COM_PORT, &mut said);
        assert_eq!(said, [IAC, WILL, COM_PORT]);
        assert_eq!(options.ours(COM_PORT), Use::Yes);
        said.clear();
        options.negotiate(Verb::Will, BINARY, &mut said);
        options.negotiate(Verb::Will, BINARY, &mut said);
        options.negotiate(Verb::Do, 24, &mut said);
        options.negotiate(Verb::Wont, 24, &mut said);
        assert_eq!(said, vec![IAC, DO, BINARY, IAC, WONT, 24]);
    }

    #[test]
    fn two_sides_that_both_ask_come_to_rest() {
        let (mut one, mut other) = (Options::new(), Options::new());
        let (mut to_other, mut to_one) = (Vec::new(), Vec::new());
        for option in KNOWN {
            one.ask(Verb::Will, option, &mut to_other);
            one.ask(Verb::Do, option, &mut to_other);
            other.ask(Verb::Do, option, &mut to_one);
            other.ask(Verb::Will, option, &mut to_one);
        }
        let mut rounds = 0;
        while !(to_one.is_empty() && to_other.is_empty()) {
            rounds += 1;
            assert!(rounds < 4, "they answer each other forever");
            pass(&core::mem::take(&mut to_other), &mut other, &mut to_one);
            pass(&core::mem::take(&mut to_one), &mut one, &mut to_other);
        }
        assert!(
            KNOWN
                .iter()
                .all(|&it| one.ours(it) == Use::Yes && one.theirs(it) == Use::Yes)
        );
    }

    fn pass(bytes: &[u8], to: &mut Options, answers: &mut Vec<u8>) {
        Decoder::default().decode(bytes, |item| {
            if let Item::Negotiation { verb, option } = item {
                to.negotiate(verb, option, answers);
            }
        });
    }
}
