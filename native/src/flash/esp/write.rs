//! Writes an image through the protocol of the boot ROM, with the stub of `espflash`, which decompresses and verifies.

use std::{error::Error, fmt, io, time::Duration};

use espflash::{
    connection::{Connection, Port, ResetAfterOperation, ResetBeforeOperation},
    flasher::Flasher,
    target::{Chip, ProgressCallbacks},
};
use serialport::{SerialPort as _, SerialPortType, UsbPortInfo};

use super::{EspChip, EspImage};
use crate::link::{Address, OpenError};

/// Start of newly written firmware.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Started {
    /// The port has a line to the chip's reset, and used it.
    ByItself,
    /// The port has no such line: a person has to press the button.
    ByButton,
}

/// Reason why an image cannot be written to an ESP chip.
#[derive(Debug)]
#[non_exhaustive]
pub enum EspError {
    /// The port cannot be opened.
    Open(OpenError),
    /// No boot ROM answers. Nothing was written.
    Silent,
    /// The chip is another kind. Nothing was written.
    OtherChip {
        /// Name of the chip found.
        found: String,
        /// Name of the chip that the firmware is for.
        wanted: &'static str,
    },
    /// The flash is smaller than the image. Nothing was written.
    TooLarge {
        /// Number of bytes up to the end of the image.
        end: u64,
        /// Size of the flash, in bytes.
        flash: u64,
    },
    /// The chip does not report enough about itself. Nothing was written.
    Unknown(String),
    /// Writing or verifying has failed.
    Stopped {
        /// Number of bytes that the chip has confirmed.
        done: u64,
        /// Size of the image, in bytes.
        total: u64,
        /// Reason.
        why: String,
    },
}

/// Queries the boot ROM at a serial port for its chip. It blocks.
///
/// # Errors
/// The port cannot be opened, no boot ROM answers, or its chip is unknown.
pub fn esp_chip(port: &str) -> Result<EspChip, EspError> {
    let (chip, _) = connect(port, false)?;
    let is_own = |it: &EspChip| Chip::try_from(it.number).ok() == Some(chip.chip());
    let found = EspChip::all().find(is_own);
    found.ok_or_else(|| EspError::Unknown(format!("it is an {}", chip.chip())))
}

/// Writes an image to the chip at a serial port, verifies it by MD5, and starts it; `tell` receives the number of bytes
/// that the chip has taken. It blocks.
///
/// # Errors
/// The port cannot be opened, no boot ROM answers, the chip is another kind or has too little flash, or it stops
/// answering.
pub fn write_esp(
    port: &str,
    bytes: &[u8],
    image: EspImage,
    erases: bool,
    tell: impl FnMut(u64),
) -> Result<Started, EspError> {
    let (mut chip, started) = connect(port, true)?;
    if let Err(error) = check(&mut chip, bytes, image) {
        // The chip's own firmware resumes, if the port can restart it.
        let own = chip.chip();
        let _ = chip.connection().reset_after(true, own);
        return Err(error);
    }
    let total = bytes.len() as u64;
    let mut writing = Writing {
        blocks: 0,
        done: 0,
        total,
        tell,
    };
    let written = match erases {
        true => chip.erase_flash(),
        false => Ok(()),
    };
    let written = written.and_then(|()| chip.write_bin_to_flash(image.offset, bytes, &mut writing));
    written
        .map(|()| started)
        .map_err(|error| EspError::Stopped {
            done: writing.done,
            total,
            why: in_words(&error),
        })
}

fn open(port: &str) -> Result<Port, EspError> {
    let new = serialport::new(port, ROM_BAUD).timeout(TIMEOUT);
    new.open_native().map_err(|error| {
        let address = Address::Serial {
            path: port.to_owned(),
            baud: None,
        };
        EspError::Open(OpenError::from_io(address, io::Error::from(error)))
    })
}

/// Returns true if the port has modem lines, which on most boards reset the chip. A pseudo-terminal has none.
fn has_lines(serial: &Port) -> bool {
    let mut serial = serial.try_clone_native().ok();
    let carrier = serial.as_mut().map(|serial| serial.read_carrier_detect());
    carrier.is_some_and(|carrier| carrier.is_ok())
}

