//! Versions of the micro:bit: their identifiers and flash sizes.

/// Version of the micro:bit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Microbit {
    /// Name.
    pub(super) name: &'static str,
    /// Size of the flash, in bytes.
    pub(super) flash: u32,
    ids: &'static [&'static str],
}

/// Returns the version whose unique ids begin like this one.
pub(super) fn with_id(id: &str) -> Option<&'static Microbit> {
    MICROBITS.iter().find(|it| it.ids.contains(&id))
}

/// Versions with the beginnings of their unique ids (Micro:bit Educational Foundation, "DAPLink and Board IDs"), and
/// the flash of the nRF51822 and the nRF52833.
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
