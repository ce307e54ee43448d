//! Checks files of firmware before a page copies them to a board.

use flylead_core::{
    esp::{self, Chip, Image},
    uf2::{self, File, Fit},
};
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{binding::arguments::Data, binding::error::Error, binding::values::to_js};

/// Relation of a UF2 file to a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Uf2Fit {
    /// The file is whole, and the board's boot loader accepts it.
    Accepted,
    /// The file is for another chip.
    OtherChip {
        /// Chip that the file is for.
        chip: String,
        /// Chip of the board.
        board: String,
    },
    /// The file does not say which chip it is for.
    Unnamed,
    /// The chip of the board is unknown.
    UnknownBoard,
    /// The file is not UF2.
    NotUf2,
    /// The file is damaged or incomplete.
    Damaged {
        /// Fault, in English.
        why: String,
    },
}

/// Checks that a UF2 file is whole, and that a board's boot loader accepts it: the board is known by the `Board-ID` in
/// the `INFO_UF2.TXT` of its drive.
///
/// # Errors
/// `TypeError`: the bytes are not a `Uint8Array`.
#[wasm_bindgen(js_name = checkUf2, unchecked_return_type = "Uf2Fit")]
pub fn check_uf2(bytes: Data, board: &str) -> Result<JsValue, Error> {
    Ok(to_js(&fit_of(&bytes.bytes()?, board)))
}

fn fit_of(bytes: &[u8], board_id: &str) -> Uf2Fit {
    let file = match File::parse(bytes) {
        Ok(file) => file,
        Err(uf2::Error::NotUf2) => return Uf2Fit::NotUf2,
        Err(error) => {
            return Uf2Fit::Damaged {
                why: error.to_string(),
            };
        }
    };
    match Fit::of(&file.families(), board_id) {
        Fit::Accepted => Uf2Fit::Accepted,
        Fit::OtherChip { family, accepted } => Uf2Fit::OtherChip {
            chip: family.to_string(),
            board: accepted.to_string(),
        },
        Fit::Unnamed | Fit::Mixed => Uf2Fit::Unnamed,
        Fit::UnknownBoard => Uf2Fit::UnknownBoard,
    }
}

/// Relation of a file to an ESP32 chip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum EspFit {
    /// The file is the whole image of a flash, and for this chip.
    Accepted {
        /// Flash address at which the file begins.
        offset: u32,
    },
    /// The file is for another chip.
    OtherChip {
        /// Chip that the file is for.
        chip: String,
    },
    /// The file is not an image for an ESP.
    NotImage,
    /// The file is a program without a boot loader, for updates over the air.
    ProgramAlone,
    /// The file is for an ESP8266, or for an unknown chip.
    UnknownChip,
    /// The file is damaged or incomplete.
    Damaged,
}

/// Checks that a file is the whole image of an ESP32's flash, and for this chip, such as `ESP32-S3`.
///
/// # Errors
/// `TypeError`: the bytes are not a `Uint8Array`.
#[wasm_bindgen(js_name = checkEsp, unchecked_return_type = "EspFit")]
pub fn check_esp(bytes: Data, chip: &str) -> Result<JsValue, Error> {
    Ok(to_js(&esp_fit(&bytes.bytes()?, chip)))
}

fn esp_fit(bytes: &[u8], chip: &str) -> EspFit {
    match Image::parse(bytes) {
        None => EspFit::NotImage,
        Some(Ok(image)) if image.chip.name == chip => EspFit::Accepted {
            offset: image.offset,
        },
        Some(Ok(image)) => EspFit::OtherChip {
            chip: image.chip.name.to_owned(),
        },
        Some(Err(esp::Error::ProgramAlone)) => EspFit::ProgramAlone,
        Some(Err(esp::Error::OtherChip)) => EspFit::UnknownChip,
        Some(Err(_)) => EspFit::Damaged,
    }
}

/// Returns the name under which MicroPython lists firmware for any board with this chip, such as `ESP32_GENERIC_S3` for
/// the `ESP32-S3`; `undefined` for an unknown chip.
#[must_use]
#[wasm_bindgen(js_name = espBoard)]
pub fn esp_board(chip: &str) -> Option<String> {
    let chip = Chip::all().find(|known| known.name == chip);
    chip.map(Chip::generic_board)
}

#[cfg(test)]
mod tests {
    use flylead_core::uf2::{Family, Image, build};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn a_file_is_for_the_board_of_its_chip() {
        let (start, bytes) = (0x1000_0000, vec![1; 512]);
        let pico = build(&Image { start, bytes }, Family::RP2040);
        assert_eq!(fit_of(&pico, "RPI-RP2"), Uf2Fit::Accepted);
        let other = Uf2Fit::OtherChip {
            chip: "RP2040".to_owned(),
            board: "RP2350".to_owned(),
        };
        assert_eq!(fit_of(&pico, "RP2350"), other);
        assert_eq!(fit_of(b"print(1)", "RPI-RP2"), Uf2Fit::NotUf2);
        let cut = fit_of(&pico[..512], "RPI-RP2");
        assert!(matches!(cut, Uf2Fit::Damaged { .. }), "{cut:?}");
    }

    /// Returns an image for the chip of a number whose boot loader is at 0, and whose segments have no data.
    fn image(number: u8) -> Vec<u8> {
        let mut program = vec![0; 48];
        (program[0], program[1], program[12], program[47]) = (0xe9, 1, number, 0xef);
        let mut bytes = program.clone();
        bytes.resize(0x8000, 0xff);
        bytes.extend([0xaa, 0x50, 0, 0, 0, 0x90, 0, 0]);
        bytes.resize(0x9000, 0xff);
        bytes.extend(program);
        bytes
    }

    #[test]
    fn an_image_is_for_its_own_chip() {
        let s3 = image(9);
        assert_eq!(esp_fit(&s3, "ESP32-S3"), EspFit::Accepted { offset: 0 });
        let other = EspFit::OtherChip {
            chip: "ESP32-S3".to_owned(),
        };
        assert_eq!(esp_fit(&s3, "ESP32-C3"), other);
        assert_eq!(esp_fit(b"print(1)", "ESP32-S3"), EspFit::NotImage);
        assert_eq!(esp_fit(&s3[..48], "ESP32-S3"), EspFit::ProgramAlone);
        let cut = &s3[..s3.len() - 1];
        assert_eq!(esp_fit(cut, "ESP32-S3"), EspFit::Damaged);
        assert_eq!(esp_fit(&image(99), "ESP32-S3"), EspFit::UnknownChip);
        assert_eq!(esp_board("ESP32-S3").as_deref(), Some("ESP32_GENERIC_S3"));
        assert_eq!(esp_board("ESP8266"), None);
    }
}
