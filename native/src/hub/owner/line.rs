//! Tracks a tool's changes to the settings of the line.

use flylead_core::rfc2217::{Control, Message};

/// Settings to restore at the end of a tool's turn.
#[derive(Debug, Default)]
pub(super) struct Changes {
    baud: bool,
    dtr: bool,
    rts: bool,
    breaks: bool,
}

impl Changes {
    /// Records that a tool changes a setting of a line with this speed.
    pub(super) fn note(&mut self, setting: &Message, own_baud: u32) {
        if let Message::Baud(baud) = setting {
            self.baud = *baud != own_baud;
        }
        let Message::Control(control) = setting else {
            return;
        };
        match control {
            Control::Dtr(on) => self.dtr = !on,
            Control::Rts(on) => self.rts = !on,
            Control::Break(on) => self.breaks = *on,
            Control::FlowControl(_) | Control::Other(_) => {}
        }
    }

    /// Returns the messages that restore the settings, and forgets them. DTR comes before RTS: an
    /// ESP32 is held in reset while RTS alone is on
    /// (<https://docs.espressif.com/projects/esptool/en/latest/esp32/advanced-topics/boot-mode-selection.html>,
    /// "Automatic Bootloader"), and boards on USB are silent while DTR is off.
    pub(super) fn undo(&mut self, own_baud: u32) -> impl Iterator<Item = Message> + use<> {
        let changes = std::mem::take(self);
        let control = |is_changed, control| (is_changed, Message::Control(control));
        let all = [
            (changes.baud, Message::Baud(own_baud)),
            control(changes.breaks, Control::Break(false)),
            control(changes.dtr, Control::Dtr(true)),
            control(changes.rts, Control::Rts(true)),
        ];
        all.into_iter()
            .filter_map(|(is_changed, setting)| is_changed.then_some(setting))
    }
}
