//! Families: kinds of chips that firmware is built for.

use core::fmt;

/// Kind of chip that firmware is built for, by its number in `utils/uf2families.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Family(pub u32);

impl Family {
    /// Raspberry Pi RP2040.
    pub const RP2040: Self = Self(0xe48b_ff56);
    /// Raspberry Pi chips, with absolute addresses of the flash.
    pub const RP2XXX_ABSOLUTE: Self = Self(0xe48b_ff57);
    /// Raspberry Pi chips, data only.
    pub const RP2XXX_DATA: Self = Self(0xe48b_ff58);
    /// Raspberry Pi RP2350, its Arm cores.
    pub const RP2350_ARM_S: Self = Self(0xe48b_ff59);
    /// Raspberry Pi RP2350, its RISC-V cores.
    pub const RP2350_RISCV: Self = Self(0xe48b_ff5a);
    /// Raspberry Pi RP2350, its Arm cores in the non-secure state.
    pub const RP2350_ARM_NS: Self = Self(0xe48b_ff5b);
    /// Microchip SAMD21.
    pub const SAMD21: Self = Self(0x68ed_2b88);
    /// Microchip SAMD51, and SAME5x.
    pub const SAMD51: Self = Self(0x5511_4460);
    /// Microchip SAML21.
    pub const SAML21: Self = Self(0x1851_780a);
    /// Espressif ESP32.
    pub const ESP32: Self = Self(0x1c5f_21b0);
    /// Espressif ESP32-S2.
    pub const ESP32_S2: Self = Self(0xbfdd_4eee);
    /// Espressif ESP32-S3.
    pub const ESP32_S3: Self = Self(0xc47e_5767);
    /// Nordic nRF52.
    pub const NRF52: Self = Self(0x1b57_745f);
    /// Nordic nRF52833.
    pub const NRF52833: Self = Self(0x621e_937a);
    /// Nordic nRF52840.
    pub const NRF52840: Self = Self(0xada5_2840);
    /// ST STM32F4.
    pub const STM32F4: Self = Self(0x5775_5a57);
    /// NXP i.MX RT10xx.
    pub const MIMXRT10XX: Self = Self(0x4fb2_d5bd);

    /// Returns the name of the chip, if known.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let (_, name) = NAMES.iter().find(|(family, _)| *family == self)?;
        Some(name)
    }

    /// Finds the family with this name; case, hyphens and underscores do not matter.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let is_it = |known: &str| letters(known).eq(letters(name));
        let (family, _) = NAMES.iter().find(|(_, known)| is_it(known))?;
        Some(*family)
    }

    /// Returns the families that a boot loader accepts, by the `Board-ID` of its drive or the name of its chip; `None`
    /// for unknown ones.
    #[must_use]
    pub fn accepted_by(board_id: &str) -> Option<&'static [Self]> {
        let begins_with = |known: &str| {
            let mut id = letters(board_id);
            letters(known).all(|letter| id.next() == Some(letter))
        };
        let (_, families) = BOARDS.iter().find(|(known, _)| begins_with(known))?;
        Some(families)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "the unknown family {:#010x}", self.0),
        }
    }
}

fn letters(text: &str) -> impl Iterator<Item = u8> {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase())
}

