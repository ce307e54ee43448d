use alloc::{format, string::String};

/// Kind of an ESP32 chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chip {
    /// Number in the header of an image, which the chip's boot ROM reports, too.
    pub number: u16,
    /// Name, such as `ESP32-S3`.
    pub name: &'static str,
    /// Flash address at which its boot ROM looks for the boot loader.
    pub boot: u32,
}

/// Chips by their numbers (esp-idf, `esp_chip_id_t`), with the addresses of their boot loaders.
const CHIPS: [Chip; 8] = [
    chip(0, "ESP32", 0x1000),
    chip(2, "ESP32-S2", 0x1000),
    chip(5, "ESP32-C3", 0),
    chip(9, "ESP32-S3", 0),
    chip(12, "ESP32-C2", 0),
    chip(13, "ESP32-C6", 0),
    chip(18, "ESP32-P4", 0x2000),
    chip(23, "ESP32-C5", 0x2000),
];

const fn chip(number: u16, name: &'static str, boot: u32) -> Chip {
    Chip { number, name, boot }
}

impl Chip {
    /// Finds a chip by the name that MicroPython gives it, such as `ESP32S3` or `ESP32-D0WDQ6`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let plain = |name: &str| name.replace('-', "").to_ascii_uppercase();
        let name = plain(name);
        let named = CHIPS.into_iter().find(|chip| plain(chip.name) == name);
        // Names of the first chip continue with its package. Those of the others do not begin so.
        let first = || {
            let is_first = name.starts_with("ESP32D") || name.starts_with("ESP32U");
            is_first.then_some(CHIPS[0])
        };
        named.or_else(first)
    }

    /// Finds a chip by its number.
    #[must_use]
    pub fn numbered(number: u16) -> Option<Self> {
        Self::all().find(|chip| chip.number == number)
    }

    /// Returns all known chips.
    pub fn all() -> impl Iterator<Item = Self> {
        CHIPS.into_iter()
    }

    /// Returns the name under which MicroPython lists firmware for any board with this chip, such as
    /// `ESP32_GENERIC_S3`.
    #[must_use]
    pub fn generic_board(self) -> String {
        format!(
            "ESP32_GENERIC{}",
            self.name.trim_start_matches("ESP32").replace('-', "_")
        )
    }

    /// Returns true if a chip with this name, as MicroPython gives it, may take an image for this one: an unknown chip
    /// will be queried.
    #[must_use]
    pub fn may_be(self, name: &str) -> bool {
        name.starts_with("ESP") && Self::named(name).is_none_or(|named| named == self)
    }
}
