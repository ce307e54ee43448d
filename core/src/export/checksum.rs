//! What a device may say about its bytes, and what the receiver counted itself.

use core::{fmt, str};

use crc::{CRC_32_ISO_HDLC, Crc, Table};
use sha2::{Digest as _, Sha256};

use crate::to_hexadecimal;

/// A checksum that a device sent: `CRC32=1a2b3c4d` or `SHA256=` and 64 digits, in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// CRC-32 as gzip (RFC 1952, section 8), PNG and Python's `binascii.crc32` count it.
    Crc32(u32),
    /// SHA-256.
    Sha256([u8; 32]),
}

/// Which checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksumKind {
    /// CRC-32.
    Crc32,
    /// SHA-256.
    Sha256,
}

impl Checksum {
    /// Reads `CRC32=…` or `SHA256=…`: `None` when the word is neither, an error when it is one of them but broken.
    pub(crate) fn parse(word: &[u8]) -> Option<Result<Self, Broken>> {
        if let Some(digits) = word.strip_prefix(b"CRC32=") {
            return Some(hexadecimal(digits).map(|bytes| Self::Crc32(u32::from_be_bytes(bytes))));
        }
        let digits = word.strip_prefix(b"SHA256=")?;
        Some(hexadecimal(digits).map(Self::Sha256))
    }

    /// Which one this is.
    #[must_use]
    pub const fn kind(&self) -> ChecksumKind {
        match self {
            Self::Crc32(_) => ChecksumKind::Crc32,
            Self::Sha256(_) => ChecksumKind::Sha256,
        }
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crc32(crc32) => write!(f, "CRC32={crc32:08x}"),
            Self::Sha256(sha256) => write!(f, "SHA256={}", to_hexadecimal(sha256)),
        }
    }
}

/// A checksum's name with something after it that is not its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

/// Exactly `2 * N` digits.
fn hexadecimal<const N: usize>(digits: &[u8]) -> Result<[u8; N], Broken> {
    let mut bytes = [0; N];
    if digits.len() != 2 * N || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(Broken);
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = str::from_utf8(pair).map_err(|_| Broken)?;
        *byte = u8::from_str_radix(pair, 16).map_err(|_| Broken)?;
    }
    Ok(bytes)
}

/// Length, CRC-32 and SHA-256 of bytes as they pass.
///
/// ```
/// use flylead_core::export::Digest;
///
/// let mut digest = Digest::default();
/// digest.add(b"1234");
/// digest.add(b"56789");
/// assert_eq!(digest.bytes(), 9);
/// assert_eq!(digest.crc32(), 0xcbf43926);
/// ```
#[derive(Clone)]
pub struct Digest {
    bytes: u64,
    crc32: crc::Digest<'static, u32, Lanes>,
    sha256: Sha256,
}

impl Digest {
    /// Counts these bytes in.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.crc32.update(bytes);
        self.sha256.update(bytes);
    }

    /// How many bytes passed.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Their CRC-32.
    #[must_use]
    pub fn crc32(&self) -> u32 {
        self.crc32.clone().finalize()
    }

    /// Their SHA-256.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256.clone().finalize().into()
    }

    /// Their checksum of this kind.
    #[must_use]
    pub fn checksum(&self, kind: ChecksumKind) -> Checksum {
        match kind {
            ChecksumKind::Crc32 => Checksum::Crc32(self.crc32()),
            ChecksumKind::Sha256 => Checksum::Sha256(self.sha256()),
        }
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self {
            bytes: 0,
            crc32: CRC32.digest(),
            sha256: Sha256::default(),
        }
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Digest")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

static CRC32: Crc<u32, Lanes> = Crc::<u32, Lanes>::new(&CRC_32_ISO_HDLC);

/// Sixteen bytes at a time, with a table of 16 KiB.
type Lanes = Table<16>;

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn a_checksum_is_read_in_either_case_and_written_in_lower_case() {
        let checksum = Checksum::parse(b"CRC32=CBF43926")
            .expect("its name")
            .expect("its digits");
        assert_eq!(checksum, Checksum::Crc32(0xcbf4_3926));
        assert_eq!(format!("{checksum}"), "CRC32=cbf43926");
    }

    #[test]
    fn a_checksum_with_any_other_number_of_digits_is_broken_and_not_ignored() {
        for word in [
            "CRC32=",
            "CRC32=1a2b",
            "CRC32=1a2b3c4d5",
            "CRC32=+a2b3c4d",
            "SHA256=00",
            "CRC32=1a2b3c4g",
        ] {
            assert_eq!(
                Checksum::parse(word.as_bytes()),
                Some(Err(Broken)),
                "{word}"
            );
        }
        assert_eq!(Checksum::parse(b"MD5=00"), None);
    }

    #[test]
    fn the_known_digests_of_abc_come_out() {
        let mut digest = Digest::default();
        digest.add(b"abc");
        assert_eq!(
            format!("{}", digest.checksum(ChecksumKind::Crc32)),
            "CRC32=352441c2"
        );
        assert_eq!(
            format!("{}", digest.checksum(ChecksumKind::Sha256)),
            "SHA256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
