//! Checks files of firmware before a page copies them to a board.

use flylead_core::uf2::{self, File, Fit};
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
}
