//! Writes parts of a flash by DFU with ST's extensions (ST AN3156, "USB DFU protocol used in the STM32 bootloader").
//!
//! `dfu-core` knows descriptors, states and layouts. Its own download takes only one part, and starts the program after
//! it.

use std::{fmt::Display, thread::sleep, time::Duration};

use dfu_core::{DfuIo, State, Status};

use super::{DfuError, layout::Layout};
use crate::flash::DfuPart;

/// Link to a chip in its DFU mode.
pub(super) trait Io: DfuIo<Read = usize, Write = usize, Error: Display> {}

impl<T: DfuIo<Read = usize, Write = usize, Error: Display>> Io for T {}

/// Writes the parts of a file, reads them again to compare, and starts the program; `tell` receives the number of bytes
/// that the chip has taken.
///
/// # Errors
/// The chip does not take the file, or stops answering.
pub(super) fn write<T: Io>(
    io: &T,
    parts: &[DfuPart],
    bytes: &[u8],
    tell: &mut dyn FnMut(u64),
) -> Result<(), DfuError> {
    let pages = Layout::of(io.protocol())?.replaced(parts)?;
    let mut chip = Chip { io };
    let mut done = 0;
    let total = parts.iter().map(|part| part.place.len() as u64).sum();
    let stopped = |done: &u64, why| DfuError::Stopped {
        done: *done,
        total,
        why,
    };
    let replace = || {
        chip.be_idle()?;
        for page in pages {
            chip.command(ERASE, page)?;
            tell(0);
        }
        for part in parts {
            chip.write(part.address, &bytes[part.place.clone()], &mut |piece| {
                done += piece as u64;
                tell(done);
            })?;
        }
        Ok(())
    };
    let replaced: Result<(), String> = replace();
    replaced.map_err(|why| stopped(&done, why))?;
    if io.functional_descriptor().can_upload {
        for part in parts {
            let expected = &bytes[part.place.clone()];
            let read = chip.read(part.address, expected.len());
            let read = read.map_err(|why| stopped(&done, why))?;
            let mut pairs = read.iter().zip(expected);
            if let Some(at) = pairs.position(|(own, wanted)| own != wanted) {
                let address = part.address + at as u32;
                return Err(DfuError::Differs { address });
            }
        }
    }
    let start = parts.first().map_or(0, |part| part.address);
    chip.start(start).map_err(|why| stopped(&done, why))
}

/// A chip that takes commands.
struct Chip<'a, T> {
    io: &'a T,
}

impl<T: Io> Chip<'_, T> {
    /// Returns the chip to its idle state, from an error or an interrupted update.
    fn be_idle(&mut self) -> Result<(), String> {
        for _ in 0..3 {
            // An error may be from before.
            match self.status()?.state {
                State::DfuIdle => return Ok(()),
                State::DfuError => self.send(CLEAR_STATUS, 0, &[])?,
                _ => self.send(ABORT, 0, &[])?,
            }
        }
        Err("the chip does not become idle".to_owned())
    }

    fn write(
        &mut self,
        address: u32,
        bytes: &[u8],
        tell: &mut dyn FnMut(usize),
    ) -> Result<(), String> {
        for (blocks, at) in bytes.chunks(self.piece() * BLOCKS).zip(0_u32..) {
            self.command(SET_ADDRESS, address + at * (self.piece() * BLOCKS) as u32)?;
            for (block, number) in blocks.chunks(self.piece()).zip(FIRST_BLOCK..) {
                self.send(DOWNLOAD, number, block)?;
                self.wait()?;
                tell(block.len());
            }
        }
        Ok(())
    }

    fn read(&mut self, address: u32, length: usize) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            self.be_idle()?;
            self.command(SET_ADDRESS, address + bytes.len() as u32)?;
            self.be_idle()?;
            for number in (FIRST_BLOCK..).take(BLOCKS) {
                let mut block = vec![0; self.piece().min(length - bytes.len())];
                let got = self.io.read_control(IN, UPLOAD, number, &mut block);
                let got = got.map_err(|error| error.to_string())?;
                if got == 0 {
                    return Err("the chip returns no data".to_owned());
                }
                bytes.extend(&block[..got.min(block.len())]);
                if bytes.len() == length || got < block.len() {
                    break;
                }
            }
        }
        self.be_idle()?;
        Ok(bytes)
    }

    /// Leaves the DFU mode for the program at an address. The chip may be gone before it has answered.
    fn start(&mut self, address: u32) -> Result<(), String> {
        self.command(SET_ADDRESS, address)?;
        self.send(DOWNLOAD, FIRST_BLOCK, &[])?;
        let _ = self.status();
        Ok(())
    }

    fn command(&mut self, command: u8, address: u32) -> Result<(), String> {
        let [a, b, c, d] = address.to_le_bytes();
        self.send(DOWNLOAD, 0, &[command, a, b, c, d])?;
        self.wait()
    }

    /// Waits until the chip has carried out the command.
    fn wait(&mut self) -> Result<(), String> {
        for _ in 0..POLLS {
            let answer = self.status()?;
            match answer.state {
                State::DfuDnloadIdle => return Ok(()),
                State::DfuDnbusy | State::DfuDnloadSync => sleep(answer.pause),
                _ => return Err(format!("the chip reports an error: {}", answer.status)),
            }
        }
        Err("the chip stays busy".to_owned())
    }

    fn status(&mut self) -> Result<Answer, String> {
        let mut answer = [0; 6];
        let got = self.io.read_control(IN, GET_STATUS, 0, &mut answer);
        if got.map_err(|error| error.to_string())? < answer.len() {
            return Err("the chip's answer is too short".to_owned());
        }
        let [status, a, b, c, state, _] = answer;
        let pause = u32::from_le_bytes([a, b, c, 0]).min(PAUSE_LIMIT);
        Ok(Answer {
            status: Status::from(status),
            pause: Duration::from_millis(pause.into()),
            state: State::from(state),
        })
    }

    fn send(&mut self, request: u8, value: u16, data: &[u8]) -> Result<(), String> {
        let sent = self.io.write_control(OUT, request, value, data);
        match sent.map_err(|error| error.to_string())? {
            count if count == data.len() => Ok(()),
            _ => Err("the chip has not accepted all data".to_owned()),
        }
    }

    /// Length of a block, in bytes.
    fn piece(&self) -> usize {
        usize::from(self.io.functional_descriptor().transfer_size).clamp(1, PIECE_LIMIT)
    }
}

