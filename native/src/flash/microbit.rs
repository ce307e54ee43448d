//! The micro:bits: their identification, and how large their flash is.

/// A version of the micro:bit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Microbit {
    /// Its name.
    pub(super) name: &'static str,
    /// Length of its flash, in bytes.
    pub(super) flash: u32,
    ids: &'static [&'static str],
}

/// Returns the one with this beginning of a unique id.
pub(super) fn with_id(id: &str) -> Option<&'static Microbit> {
    MICROBITS.iter().find(|it| it.ids.contains(&id))
}

/// Beginnings of the unique ids (Micro:bit Educational Foundation, "DAPLink and Board IDs"); the flash of the nRF51822 and the nRF52833.
const MICROBITS: [Microbit; 2] = [
    Microbit {
        name: "micro:bit V1",
        flash: 256 << 10,
        ids: &["9900", "9901"],
    },
    Microbit {
        name: "micro:bit V2",
        flash: 512 << 10,
        ids: &["9903", "9904", "9905", "9906"],
    },
];
