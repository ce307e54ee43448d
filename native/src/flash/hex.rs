//! Intel HEX: lines of a colon, hexadecimal digits, and a checksum (Intel, "Hexadecimal Object File Format
//! Specification", A); and universal HEX, which contains the firmware of several micro:bits (Micro:bit Educational
//! Foundation, "Universal Hex Format Specification").

/// Facts about a complete Intel HEX file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hex {
    /// Boards that a universal file is for, by their identifiers; empty for an ordinary file.
    pub boards: Vec<u16>,
    /// Address after the last byte that goes into the flash.
    pub end: u32,
}

/// Valid line.
struct Line {
    kind: u8,
    address: u16,
    data: Vec<u8>,
}

impl Hex {
    /// Checks that every line is valid and that the file has its end record; returns the number of the first damaged
    /// line, from 1.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, usize> {
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines = lines.map(<[u8]>::trim_ascii).enumerate();
        let mut facts = Self::default();
        let (mut base, mut last, mut has_end) = (0, 1, false);
        for (at, line) in lines.filter(|(_, line)| !line.is_empty()) {
            last = at + 1;
            let line = parse_line(line).ok_or(last)?;
            has_end = line.kind == END;
            match (line.kind, &line.data[..]) {
                (DATA | DATA_OF_BLOCK, data) if !data.is_empty() => {
                    facts.take(base + u32::from(line.address), data.len());
                }
                (SEGMENT, &[high, low]) => base = u32::from(u16::from_be_bytes([high, low])) << 4,
                (UPPER, &[high, low]) => base = u32::from(u16::from_be_bytes([high, low])) << 16,
                (BLOCK, &[high, low, ..]) => facts.boards.push(u16::from_be_bytes([high, low])),
                _ => {}
            }
        }
        facts.boards.sort_unstable();
        facts.boards.dedup();
        match has_end {
            true => Ok(facts),
            false => Err(last),
        }
    }

    fn take(&mut self, address: u32, length: usize) {
        if !NOT_FLASH.iter().any(|range| range.contains(&address)) {
            self.end = self.end.max(address.saturating_add(length as u32));
        }
    }
}

/// Parses a line; `None` if it is damaged.
fn parse_line(line: &[u8]) -> Option<Line> {
    let (colon, digits) = line.split_first()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    if *colon != b':' || !rest.is_empty() {
        return None;
    }
    let bytes: Option<Vec<u8>> = pairs.iter().map(|pair| byte(*pair)).collect();
    let bytes = bytes?;
    let sum = bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    let [length, high, low, kind, data @ .., _] = &bytes[..] else {
        return None;
    };
    (sum == 0 && data.len() == usize::from(*length)).then(|| Line {
        kind: *kind,
        address: u16::from_be_bytes([*high, *low]),
        data: data.to_vec(),
    })
}

fn byte([high, low]: [u8; 2]) -> Option<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    u8::try_from(digit(high)? << 4 | digit(low)?).ok()
}

const DATA: u8 = 0;
const END: u8 = 1;
const SEGMENT: u8 = 2;
const UPPER: u8 = 4;
/// Record that begins the part for one board, with its identifier.
const BLOCK: u8 = 0x0a;
/// Data record for a micro:bit V2, which the old DAPLink of a V1 ignores.
const DATA_OF_BLOCK: u8 = 0x0d;
/// The chips' configuration (UICR), which firmware may contain, too; and their RAM, at whose addresses MakeCode keeps a
/// program's source.
const NOT_FLASH: [std::ops::Range<u32>; 2] = [0x1000_1000..0x1000_2000, 0x2000_0000..0x4000_0000];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_with_every_line_and_its_end() {
        let whole = b":020000040000FA\r\n:0400000001020304F2\r\n:00000001FF\r\n";
        assert_eq!(Hex::parse(whole).map(|it| it.end), Ok(4));
        assert_eq!(Hex::parse(&whole[..whole.len() - 13]), Err(2));
        let mut damaged = whole.to_vec();
        damaged[30] = b'9';
        assert_eq!(Hex::parse(&damaged), Err(2));
        assert_eq!(Hex::parse(b":00"), Err(1));
        assert_eq!(Hex::parse(b""), Err(1));
    }

    #[test]
    fn the_last_address_is_that_of_the_flash() {
        let end = |lines: &str| Hex::parse(lines.as_bytes()).unwrap().end;
        let data = ":0400000001020304F2\n:00000001FF\n";
        assert_eq!(end(&format!(":020000040800F2\n{data}")), 0x0800_0004);
        assert_eq!(end(&format!(":020000021000EC\n{data}")), 0x0001_0004);
        // Configuration, and a program's source.
        let uicr = ":020000041000EA\n:0410140001020304CE\n:00000001FF\n";
        assert_eq!(end(uicr), 0);
        assert_eq!(end(&format!(":020000042000DA\n{data}")), 0);
    }

    #[test]
    fn a_universal_file_names_its_boards() {
        let file = ":0400000A9900C0DEBB\n:0400000A9903C0DEB8\n:0400000D01020304E5\n:00000001FF\n";
        let facts = Hex::parse(file.as_bytes()).unwrap();
        assert_eq!(facts.boards, [0x9900, 0x9903]);
        assert_eq!(facts.end, 4);
    }
}
