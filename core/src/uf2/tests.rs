use alloc::{vec, vec::Vec};

use super::*;

fn image(length: usize) -> Image {
    let bytes = (0..length).map(|at| (at * 7) as u8).collect();
    let start = 0x1000_0000;
    Image { start, bytes }
}

#[test]
fn an_image_comes_back_from_its_file() {
    for length in [1, 255, 256, 257, 5000] {
        let built = build(&image(length), Family::RP2040);
        assert_eq!(built.len(), length.div_ceil(256) * 512);
        let file = File::parse(&built).unwrap();
        assert_eq!(file.families(), [Some(Family::RP2040)]);
        let back = file.image(Some(Family::RP2040)).unwrap().unwrap();
        let mut whole = image(length);
        whole.bytes.resize(length.next_multiple_of(256), 0xff);
        assert_eq!(back, whole, "{length}");
        assert_eq!(file.image(Some(Family::SAMD21)), Ok(None));
    }
}

/// Tests with the bytes of the example in the format's own description.
#[test]
fn a_block_is_laid_out_as_the_format_says() {
    let built = build(&image(300), Family::SAMD21);
    assert_eq!(&built[..8], b"UF2\n\x57\x51\x5d\x9e");
    assert_eq!(&built[8..12], &[0, 0x20, 0, 0]);
    assert_eq!(&built[12..20], &[0, 0, 0, 0x10, 0, 1, 0, 0]);
    assert_eq!(
        &built[20..32],
        &[0, 0, 0, 0, 2, 0, 0, 0, 0x88, 0x2b, 0xed, 0x68]
    );
    assert_eq!(&built[508..512], &[0x30, 0x6f, 0xb1, 0x0a]);
}

#[test]
fn a_file_that_is_not_whole_is_refused() {
    let whole = build(&image(2000), Family::RP2040);
    let refused = |bytes: &[u8]| File::parse(bytes).unwrap_err();
    assert_eq!(refused(b""), Error::NotUf2);
    assert_eq!(refused(b"print(1)"), Error::NotUf2);
    assert_eq!(refused(&[0; 1024]), Error::NotUf2);
    assert_eq!(refused(&whole[..1000]), Error::Cut { length: 1000 });
    assert_eq!(
        refused(&whole[..1024]),
        Error::Missing {
            family: Some(Family::RP2040),
            present: 2,
            announced: 8
        }
    );
    let with = |at: usize, byte: u8| {
        let mut changed = whole.clone();
        changed[at] = byte;
        changed
    };
    // The last magic number; 511 bytes of data; a number beyond all; the end of the last address.
    for at in [511 + 512, 17 + 512, 21 + 512] {
        assert_eq!(
            refused(&with(at, 0xff)),
            Error::Damaged { block: 1 },
            "{at}"
        );
    }
    let mut beyond = whole.clone();
    beyond[512 + 12..512 + 16].copy_from_slice(&0xffff_ff80_u32.to_le_bytes());
    assert_eq!(refused(&beyond), Error::Damaged { block: 1 });
}

#[test]
fn blocks_that_contradict_each_other_make_no_image() {
    let mut whole = build(&image(512), Family::RP2040);
    whole[512 + 12] = 0x80;
    whole[512 + 13] = 0;
    let file = File::parse(&whole).unwrap();
    let overlap = Error::Overlap {
        address: 0x1000_0080,
    };
    assert_eq!(file.image(Some(Family::RP2040)), Err(overlap));
    // A repeated block is not a contradiction.
    let mut twice = build(&image(512), Family::RP2040);
    let again = twice[..512].to_vec();
    twice.extend(again);
    let file = File::parse(&twice).unwrap();
    assert_eq!(file.image(Some(Family::RP2040)), Ok(Some(image(512))));
    whole[512 + 15] = 0x20;
    let file = File::parse(&whole).unwrap();
    assert_eq!(file.image(Some(Family::RP2040)), Err(Error::TooFar));
}

#[test]
fn blocks_with_one_number_are_the_same_block() {
    let mut file = build(&image(512), Family::RP2040);
    let mut again = file[..512].to_vec();
    again[32] ^= 1;
    file.extend(again);
    let refused = File::parse(&file).unwrap_err();
    assert_eq!(refused, Error::Contradiction { number: 0 });
}

/// Tests with a file of 4 MiB, each of whose blocks names a different family.
#[test]
fn a_file_for_everything_is_refused_at_once() {
    let mut file = Vec::new();
    for family in 0..8192 {
        file.extend(build(&image(1), Family(family)));
    }
    assert_eq!(File::parse(&file).unwrap_err(), Error::TooMany);
    assert!(File::parse(&file[..16 * 512]).is_ok());
}

/// Firmware for the RP2350 by picotool begins with a single block that announces itself as the first of two.
#[test]
fn several_families_count_their_own_blocks() {
    let absolute = Block {
        flags: 0x8000,
        address: 0x10ff_ff00,
        number: 0,
        count: 2,
        family: Some(Family::RP2XXX_ABSOLUTE),
        data: &[0xef; 256],
    };
    let mut bytes = absolute.to_bytes().to_vec();
    bytes.extend(build(&image(700), Family::RP2350_ARM_S));
    let file = File::parse(&bytes).unwrap();
    let families: Vec<_> = file.families().into_iter().flatten().collect();
    assert_eq!(families, [Family::RP2XXX_ABSOLUTE, Family::RP2350_ARM_S]);
    let accepted = Family::accepted_by("RP2350").unwrap();
    assert!(families.iter().all(|family| accepted.contains(family)));
    assert!(
        !Family::accepted_by("RPI-RP2")
            .unwrap()
            .contains(&families[1])
    );
}

#[test]
fn what_is_not_for_the_flash_is_in_no_image() {
    let mut block = Block {
        flags: 1,
        address: 0,
        number: 0,
        count: 1,
        family: None,
        data: b"data",
    };
    for (flags, is_there) in [(1, false), (0x1000, false), (0, true)] {
        block.flags = flags;
        let bytes = block.to_bytes();
        let file = File::parse(&bytes).unwrap();
        assert_eq!(file.image(None).unwrap().is_some(), is_there, "{flags:#x}");
    }
}

#[test]
fn families_are_found_by_name_and_by_board() {
    assert_eq!(Family::named("esp32s3"), Some(Family::ESP32_S3));
    assert_eq!(Family::named("rp2350-riscv"), Some(Family::RP2350_RISCV));
    assert_eq!(Family::named("rp"), None);
    assert_eq!(Family(0x7be8_976d).name(), Some("RA4M1"));
    let taken = |id| Family::accepted_by(id).map(<[Family]>::to_vec);
    assert_eq!(taken("RPI-RP2"), Some(vec![Family::RP2040]));
    assert_eq!(taken("SAMD51J19A-Feather-v0"), Some(vec![Family::SAMD51]));
    assert_eq!(taken("nRF52840-Feather-revD"), Some(vec![Family::NRF52840]));
    assert_eq!(taken("ESP32S2-Saola1R-v1.2"), Some(vec![Family::ESP32_S2]));
    assert_eq!(taken("Toaster"), None);
    assert_eq!(taken(""), None);
}
