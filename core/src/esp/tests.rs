use alloc::{vec, vec::Vec};

use super::*;

/// Returns a program with one segment for the chip of a number.
fn program(number: u16, segment: &[u8]) -> Vec<u8> {
    let mut image = vec![0xe9, 1, 2, 0x20, 0, 0, 0, 0x40, 0xee, 0, 0, 0];
    image.extend(number.to_le_bytes());
    image.resize(24, 0);
    image.extend(0x3f40_0020_u32.to_le_bytes());
    image.extend((segment.len() as u32).to_le_bytes());
    image.extend(segment);
    image.resize(image.len() | 15, 0);
    image.push(segment.iter().fold(0xef, |sum, byte| sum ^ byte));
    image
}

/// Returns the image of a whole flash, from the boot loader on.
fn whole(number: u16, segment: &[u8]) -> Vec<u8> {
    let boot = Chip::numbered(number).unwrap().boot as usize;
    let mut bytes = program(number, b"boot loader");
    bytes.resize(0x8000 - boot, 0xff);
    for (kind, at) in [(1, 0x9000_u32), (0, 0x1_0000)] {
        bytes.extend([0xaa, 0x50, kind, 0]);
        bytes.extend(at.to_le_bytes());
        bytes.extend([0; 24]);
    }
    bytes.resize(0x1_0000 - boot, 0xff);
    bytes.extend(program(number, segment));
    bytes
}

#[test]
fn an_image_says_its_chip_and_where_it_goes() {
    for (number, name, offset) in [
        (0, "ESP32", 0x1000),
        (9, "ESP32-S3", 0),
        (18, "ESP32-P4", 0x2000),
    ] {
        let bytes = whole(number, &[7; 3000]);
        let image = Image::parse(&bytes).unwrap().unwrap();
        assert_eq!((image.chip.name, image.offset), (name, offset));
    }
    let mut from_zero = vec![0xff; 0x1000];
    from_zero.extend(whole(0, b"program"));
    let image = Image::parse(&from_zero).unwrap().unwrap();
    assert_eq!((image.chip.name, image.offset), ("ESP32", 0));
    assert_eq!(Image::parse(b"print(1)"), None);
    assert_eq!(Image::parse(&[0xff; 5000]), None);
    assert_eq!(Image::parse(b""), None);
}

#[test]
fn an_image_that_was_cut_or_changed_is_refused() {
    let bytes = whole(9, &[7; 3000]);
    for end in [1, 13, 30, 0x8000, 0x8004, 0x1_0000, bytes.len() - 1] {
        let read = Image::parse(&bytes[..end]).unwrap();
        assert!(read.is_err(), "{end}");
    }
    for at in [40, 0x1_0100] {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        assert_eq!(Image::parse(&bytes), Some(Err(Error::Damaged)), "{at}");
    }
    let mut mixed = whole(9, b"program");
    mixed[0x1_0000 + 12] = 0;
    assert_eq!(Image::parse(&mixed), Some(Err(Error::Damaged)));
}

#[test]
fn a_program_alone_and_other_chips_are_told() {
    let alone = program(9, &[7; 0x9000]);
    assert_eq!(Image::parse(&alone), Some(Err(Error::ProgramAlone)));
    let mut unknown = whole(9, b"program");
    unknown[12] = 99;
    assert_eq!(Image::parse(&unknown), Some(Err(Error::OtherChip)));
    let mut old = program(0, b"program");
    old[8..12].copy_from_slice(&0x4010_0000_u32.to_le_bytes());
    assert_eq!(Image::parse(&old), Some(Err(Error::OtherChip)));
}

#[test]
fn a_program_is_found_alone_and_in_an_image() {
    let alone = program(9, &[7; 0x9000]);
    let mut longer = whole(9, &[7; 0x9000]);
    longer.extend([0xff; 100]);
    for bytes in [&alone, &longer] {
        let found = Program::parse(bytes).unwrap().unwrap();
        assert_eq!((found.chip.number, found.bytes), (9, &alone[..]));
    }
    let mut hashed = alone.clone();
    hashed[23] = 1;
    assert_eq!(Program::parse(&hashed), Some(Err(Error::Damaged)));
    hashed.extend([0; 40]);
    let found = Program::parse(&hashed).unwrap().unwrap();
    assert_eq!(found.bytes.len(), alone.len() + 32);
    let cut = &alone[..alone.len() - 1];
    assert_eq!(Program::parse(cut), Some(Err(Error::Damaged)));
    assert_eq!(Program::parse(b"print(1)"), None);
}

#[test]
fn chips_are_known_by_the_names_that_micropython_gives_them() {
    for (name, number) in [
        ("ESP32", Some(0)),
        ("ESP32S3", Some(9)),
        ("ESP32-C6", Some(13)),
        ("ESP32-D0WDQ6", Some(0)),
        ("ESP32-PICO", None),
        ("ESP8266", None),
        ("RP2040", None),
    ] {
        let found = Chip::named(name).map(|chip| chip.number);
        assert_eq!(found, number, "{name}");
    }
    assert_eq!(
        Chip::named("ESP32").unwrap().generic_board(),
        "ESP32_GENERIC"
    );
    assert_eq!(
        Chip::named("ESP32S3").unwrap().generic_board(),
        "ESP32_GENERIC_S3"
    );
}
