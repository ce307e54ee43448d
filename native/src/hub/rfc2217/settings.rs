//! Settings of the serial line, as seen by a client of RFC 2217.

use flylead_core::rfc2217::{Control, FlowControl, Message};

/// Line of a board: 8 data bits, no parity, 1 stop bit, no flow control; DTR and RTS on, as systems open ports.
#[derive(Debug, Clone, Copy)]
pub(in crate::hub) struct Settings {
    baud: u32,
    dtr: bool,
    rts: bool,
    is_broken: bool,
}

impl Settings {
    pub(in crate::hub) fn new(baud: u32) -> Self {
        Self {
            baud,
            dtr: true,
            rts: true,
            is_broken: false,
        }
    }

    /// Returns the immediate answer to a query, to a setting already in effect, or to one with no alternative; `None`
    /// if the line has to be set.
    pub(super) fn answer(&self, asked: &Message) -> Option<Message> {
        let now = self.now(asked);
        let changes = if let Message::Baud(baud) = asked {
            *baud != 0 && *baud != self.baud
        } else if let Message::Control(Control::Dtr(_) | Control::Rts(_) | Control::Break(_)) =
            asked
        {
            now != *asked
        } else {
            false
        };
        (!changes).then_some(now)
    }

    /// Returns the current setting, in the form of a query or a request.
    pub(in crate::hub) fn now(&self, asked: &Message) -> Message {
        match asked {
            Message::Baud(_) => Message::Baud(self.baud),
            Message::DataSize(_) => Message::DataSize(8),
            Message::Parity(_) => Message::Parity(1),
            Message::StopSize(_) => Message::StopSize(1),
            Message::Control(control) => Message::Control(self.control(*control)),
            // Nothing is buffered here that could be purged: the board's bytes are passed on as they come.
            Message::Purge(_)
            | Message::Signature(_)
            | Message::LineState(_)
            | Message::ModemState(_)
            | Message::Suspend
            | Message::Resume
            | Message::LineStateMask(_)
            | Message::ModemStateMask(_) => asked.clone(),
        }
    }

    /// Answers the queries of SET-CONTROL (RFC 2217, section 3).
    fn control(&self, asked: Control) -> Control {
        match asked {
            Control::Other(4) | Control::Break(_) => Control::Break(self.is_broken),
            Control::Other(7) | Control::Dtr(_) => Control::Dtr(self.dtr),
            Control::Other(10) | Control::Rts(_) => Control::Rts(self.rts),
            // Inbound flow control: none.
            Control::Other(13..=16) => Control::Other(14),
            Control::FlowControl(_) | Control::Other(_) => Control::FlowControl(FlowControl::None),
        }
    }

    /// Records that a setting was made.
    pub(in crate::hub) fn set(&mut self, setting: &Message) {
        if let Message::Baud(baud) = setting {
            self.baud = *baud;
        }
        let Message::Control(control) = setting else {
            return;
        };
        match control {
            Control::Dtr(on) => self.dtr = *on,
            Control::Rts(on) => self.rts = *on,
            Control::Break(on) => self.is_broken = *on,
            Control::FlowControl(_) | Control::Other(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_so_already_is_answered_and_what_changes_the_line_is_not() {
        let mut settings = Settings::new(115_200);
        let dtr = |on| Message::Control(Control::Dtr(on));
        assert_eq!(
            settings.answer(&Message::Baud(0)),
            Some(Message::Baud(115_200))
        );
        assert_eq!(settings.answer(&Message::Baud(9600)), None);
        assert_eq!(settings.answer(&dtr(true)), Some(dtr(true)));
        assert_eq!(settings.answer(&dtr(false)), None);
        settings.set(&dtr(false));
        let question = Message::Control(Control::Other(7));
        assert_eq!(settings.answer(&question), Some(dtr(false)));
        assert_eq!(
            settings.answer(&Message::DataSize(7)),
            Some(Message::DataSize(8))
        );
    }
}
