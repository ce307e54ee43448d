//! Checks that firmware fits the board that is to receive it.

use flylead_core::uf2::{Family, Fit};

use super::{Drive, Firmware, Format, Hex, Kind, Mismatch, microbit};

impl Drive {
    /// Checks that the board takes this firmware.
    ///
    /// # Errors
    /// The firmware is for another kind of board, or the kinds that this board takes are unknown.
    pub fn check(&self, firmware: &Firmware) -> Result<(), Mismatch> {
        let board = self.to_string();
        match (self.kind, &firmware.format) {
            (Kind::Daplink, Format::Hex(hex)) => check_hex(board, &self.board_id, hex),
            (Kind::Uf2, Format::Uf2 { families }) => {
                check_families(board, &self.board_id, families)
            }
            (Kind::Daplink, _) => Err(Mismatch::Format {
                board,
                takes: "the micro:bit takes .hex files",
            }),
            (Kind::Uf2, _) => Err(Mismatch::Format {
                board,
                takes: "this drive takes .uf2 files",
            }),
        }
    }

    /// Returns true if the drive takes this kind of file, regardless of its chip.
    #[must_use]
    pub fn takes(&self, format: &Format) -> bool {
        matches!(
            (self.kind, format),
            (Kind::Daplink, Format::Hex(_)) | (Kind::Uf2, Format::Uf2 { .. })
        )
    }
}

impl Firmware {
    /// Checks that firmware is for a board that will be restarted in its boot loader, and that has this chip, if it is
    /// known.
    ///
    /// # Errors
    /// The firmware is for another chip, or no such boot loader takes its kind of file.
    pub fn check_chip(&self, board: &str, chip: Option<&str>) -> Result<(), Mismatch> {
        let board = board.to_owned();
        let families = match &self.format {
            Format::Uf2 { families } => families,
            Format::Esp(image) => {
                let own = image.chip;
                return match chip.is_none_or(|chip| own.may_be(chip)) {
                    true => Ok(()),
                    false => Err(Mismatch::Esp {
                        board,
                        chip: own.name,
                    }),
                };
            }
            Format::Dfu(_) => {
                return match chip.is_none_or(|chip| chip.starts_with("STM32")) {
                    true => Ok(()),
                    false => Err(Mismatch::Format {
                        board,
                        takes: "a .dfu file is for a board with an STM32",
                    }),
                };
            }
            Format::EspProgram(_) => return Err(Mismatch::ProgramAlone),
            Format::Hex(_) => {
                return Err(Mismatch::Format {
                    board,
                    takes: "a board that is restarted in its boot loader takes .uf2 files, and a micro:bit takes .hex files through its drive MICROBIT; name its folder with --drive DIR",
                });
            }
        };
        match check_families(board, chip.unwrap_or_default(), families) {
            // The drive will report it.
            Err(Mismatch::Unknown { .. }) => Ok(()),
            checked => checked,
        }
    }
}

fn check_families(board: String, id: &str, families: &[Family]) -> Result<(), Mismatch> {
    let families: Vec<_> = families.iter().copied().map(Some).collect();
    match Fit::of(&families, id) {
        Fit::Accepted => Ok(()),
        Fit::Unnamed | Fit::Mixed => Err(Mismatch::Unnamed { board }),
        Fit::UnknownBoard => Err(Mismatch::Unknown { board }),
        Fit::OtherChip { family, accepted } => Err(Mismatch::Family {
            board,
            family,
            accepted,
        }),
    }
}

fn check_hex(board: String, id: &str, hex: &Hex) -> Result<(), Mismatch> {
    let Some(own) = microbit::with_id(id) else {
        return Err(Mismatch::Unknown { board });
    };
    let is_own = |id: &u16| microbit::with_id(&format!("{id:04x}")) == Some(own);
    if !hex.boards.is_empty() {
        return match hex.boards.iter().any(is_own) {
            true => Ok(()),
            false => Err(Mismatch::Microbit { board }),
        };
    }
    match hex.end > own.flash {
        false => Ok(()),
        true => Err(Mismatch::Beyond {
            board,
            end: hex.end,
            flash: own.flash,
        }),
    }
}

#[cfg(test)]
mod tests {
    use flylead_core::uf2::{Block, Image, build};

    use super::{
        super::drive::tests::{PICO, drive},
        *,
    };

    fn uf2(family: Family) -> Firmware {
        let (start, bytes) = (0x1000_0000, vec![1; 512]);
        Firmware::read("a.uf2", build(&Image { start, bytes }, family)).unwrap()
    }

    fn without_family() -> Firmware {
        let block = Block {
            flags: 0,
            address: 0x2000,
            number: 0,
            count: 1,
            family: None,
            data: &[1; 256],
        };
        Firmware::read("old.uf2", block.to_bytes().to_vec()).unwrap()
    }

    fn hex(lines: &str) -> Firmware {
        Firmware::read("a.hex", lines.as_bytes().to_vec()).unwrap()
    }

    /// Description in the RP2350's boot ROM.
    const PICO_2: &str =
        "UF2 Bootloader v1.0\r\nModel: Raspberry Pi RP2350\r\nBoard-ID: RP2350\r\n";

