//! Images for ESP chips, with nothing in them that would run (esptool, "Firmware Image Format").

/// Addresses of the boot loaders by the numbers of the chips.
const BOOT: [(u16, usize); 4] = [(0, 0x1000), (5, 0), (9, 0), (18, 0x2000)];
const TABLE: usize = 0x8000;
const PROGRAM: u32 = 0x1_0000;

/// Image with one segment for the chip of a number.
#[must_use]
pub fn esp_program(number: u16, segment: &[u8]) -> Vec<u8> {
    let mut image = vec![0xe9, 1, 2, 0x20, 0, 0, 0, 0x40, 0xee, 0, 0, 0];
    image.extend(number.to_le_bytes());
    image.resize(24, 0);
    image.extend(0x3f40_0020_u32.to_le_bytes());
    let length = u32::try_from(segment.len()).expect("it fits the flash");
    image.extend(length.to_le_bytes());
    image.extend(segment);
    image.resize(image.len() | 15, 0);
    image.push(segment.iter().fold(0xef, |sum, byte| sum ^ byte));
    image
}

/// Image of a whole flash, from the boot loader on: a boot loader, a table of partitions, and a program.
///
/// # Panics
///
/// When the chip is unknown here.
#[must_use]
pub fn esp_image(number: u16, program: &[u8]) -> Vec<u8> {
    let known = BOOT.into_iter().find(|(own, _)| *own == number);
    let (_, boot) = known.expect("the chip is known");
    let mut bytes = esp_program(number, b"boot loader");
    bytes.resize(TABLE - boot, 0xff);
    for (kind, at) in [(1, 0x9000), (0, PROGRAM)] {
        bytes.extend([0xaa, 0x50, kind, 0]);
        bytes.extend(u32::to_le_bytes(at));
        bytes.extend(0x1000_u32.to_le_bytes());
        bytes.extend([0; 20]);
    }
    bytes.resize(PROGRAM as usize - boot, 0xff);
    bytes.extend(esp_program(number, program));
    bytes
}