/// Answer to the query for the status.
struct Answer {
    status: Status,
    /// Pause until the next query.
    pause: Duration,
    state: State,
}

// Requests of the class DFU (USB DFU 1.1, 3, "Requests"), with their types.
const OUT: u8 = 0x21;
const IN: u8 = 0xa1;
const DOWNLOAD: u8 = 1;
const UPLOAD: u8 = 2;
const GET_STATUS: u8 = 3;
const CLEAR_STATUS: u8 = 4;
const ABORT: u8 = 6;
// Commands in block 0.
const SET_ADDRESS: u8 = 0x21;
const ERASE: u8 = 0x41;
/// Number of the block at the address that was set.
const FIRST_BLOCK: u16 = 2;
/// Number of blocks after which the address is set again, so that their numbers stay small.
const BLOCKS: usize = 1024;
/// Size limit of a block, in bytes: a control transfer has no more on some systems.
const PIECE_LIMIT: usize = 4096;
/// Limit of a pause, in milliseconds; erasing the largest page takes four seconds.
const PAUSE_LIMIT: u32 = 10_000;
/// Number of queries until a chip that stays busy is given up.
const POLLS: u32 = 500;

#[cfg(test)]
mod tests {
    use super::{
        super::{
            DfuFile,
            file::tests::dfu,
            mock::{FLASH, Fault, Mock},
        },
        *,
    };

    fn flashed(mock: &Mock, parts: &[(u32, &[u8])]) -> Result<u64, DfuError> {
        let bytes = dfu(parts);
        let file = DfuFile::read(&bytes).unwrap().unwrap();
        let mut taken = 0;
        write(mock, &file.parts, &bytes, &mut |done| taken = done)?;
        Ok(taken)
    }

    /// Two parts, as MicroPython has them, with a file system between them.
    fn parts() -> [(u32, Vec<u8>); 2] {
        [(FLASH, vec![1; 9000]), (FLASH + 0x2_0000, vec![2; 150_001])]
    }

    fn slices(parts: &[(u32, Vec<u8>); 2]) -> [(u32, &[u8]); 2] {
        [(parts[0].0, &parts[0].1[..]), (parts[1].0, &parts[1].1[..])]
    }

    #[test]
    fn the_mock_gets_its_parts_and_keeps_what_is_between_them() {
        let mock = Mock::new();
        let parts = parts();
        assert_eq!(flashed(&mock, &slices(&parts)).unwrap(), 159_001);
        for (address, data) in &parts {
            assert!(mock.flash(*address, data.len()) == *data);
        }
        assert!(
            mock.flash(FLASH + 0x4000, 0x1_c000)
                .iter()
                .all(|byte| *byte == Mock::OLD)
        );
        assert_eq!(mock.started(), Some(FLASH));
        // 16, 128 and 128 KiB, once each.
        assert_eq!(mock.erased(), [FLASH, FLASH + 0x2_0000, FLASH + 0x4_0000]);
    }

    #[test]
    fn the_mock_is_flashed_again_after_each_cut() {
        let parts = parts();
        let slices = slices(&parts);
        let whole = Mock::new();
        flashed(&whole, &slices).unwrap();
        let mock = Mock::new();
        for cut in 0..whole.requests() {
            mock.fail_after(cut, Fault::Gone);
            let failed = flashed(&mock, &slices);
            // The last query may find the chip gone, as a real one is.
            assert!(failed.is_err() || mock.started().is_some(), "{cut}");
            mock.heal();
            flashed(&mock, &slices).unwrap_or_else(|error| panic!("{cut}: {error}"));
            assert!(
                mock.flash(parts[1].0, parts[1].1.len()) == parts[1].1,
                "{cut}"
            );
        }
    }

    #[test]
    fn the_mock_gets_nothing_beyond_its_flash() {
        let mock = Mock::new();
        for address in [FLASH - 4, FLASH + (1 << 20) - 2, 0x2000_0000] {
            let refused = flashed(&mock, &[(FLASH, b"vectors"), (address, b"data")]);
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains("nothing was written"), "{refused}");
        }
        assert_eq!(mock.requests(), 0);
    }

    #[test]
    fn what_the_mock_refuses_or_does_not_keep_is_told() {
        let mock = Mock::new();
        mock.fail_after(5, Fault::Refuses);
        let refused = flashed(&mock, &slices(&parts())).unwrap_err().to_string();
        assert!(refused.contains("To flash it again"), "{refused}");
        let mock = Mock::new();
        mock.fail_after(20, Fault::Forgets);
        let refused = flashed(&mock, &slices(&parts())).unwrap_err().to_string();
        assert!(refused.contains("does not hold the data"), "{refused}");
    }
}
