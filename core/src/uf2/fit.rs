//! Checks a file's families against the board that is to receive it.

use super::Family;

/// Relation of a file to a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// The board's boot loader accepts the file.
    Accepted,
    /// A part of the file is for another chip.
    OtherChip {
        /// Family of that part.
        family: Family,
        /// Family that the board accepts.
        accepted: Family,
    },
    /// The file names no family, which only old boot loaders accept.
    Unnamed,
    /// Some blocks name a family, and others do not.
    Mixed,
    /// The families that the board accepts are unknown.
    UnknownBoard,
}

impl Fit {
    /// Compares the [families](super::File::families) of a file with those that a board accepts, by its `Board-ID`.
    #[must_use]
    pub fn of(families: &[Option<Family>], board_id: &str) -> Self {
        if families.iter().all(Option::is_none) {
            return match WITHOUT_FAMILY
                .iter()
                .any(|known| board_id.starts_with(known))
            {
                true => Self::Accepted,
                false => Self::Unnamed,
            };
        }
        if families.contains(&None) {
            return Self::Mixed;
        }
        let Some(accepted) = Family::accepted_by(board_id) else {
            return Self::UnknownBoard;
        };
        let mut named = families.iter().flatten();
        match named.find(|family| !accepted.contains(family)) {
            None => Self::Accepted,
            Some(family) => Self::OtherChip {
                family: *family,
                accepted: accepted[0],
            },
        }
    }
}

/// Prefixes of the identifiers of boards whose first boot loader predates families: it takes files that name none
/// (uf2-samdx1, `src/ghostfat.c`).
const WITHOUT_FAMILY: [&str; 1] = ["SAMD21"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_accepts_the_families_of_its_chip_alone() {
        let (pico, pico_2) = (Some(Family::RP2040), Some(Family::RP2350_RISCV));
        assert_eq!(Fit::of(&[pico], "RPI-RP2"), Fit::Accepted);
        assert_eq!(Fit::of(&[pico_2], "RP2350"), Fit::Accepted);
        let other = Fit::OtherChip {
            family: Family::RP2350_RISCV,
            accepted: Family::RP2040,
        };
        assert_eq!(Fit::of(&[pico, pico_2], "RPI-RP2"), other);
        assert_eq!(Fit::of(&[pico], "Toaster-v1"), Fit::UnknownBoard);
        assert_eq!(Fit::of(&[pico], ""), Fit::UnknownBoard);
    }

    #[test]
    fn a_file_that_names_no_family_is_for_old_boot_loaders() {
        assert_eq!(Fit::of(&[None], "RPI-RP2"), Fit::Unnamed);
        assert_eq!(Fit::of(&[None], "SAMD21G18A-Feather-v0"), Fit::Accepted);
        let mixed = [None, Some(Family::RP2040)];
        assert_eq!(Fit::of(&mixed, "RPI-RP2"), Fit::Mixed);
    }
}
