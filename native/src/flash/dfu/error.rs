//! Reasons why firmware cannot be written to an STM32.

use std::{error::Error, fmt, ops::Range};

/// Reason why a file cannot be written to a chip in its DFU mode.
#[derive(Debug)]
#[non_exhaustive]
pub enum DfuError {
    /// No chip in its DFU mode was found.
    None,
    /// Several such chips were found.
    Several(usize),
    /// The chip cannot be opened. Nothing was written.
    Open(String),
    /// The chip does not describe its flash as an STM32 does. Nothing was written.
    NotStm32,
    /// The file has data where the chip has no flash. Nothing was written.
    Beyond {
        /// First address of that data.
        start: u32,
        /// Address after its last byte.
        end: u32,
        /// Addresses of the flash.
        flash: Range<u32>,
    },
    /// The content of the chip differs afterwards.
    Differs {
        /// Address of the first difference.
        address: u32,
    },
    /// Writing has failed.
    Stopped {
        /// Number of bytes that the chip has taken.
        done: u64,
        /// Number of bytes to write.
        total: u64,
        /// Reason.
        why: String,
    },
}

impl fmt::Display for DfuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("no STM32 in its DFU mode was found; nothing was written"),
            Self::Several(count) => write!(
                f,
                "{count} STM32 in their DFU mode were found; nothing was written. Unplug all but one"
            ),
            Self::Open(why) => write!(
                f,
                "the STM32 cannot be opened: {why}; nothing was written. On Linux, a udev rule must let you use the USB device \
                 0483:df11; on Windows, the device needs the WinUSB driver, which STM32CubeProgrammer installs"
            ),
            Self::NotStm32 => f.write_str(
                "the chip in DFU mode does not describe its flash as an STM32 does; nothing was written. Use dfu-util",
            ),
            Self::Beyond { start, end, flash } => write!(
                f,
                "the firmware has data at {start:#x} to {end:#x}, but the flash is at {:#x} to {:#x}; nothing was written. Get the \
                 file for this board",
                flash.start, flash.end
            ),
            Self::Differs { address } => write!(
                f,
                "the chip does not hold the data written to it at {address:#x}; the board has no complete firmware now. To flash it \
                 again, put it into its DFU mode and run this command again"
            ),
            Self::Stopped { done, total, why } => write!(
                f,
                "{why}, after {done} of {total} bytes; the board has no complete firmware now. To flash it again, put it into its \
                 DFU mode and run this command again"
            ),
        }
    }
}

impl Error for DfuError {}
