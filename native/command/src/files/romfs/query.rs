//! The board's ROM partitions.

use flylead_core::raw_repl::own;
use flylead_native::{Board, romfs::size};
use serde_json::json;

use super::{Common, Exit, Failure};
use crate::terminal::print_line;

/// A ROM partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Partition {
    pub(super) number: u32,
    /// Size, in bytes.
    pub(super) size: usize,
    /// Size of the blocks that are erased at once, in bytes.
    pub(super) block: usize,
    /// True to write the partition as a block device rather than with `vfs.rom_ioctl`.
    pub(super) is_device: bool,
    /// Length of its current image, in bytes.
    pub(super) used: Option<u64>,
}

pub(super) async fn run(common: &Common) -> Result<Exit, Failure> {
    let work = async |board: &mut Board| {
        let all = partitions(board).await?;
        if all.is_empty() && !common.json {
            print_line("the board has no ROM partition")?;
        }
        for partition in all {
            print_line(match common.json {
                true => partition.json(),
                false => partition.in_words(),
            })?;
        }
        Ok(Exit::Done)
    };
    common.with_board(work).await
}

/// Returns the partitions of the board; none if its MicroPython has no ROMFS.
pub(super) async fn partitions(board: &mut Board) -> Result<Vec<Partition>, Failure> {
    if !board.capabilities().await?.mounts {
        return Ok(Vec::new());
    }
    let said = board.exec(own(QUERY)).await?;
    let said = String::from_utf8_lossy(&said);
    said.lines()
        .map(|line| {
            Partition::parse(line).ok_or_else(|| {
                let message =
                    format!("the board's answer about a ROM partition cannot be read: {line}");
                Failure::new(Exit::Refused, message)
            })
        })
        .collect()
}

impl Partition {
    /// Parses a line such as `0 131072 4096 device d2cd31…`.
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        let &[number, size_, block, kind, beginning] = words.as_slice() else {
            return None;
        };
        let digits = beginning.as_bytes().chunks(2);
        let beginning = digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
        let beginning: Vec<u8> = beginning.collect::<Option<_>>()?;
        Some(Self {
            number: number.parse().ok()?,
            size: size_.parse().ok()?,
            block: block.parse().ok().filter(|&block| block > 0)?,
            is_device: kind == "device",
            used: size(&beginning),
        })
    }

    fn in_words(&self) -> String {
        let used = match self.used {
            Some(used) => format!("an image of {used} bytes"),
            None => "no image".to_owned(),
        };
        let Self {
            number,
            size,
            block,
            ..
        } = self;
        format!("partition {number}: {size} bytes in blocks of {block}, {used}")
    }

    fn json(&self) -> String {
        json!({
            "partition": self.number,
            "size": self.size,
            "block": self.block,
            "used": self.used,
        })
        .to_string()
    }
}

/// The numbers are those of MicroPython v1.29, `extmod/vfs.h` (`MP_VFS_ROM_IOCTL_…`) and `docs/library/vfs.rst` (`ioctl`).
const QUERY: &str = "\
def _q():
 try:
  import vfs
  f=vfs.rom_ioctl
 except(ImportError,AttributeError):return
 for i in range(f(1)):
  d=f(2,i)
  if isinstance(d,int):continue
  if hasattr(d,'ioctl'):
   b=d.ioctl(5,0)
   n=d.ioctl(4,0)*b
   k='device'
  else:
   n=len(d)
   b=f(6,i)
   if b<=0:b=n
   k='memory'
  print(i,n,b,k,''.join('%02x'%c for c in bytes(memoryview(d)[:12])))
_q()
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_read_and_nonsense_is_not() {
        let partition = Partition::parse("1 131072 4096 device d2cd318210ffffffffffffff").unwrap();
        assert_eq!(
            (
                partition.number,
                partition.size,
                partition.block,
                partition.is_device
            ),
            (1, 131_072, 4096, true)
        );
        assert_eq!(partition.used, Some(2 * 128 + 16 + 5));
        let empty = Partition::parse("0 4096 4096 memory ffffffffffffffffffffffff").unwrap();
        assert_eq!((empty.is_device, empty.used), (false, None));
        for line in [
            "",
            "0 1 2 memory",
            "x 1 1 memory ff",
            "0 1 0 memory ff",
            "0 1 1 memory f\u{e9}",
        ] {
            assert_eq!(Partition::parse(line), None, "{line}");
        }
    }
}
