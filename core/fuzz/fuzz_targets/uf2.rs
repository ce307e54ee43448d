//! Checks that a UF2 file of any bytes gives images that survive being written to files of their own. Half of the
//! inputs consist of blocks, whose numbers a fuzzer would not guess.
#![no_main]

use flylead_core::uf2::{BLOCK_LENGTH, Block, Family, File, build};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| match data.split_first() {
    Some((choice, rest)) if choice % 2 == 1 => check(&blocks(rest)),
    _ => check(data),
});

/// Returns a file with a block for each sixteen bytes.
fn blocks(records: &[u8]) -> Vec<u8> {
    let records = records.as_chunks::<16>().0;
    let blocks = records.iter().flat_map(|record| {
        let block = Block {
            flags: u32::from(record[0]) << 8 | u32::from(record[1] & 1),
            address: u32::from_le_bytes([record[2], record[3], record[4], record[5]]),
            number: record[6].into(),
            count: record[7].into(),
            family: (record[8] & 1 == 1).then(|| Family(record[9].into())),
            data: &record[10..][..usize::from(record[8] >> 1) % 7],
        };
        block.to_bytes()
    });
    blocks.collect()
}

fn check(data: &[u8]) {
    let Ok(file) = File::parse(data) else {
        return;
    };
    assert_eq!(file.blocks().len() * BLOCK_LENGTH, data.len());
    for block in file.blocks() {
        let bytes = block.to_bytes();
        // The file is complete only if this is the one block of its family.
        if let Ok(again) = File::parse(&bytes) {
            assert_eq!(again.blocks(), [*block]);
        }
    }
    for family in file.families() {
        let (Ok(Some(image)), Some(family)) = (file.image(family), family) else {
            continue;
        };
        if image
            .start
            .checked_add(image.bytes.len() as u32 + 256)
            .is_none()
        {
            continue;
        }
        let built = build(&image, family);
        if image.bytes.is_empty() {
            assert!(built.is_empty());
            continue;
        }
        let again = File::parse(&built).expect("it was made whole");
        let back = again
            .image(Some(family))
            .expect("its blocks follow each other");
        let back = back.expect("they are for the flash");
        assert_eq!(back.start, image.start);
        assert!(back.bytes.starts_with(&image.bytes));
        assert!(
            back.bytes[image.bytes.len()..]
                .iter()
                .all(|byte| *byte == 0xff)
        );
    }
}
