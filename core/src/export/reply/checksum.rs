//! Checksums: those that a device reports, and those that the receiver computes.

use alloc::format;
use core::{fmt, str};

use crc::{CRC_32_ISO_HDLC, Crc, Table};
use sha2::{Digest as _, Sha256};

use crate::to_hexadecimal;

/// A checksum that a device sent: `CRC32=1a2b3c4d` or `SHA256=` and 64 digits, in either case. Other unambiguous
/// spellings are accepted as well; the README lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// CRC-32 as computed by gzip (RFC 1952, section 8), PNG and Python's `binascii.crc32`.
    Crc32(u32),
    /// SHA-256.
    Sha256([u8; 32]),
}

/// Kind of checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksumKind {
    /// CRC-32.
    Crc32,
    /// SHA-256.
    Sha256,
}

impl Checksum {
    /// Reads `CRC32=…` or `SHA256=…`; `None` if the word is neither, an error if it is one of them but malformed.
    pub(crate) fn parse(word: &[u8]) -> Option<Result<Self, Broken>> {
        let (name, value) = setting(word)?;
        let is = |names: [&[u8]; 2]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        if is([b"CRC32", b"CRC-32"]) {
            return Some(crc32(value).map(Self::Crc32));
        }
        is([b"SHA256", b"SHA-256"])
            .then(|| hexadecimal(value.strip_prefix(b"0x").unwrap_or(value)).map(Self::Sha256))
    }

    /// Returns true if this checksum, as sent by a device, matches the computed one. Digits without a letter may have
    /// been meant as a decimal number.
    pub(crate) fn fits(self, counted: Self) -> bool {
        self == counted || self.as_decimal().is_some_and(|decimal| decimal == counted)
    }

    /// Returns the checksum that the same digits mean as a decimal number.
    fn as_decimal(self) -> Option<Self> {
        let Self::Crc32(crc32) = self else {
            return None;
        };
        format!("{crc32:x}").parse().ok().map(Self::Crc32)
    }

    /// Returns the kind of this checksum.
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

/// Name of a checksum, followed by something other than its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

/// Splits `NAME=value` or `name: value`, with blanks around either.
pub(crate) fn setting(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|byte| matches!(byte, b'=' | b':'))?;
    Some((line[..at].trim_ascii(), line[at + 1..].trim_ascii()))
}

/// Reads 1 to 8 hexadecimal digits, with or without `0x`, or a decimal number that is too long for them.
fn crc32(value: &[u8]) -> Result<u32, Broken> {
    let prefix = value.get(..2).filter(|two| two.eq_ignore_ascii_case(b"0x"));
    let digits = &value[prefix.map_or(0, <[u8]>::len)..];
    let radix = match digits.len() {
        1..=8 if digits.iter().all(u8::is_ascii_hexdigit) => 16,
        9..=10 if prefix.is_none() && digits.iter().all(u8::is_ascii_digit) => 10,
        _ => return Err(Broken),
    };
    let digits = str::from_utf8(digits).map_err(|_| Broken)?;
    u32::from_str_radix(digits, radix).map_err(|_| Broken)
}

/// Reads exactly `2 * N` digits.
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

/// Length, CRC-32 and SHA-256 of bytes, computed as they arrive.
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
    /// Adds these bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.crc32.update(bytes);
        self.sha256.update(bytes);
    }

    /// Returns the number of bytes added.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the CRC-32 of the bytes.
    #[must_use]
    pub fn crc32(&self) -> u32 {
        self.crc32.clone().finalize()
    }

    /// Returns the SHA-256 of the bytes.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256.clone().finalize().into()
    }

    /// Returns the checksum of this kind.
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

/// Table of 16 KiB for sixteen bytes at a time.
type Lanes = Table<16>;

#[cfg(test)]
mod tests {
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
    fn the_ways_in_which_people_write_a_checksum_are_read() {
        for (word, crc32) in [
            ("CRC32=cbf43926 ", 0xcbf4_3926),
            ("CRC32=0xCBF43926", 0xcbf4_3926),
            ("CRC32=0Xcbf43926", 0xcbf4_3926),
            ("crc32: cbf43926", 0xcbf4_3926),
            ("CRC-32 = cbf43926", 0xcbf4_3926),
            ("CRC32=3421780262", 0xcbf4_3926),
            ("CRC32=bf43926", 0x0bf4_3926),
            ("CRC32=0", 0),
            ("CRC32=123456789", 123_456_789),
        ] {
            let read = Checksum::parse(word.as_bytes());
            assert_eq!(read, Some(Ok(Checksum::Crc32(crc32))), "{word}");
        }
        let sha256 = ["sha256: 0x", &"00".repeat(32)].concat();
        assert_eq!(
            Checksum::parse(sha256.as_bytes()),
            Some(Ok(Checksum::Sha256([0; 32])))
        );
    }

    #[test]
    fn digits_that_may_be_hexadecimal_or_decimal_fit_as_either() {
        let sent = Checksum::parse(b"CRC32=12345678")
            .expect("its name")
            .expect("its digits");
        assert!(sent.fits(Checksum::Crc32(0x1234_5678)));
        assert!(sent.fits(Checksum::Crc32(12_345_678)));
        assert!(!sent.fits(Checksum::Crc32(0x1234_5679)));
        assert!(!Checksum::Crc32(0xa).fits(Checksum::Crc32(10 + 1)));
    }

    #[test]
    fn every_checksum_is_read_back_however_it_is_written() {
        let mut crc32 = 1_u32;
        for _ in 0..20_000 {
            crc32 = crc32.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Small numbers have leading zeros, which some devices omit.
            let counted = Checksum::Crc32(crc32 >> (crc32 % 32));
            let Checksum::Crc32(value) = counted else {
                return;
            };
            for word in [
                format!("CRC32={value:08x}"),
                format!("CRC32={value:x}"),
                format!("CRC32={value:X}"),
                format!("CRC32={value:#x}"),
                format!("CRC32={value:#010X}"),
                format!("CRC32={value}"),
            ] {
                let read = Checksum::parse(word.as_bytes());
                let fits = read.is_some_and(|sent| sent.is_ok_and(|sent| sent.fits(counted)));
                assert!(fits, "{word}");
            }
        }
    }

    #[test]
    fn a_checksum_that_cannot_be_read_is_broken_and_not_ignored() {
        for word in [
            "CRC32=",
            "CRC32=1a2b3c4d5",
            "CRC32=4294967296",
            "CRC32=0x123456789",
            "CRC32=+a2b3c4d",
            "SHA256=00",
            "CRC32=1a2b3c4g",
            "CRC32=1a2b 3c4d",
        ] {
            assert_eq!(
                Checksum::parse(word.as_bytes()),
                Some(Err(Broken)),
                "{word}"
            );
        }
        assert_eq!(Checksum::parse(b"MD5=00"), None);
        assert_eq!(Checksum::parse(b"crc32 of it all"), None);
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