/// Returns the numbers of the port's USB device, by which the chip's own USB is recognized.
fn usb(port: &str) -> UsbPortInfo {
    let found = serialport::available_ports().unwrap_or_default();
    let own = found.into_iter().find(|it| it.port_name == port);
    match own.map(|own| own.port_type) {
        Some(SerialPortType::UsbPort(usb)) => usb,
        _ => UsbPortInfo {
            vid: 0,
            pid: 0,
            serial_number: None,
            manufacturer: None,
            product: None,
        },
    }
}

/// Connects to the boot ROM, and loads the stub into the chip's memory if it is needed.
fn connect(port: &str, needs_stub: bool) -> Result<(Flasher, Started), EspError> {
    let serial = open(port)?;
    let (started, after, before) = match has_lines(&serial) {
        true => (
            Started::ByItself,
            ResetAfterOperation::HardReset,
            ResetBeforeOperation::DefaultReset,
        ),
        false => (
            Started::ByButton,
            ResetAfterOperation::NoReset,
            ResetBeforeOperation::NoReset,
        ),
    };
    let connection = Connection::new(serial, usb(port), after, before, ROM_BAUD);
    let baud = needs_stub.then_some(BAUD);
    let connected = Flasher::connect(connection, needs_stub, true, false, None, baud);
    let chip = connected.map_err(|error| match error {
        espflash::Error::Connection(_) => EspError::Silent,
        error => EspError::Unknown(in_words(&error)),
    })?;
    Ok((chip, started))
}

/// Checks that the chip is the one that the image is for, and that its flash is large enough.
fn check(chip: &mut Flasher, bytes: &[u8], image: EspImage) -> Result<(), EspError> {
    let wanted = Chip::try_from(image.chip.number);
    if wanted.ok() != Some(chip.chip()) {
        return Err(EspError::OtherChip {
            found: chip.chip().to_string().to_uppercase(),
            wanted: image.chip.name,
        });
    }
    let flash = chip
        .flash_detect()
        .map_err(|error| EspError::Unknown(in_words(&error)))?;
    let end = u64::from(image.offset) + bytes.len() as u64;
    match flash.map(|flash| u64::from(flash.size())) {
        Some(flash) if end > flash => Err(EspError::TooLarge { end, flash }),
        _ => Ok(()),
    }
}

/// Progress callback that counts the blocks confirmed by the chip.
struct Writing<F> {
    blocks: u64,
    done: u64,
    total: u64,
    tell: F,
}

impl<F: FnMut(u64)> ProgressCallbacks for Writing<F> {
    fn init(&mut self, _: u32, blocks: usize) {
        self.blocks = blocks as u64;
    }

    fn update(&mut self, block: usize) {
        self.done = self.total * block as u64 / self.blocks.max(1);
        (self.tell)(self.done);
    }

    fn verifying(&mut self) {}

    fn finish(&mut self, _: bool) {}
}

/// Formats an error with its causes.
fn in_words(error: &espflash::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words += &format!(": {error}");
        cause = error.source();
    }
    words
}

impl fmt::Display for EspError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(error) => error.fmt(f),
            Self::Silent => f.write_str(
                "no ESP boot ROM answers at this port; nothing was written. Hold the board's button BOOT (or 0, or IO0), press \
                 RESET (or EN), let go of both, and run this once more; a board with USB of its own may have another port then",
            ),
            Self::OtherChip { found, wanted } => write!(
                f,
                "the firmware is for the {wanted}, but the chip is an {found}; nothing was written. Get the file that is made for that chip"
            ),
            Self::TooLarge { end, flash } => write!(
                f,
                "the firmware needs {end} bytes of flash, and the chip has {flash}; nothing was written. Get a file for a smaller flash"
            ),
            Self::Unknown(why) => write!(
                f,
                "the chip cannot be identified: {why}; nothing was written. Press its RESET button and run this once more"
            ),
            Self::Stopped { done, total, why } => write!(
                f,
                "{why}, after {done} of {total} bytes; the board has no complete firmware now. It can be flashed again: hold BOOT, press RESET, \
                 let go of both, and run this once more"
            ),
        }
    }
}

impl Error for EspError {}

/// Speed of a boot ROM by default.
const ROM_BAUD: u32 = 115_200;
/// Speed for the image; common USB chips and long cables support it.
const BAUD: u32 = 460_800;
/// Time limit for an answer, except for erasing, for which `espflash` has limits by size.
const TIMEOUT: Duration = Duration::from_secs(3);
