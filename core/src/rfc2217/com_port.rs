//! The messages of COM-PORT-OPTION: RFC 2217, section 3.

use alloc::vec::Vec;

/// Request of a client, or its confirmation by the server. A server's codes are the client's plus
/// 100.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Text that names the program; empty to request the peer's.
    Signature(Vec<u8>),
    /// Bits per second; 0 requests the current speed.
    Baud(u32),
    /// Data bits, from 5 to 8; 0 requests the current number.
    DataSize(u8),
    /// Parity: 1 none, 2 odd, 3 even, 4 mark, 5 space; 0 requests the current one.
    Parity(u8),
    /// Stop bits: 1 one, 2 two, 3 one and a half; 0 requests the current number.
    StopSize(u8),
    /// A line, the break signal or flow control.
    Control(Control),
    /// From the server: a change of the line's state, as the bits of a 16550's register.
    LineState(u8),
    /// From the server: a change of CTS, DSR, RI or DCD, as the bits of a 16550's register.
    ModemState(u8),
    /// Send nothing until [`Resume`](Self::Resume).
    Suspend,
    /// Resume sending.
    Resume,
    /// Mask of the line's state bits to report.
    LineStateMask(u8),
    /// Mask of the modem's state bits to report.
    ModemStateMask(u8),
    /// Discard the content of the server's buffers.
    Purge(Purge),
}

/// Setting that a client makes with SET-CONTROL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Flow control between server and device, in either direction.
    FlowControl(FlowControl),
    /// The break signal is on.
    Break(bool),
    /// "Data terminal ready", which resets many boards when it changes.
    Dtr(bool),
    /// "Request to send", which selects the bootloader of many boards.
    Rts(bool),
    /// Another value of the RFC's table, for example a query.
    Other(u8),
}

/// Outbound and inbound flow control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowControl {
    /// None.
    None,
    /// Software flow control: XON and XOFF in the data.
    Software,
    /// RTS and CTS.
    Hardware,
}

/// Buffers to purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purge {
    /// Data from the device that has not been read.
    Receive,
    /// Data to the device that has not been sent.
    Transmit,
    /// Both.
    Both,
}

impl Message {
    /// Reads the content of a subnegotiation; `None` for a message that is too short, or of an unknown kind.
    pub(super) fn parse(content: &[u8], from: Side) -> Option<Self> {
        let (&code, value) = content.split_first()?;
        let byte = || value.first().copied();
        Some(match code.checked_sub(from.offset())? {
            0 => Self::Signature(value.to_vec()),
            1 => Self::Baud(u32::from_be_bytes(value.get(..4)?.try_into().ok()?)),
            2 => Self::DataSize(byte()?),
            3 => Self::Parity(byte()?),
            4 => Self::StopSize(byte()?),
            5 => Self::Control(Control::from_byte(byte()?)),
            6 => Self::LineState(byte()?),
            7 => Self::ModemState(byte()?),
            8 => Self::Suspend,
            9 => Self::Resume,
            10 => Self::LineStateMask(byte()?),
            11 => Self::ModemStateMask(byte()?),
            12 => Self::Purge(Purge::from_byte(byte()?)?),
            _ => return None,
        })
    }

    /// Writes the content of a subnegotiation.
    pub(super) fn write(&self, from: Side) -> Vec<u8> {
        let (code, value) = self.code_and_value();
        let mut content = Vec::from([code + from.offset()]);
        content.extend(value);
        content
    }

    fn code_and_value(&self) -> (u8, Vec<u8>) {
        match self {
            Self::Signature(text) => (0, text.clone()),
            Self::Baud(baud) => (1, baud.to_be_bytes().into()),
            Self::DataSize(bits) => (2, [*bits].into()),
            Self::Parity(parity) => (3, [*parity].into()),
            Self::StopSize(bits) => (4, [*bits].into()),
            Self::Control(control) => (5, [control.to_byte()].into()),
            Self::LineState(bits) => (6, [*bits].into()),
            Self::ModemState(bits) => (7, [*bits].into()),
            Self::Suspend => (8, Vec::new()),
            Self::Resume => (9, Vec::new()),
            Self::LineStateMask(mask) => (10, [*mask].into()),
            Self::ModemStateMask(mask) => (11, [*mask].into()),
            Self::Purge(purge) => (12, [purge.to_byte()].into()),
        }
    }
}

/// Sender of the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Client,
    Server,
}

impl Side {
    const fn offset(self) -> u8 {
        match self {
            Self::Client => 0,
            Self::Server => 100,
        }
    }
}

impl Control {
    const fn from_byte(byte: u8) -> Self {
        match byte {
            1 => Self::FlowControl(FlowControl::None),
            2 => Self::FlowControl(FlowControl::Software),
            3 => Self::FlowControl(FlowControl::Hardware),
            5 => Self::Break(true),
            6 => Self::Break(false),
            8 => Self::Dtr(true),
            9 => Self::Dtr(false),
            11 => Self::Rts(true),
            12 => Self::Rts(false),
            other => Self::Other(other),
        }
    }

    const fn to_byte(self) -> u8 {
        match self {
            Self::FlowControl(FlowControl::None) => 1,
            Self::FlowControl(FlowControl::Software) => 2,
            Self::FlowControl(FlowControl::Hardware) => 3,
            Self::Break(true) => 5,
            Self::Break(false) => 6,
            Self::Dtr(true) => 8,
            Self::Dtr(false) => 9,
            Self::Rts(true) => 11,
            Self::Rts(false) => 12,
            Self::Other(byte) => byte,
        }
    }
}

impl Purge {
    const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Receive),
            2 => Some(Self::Transmit),
            3 => Some(Self::Both),
            _ => None,
        }
    }

    const fn to_byte(self) -> u8 {
        match self {
            Self::Receive => 1,
            Self::Transmit => 2,
            Self::Both => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_read_as_it_is_written() {
        let mut messages: Vec<Message> = (0..=255)
            .map(|it| Message::Control(Control::from_byte(it)))
            .collect();
        messages.extend([
            Message::Signature(b"flylead".to_vec()),
            Message::Baud(921_600),
            Message::DataSize(8),
            Message::Parity(1),
            Message::StopSize(1),
            Message::LineState(0x60),
            Message::ModemState(0x30),
            Message::Suspend,
            Message::Resume,
            Message::LineStateMask(0),
            Message::ModemStateMask(255),
            Message::Purge(Purge::Both),
        ]);
        for message in messages {
            for side in [Side::Client, Side::Server] {
                let content = message.write(side);
                assert_eq!(Message::parse(&content, side), Some(message.clone()));
            }
        }
    }

    #[test]
    fn what_is_cut_short_or_unknown_is_no_message() {
        for content in [&[][..], &[1, 0, 0, 1], &[5], &[12, 9], &[13, 0], &[99]] {
            assert_eq!(Message::parse(content, Side::Client), None, "{content:?}");
        }
        assert_eq!(Message::parse(&[1, 0, 0, 1, 0], Side::Server), None);
    }
}
