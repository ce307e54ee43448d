//! Checks that an ESP image of any bytes is read without a panic, and that a program that was found is whole by itself.
//! Half of the inputs get a boot loader and a partition table, which a fuzzer would not guess.
#![no_main]

use flylead_core::esp::{Chip, Image, Program};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| match data.split_first() {
    Some((choice, rest)) if choice % 2 == 1 => check(&whole(choice >> 1, rest)),
    _ => check(data),
});

fn check(bytes: &[u8]) {
    let image = Image::parse(bytes).and_then(Result::ok);
    let program = Program::parse(bytes).and_then(Result::ok);
    let Some(program) = program else {
        assert!(image.is_none());
        return;
    };
    assert!(image.is_none_or(|image| image.chip == program.chip));
    // It stands for itself, wherever it was.
    let again = Program::parse(program.bytes).and_then(Result::ok);
    assert!(again.is_some_and(|again| again.chip == program.chip));
}

/// Returns an image whose boot loader and table are valid, with these bytes as the program.
fn whole(choice: u8, program: &[u8]) -> Vec<u8> {
    let chips: Vec<_> = Chip::all().collect();
    let chip = chips[usize::from(choice) % chips.len()];
    let boot = chip.boot as usize;
    // One segment without data.
    let mut bytes = vec![0; 48];
    (bytes[0], bytes[1], bytes[47]) = (0xe9, 1, 0xef);
    bytes[12..14].copy_from_slice(&chip.number.to_le_bytes());
    bytes.resize(0x8000 - boot, 0xff);
    bytes.extend([0xaa, 0x50, 0, 0]);
    bytes.extend(0x9000_u32.to_le_bytes());
    bytes.resize(0x9000 - boot, 0xff);
    bytes.extend(program);
    bytes
}