    #[test]
    fn firmware_for_another_chip_is_refused_by_name() {
        let (_folder, pico) = drive("INFO_UF2.TXT", PICO);
        let (_other, pico_2) = drive("INFO_UF2.TXT", PICO_2);
        assert_eq!(pico.check(&uf2(Family::RP2040)), Ok(()));
        assert_eq!(pico_2.check(&uf2(Family::RP2350_RISCV)), Ok(()));
        let refused = pico.check(&uf2(Family::RP2350_ARM_S)).unwrap_err();
        let refused = refused.to_string();
        assert!(
            refused.contains("is for RP2350") && refused.contains("takes RP2040"),
            "{refused}"
        );
        let refused = pico_2.check(&uf2(Family::RP2040)).unwrap_err().to_string();
        assert!(
            refused.contains("is for RP2040") && refused.contains("takes RP2350"),
            "{refused}"
        );
    }

    #[test]
    fn an_unknown_board_takes_nothing_unless_its_families_are_known() {
        let (_folder, toaster) = drive("INFO_UF2.TXT", "Model: Toaster\nBoard-ID: Toaster-v1\n");
        for firmware in [uf2(Family::RP2040), without_family()] {
            let refused = toaster.check(&firmware).unwrap_err();
            assert!(refused.to_string().contains("Toaster"), "{refused}");
        }
    }

    #[test]
    fn firmware_that_names_no_chip_is_for_old_boot_loaders_alone() {
        let (_folder, pico) = drive("INFO_UF2.TXT", PICO);
        let refused = pico.check(&without_family()).unwrap_err().to_string();
        assert!(refused.contains("does not say which chip"), "{refused}");
        let old = "Model: Old\r\nBoard-ID: SAMD21G18A-Feather-v0\r\n";
        let (_folder, old) = drive("INFO_UF2.TXT", old);
        assert_eq!(old.check(&without_family()), Ok(()));
        for chip in [Some("RP2040"), Some("toaster"), None] {
            let refused = without_family().check_chip("a board", chip);
            assert!(refused.is_err(), "{chip:?}");
        }
        let mut mixed = without_family().bytes;
        mixed.extend(uf2(Family::RP2040).bytes);
        let refused = Firmware::read("mixed.uf2", mixed).unwrap_err().to_string();
        assert!(refused.contains("and others do not"), "{refused}");
    }

    const DATA: &str = ":0400000001020304F2\n:00000001FF\n";

    #[test]
    fn a_board_with_python_gets_no_file_that_its_boot_loader_would_not_take() {
        let refused = hex(DATA).check_chip("Raspberry Pi Pico with RP2040", Some("RP2040"));
        assert!(refused.unwrap_err().to_string().contains(".uf2"));
        assert!(hex(DATA).check_chip("a board", None).is_err());
        let pico = uf2(Family::RP2040);
        assert_eq!(pico.check_chip("a board", Some("RP2040")), Ok(()));
        assert_eq!(pico.check_chip("a board", None), Ok(()));
        assert!(pico.check_chip("a board", Some("RP2350")).is_err());
    }

    fn microbit(id: &str) -> (tempfile::TempDir, Drive) {
        let details = format!("# DAPLink Firmware\r\nUnique ID: {id}360258994e45005a\r\n");
        drive("DETAILS.TXT", &details)
    }

    #[test]
    fn a_microbit_is_known_by_its_details() {
        let (_folder, v2) = microbit("9904");
        assert_eq!(v2.model, "micro:bit V2");
        assert_eq!(v2.check(&hex(DATA)), Ok(()));
        let refused = v2.check(&uf2(Family::RP2040)).unwrap_err();
        assert!(refused.to_string().contains(".hex"), "{refused}");
        assert!(v2.takes(&hex(DATA).format) && !v2.takes(&uf2(Family::RP2040).format));
    }

    #[test]
    fn a_microbit_takes_what_fits_its_flash_or_names_it() {
        let ((_one, v1), (_two, v2)) = (microbit("9900"), microbit("9904"));
        // Data beyond 256 KiB; and an STM32's.
        let large = hex(&format!(":020000040004F6\n{DATA}"));
        let other = hex(&format!(":020000040800F2\n{DATA}"));
        assert_eq!(v2.check(&large), Ok(()));
        for refused in [v1.check(&large), v1.check(&other), v2.check(&other)] {
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains("has data up to"), "{refused}");
        }
        let for_v1 = hex(&format!(":0400000A9900C0DEBB\n{DATA}"));
        let both = hex(&format!(
            ":0400000A9900C0DEBB\n:0400000A9903C0DEB8\n:020000040004F6\n{DATA}"
        ));
        assert_eq!(v1.check(&for_v1), Ok(()));
        assert_eq!((v1.check(&both), v2.check(&both)), (Ok(()), Ok(())));
        let refused = v2.check(&for_v1).unwrap_err().to_string();
        assert!(refused.contains("another micro:bit"), "{refused}");
        let (_folder, unknown) = microbit("0240");
        assert!(unknown.check(&hex(DATA)).is_err());
    }
}
