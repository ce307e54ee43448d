#![doc = include_str!("README.md")]

mod frame;

#[cfg(feature = "mount")]
pub(crate) use frame::START;
pub use frame::{Frame, Kind, Look, encode, look};

/// The board's end of the channel, with which all code begins that sends or receives binary data.
#[cfg(feature = "board")]
pub(crate) const CHANNEL: &str = include_str!("python/channel.py");
/// The board's writer of frames.
#[cfg(feature = "board")]
pub(crate) const FRAME: &str = include_str!("python/frame.py");
/// The board's reader of frames.
#[cfg(feature = "board")]
pub(crate) const TAKE: &str = include_str!("python/take.py");

/// Computes CRC-32 like `binascii.crc32`.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, &byte| {
        let index = (sum ^ u32::from(byte)) & 0xff;
        (sum >> 8) ^ TABLE[index as usize]
    })
}

/// Remainders of each byte, for the polynomial of CRC-32 as Ethernet and zip have it.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::crc32;

    /// The check value that catalogues of checksums list for CRC-32/ISO-HDLC.
    #[test]
    fn a_checksum_is_that_of_everyone_else() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