const NAMES: [(Family, &str); 48] = [
    (Family::RP2040, "RP2040"),
    (Family::RP2XXX_ABSOLUTE, "RP2xxx at absolute addresses"),
    (Family::RP2XXX_DATA, "RP2xxx data"),
    (Family::RP2350_ARM_S, "RP2350"),
    (Family::RP2350_RISCV, "RP2350 RISC-V"),
    (Family::RP2350_ARM_NS, "RP2350 non-secure"),
    (Family::SAMD21, "SAMD21"),
    (Family::SAMD51, "SAMD51"),
    (Family::SAML21, "SAML21"),
    (Family::ESP32, "ESP32"),
    (Family::ESP32_S2, "ESP32-S2"),
    (Family::ESP32_S3, "ESP32-S3"),
    (Family(0x2b88_d29c), "ESP32-C2"),
    (Family(0xd42b_a06c), "ESP32-C3"),
    (Family(0xf71c_0343), "ESP32-C5"),
    (Family(0x540d_df62), "ESP32-C6"),
    (Family(0x77d8_50c4), "ESP32-C61"),
    (Family(0x3327_26f6), "ESP32-H2"),
    (Family(0x3d30_8e94), "ESP32-P4"),
    (Family(0x7eab_61ed), "ESP8266"),
    (Family::NRF52, "nRF52"),
    (Family(0x7272_1d4e), "nRF52832xxAA"),
    (Family(0x6f75_2678), "nRF52832xxAB"),
    (Family(0x820d_9a5f), "nRF52820"),
    (Family::NRF52833, "nRF52833"),
    (Family::NRF52840, "nRF52840"),
    (Family(0x6478_24b6), "STM32F0"),
    (Family(0x5ee2_1072), "STM32F1"),
    (Family(0x5d1a_0a2e), "STM32F2"),
    (Family(0x6b84_6188), "STM32F3"),
    (Family::STM32F4, "STM32F4"),
    (Family(0x6d09_22fa), "STM32F407"),
    (Family(0x8fb0_60fe), "STM32F407VG"),
    (Family(0x06d1_097b), "STM32F411xC"),
    (Family(0x2dc3_09c5), "STM32F411xE"),
    (Family(0x53b8_0f00), "STM32F7"),
    (Family(0x300f_5633), "STM32G0"),
    (Family(0x4c71_240a), "STM32G4"),
    (Family(0x4e8f_1c5d), "STM32H5"),
    (Family(0x6db6_6082), "STM32H7"),
    (Family(0x202e_3a91), "STM32L0"),
    (Family(0x1e1f_432d), "STM32L1"),
    (Family(0x00ff_6919), "STM32L4"),
    (Family(0x0424_0bdf), "STM32L5"),
    (Family(0x70d1_6653), "STM32WB"),
    (Family(0x2146_0ff0), "STM32WL"),
    (Family::MIMXRT10XX, "i.MX RT10xx"),
    (Family(0x7be8_976d), "RA4M1"),
];

/// Prefixes of a `Board-ID`, or of a chip's name, in the boot ROMs of Raspberry Pi (pico-bootrom-rp2040,
/// pico-bootrom-rp2350) and in the boot loaders uf2-samdx1, tinyuf2 and Adafruit_nRF52_Bootloader.
const BOARDS: [(&str, &[Family]); 17] = [
    ("RPI-RP2", &[Family::RP2040]),
    ("RP2040", &[Family::RP2040]),
    (
        "RP2350",
        &[
            Family::RP2350_ARM_S,
            Family::RP2350_RISCV,
            Family::RP2350_ARM_NS,
            Family::RP2XXX_ABSOLUTE,
            Family::RP2XXX_DATA,
        ],
    ),
    ("SAMD21", &[Family::SAMD21]),
    ("SAMD51", &[Family::SAMD51]),
    ("SAME51", &[Family::SAMD51]),
    ("SAME54", &[Family::SAMD51]),
    ("SAML2", &[Family::SAML21]),
    ("ESP32S2", &[Family::ESP32_S2]),
    ("ESP32S3", &[Family::ESP32_S3]),
    ("nRF52840", &[Family::NRF52840]),
    ("nRF52833", &[Family::NRF52833]),
    ("STM32F405", &[Family::STM32F4]),
    (
        "STM32F407",
        &[Family::STM32F4, Family(0x6d09_22fa), Family(0x8fb0_60fe)],
    ),
    (
        "STM32F411",
        &[Family::STM32F4, Family(0x06d1_097b), Family(0x2dc3_09c5)],
    ),
    ("MIMXRT10", &[Family::MIMXRT10XX]),
    ("IMXRT10", &[Family::MIMXRT10XX]),
];
