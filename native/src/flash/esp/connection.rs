//! Connections to boot ROMs.

use std::{io, time::Duration};

use espflash::{
    connection::{Connection, Port, ResetAfterOperation, ResetBeforeOperation},
    flasher::Flasher,
};
use serialport::{SerialPort as _, SerialPortType, UsbPortInfo};

use super::{EspError, error::in_words, write::Started};
use crate::link::{Address, OpenError};

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
pub(super) fn connect(port: &str, needs_stub: bool) -> Result<(Flasher, Started), EspError> {
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

/// Speed of a boot ROM by default.
const ROM_BAUD: u32 = 115_200;
/// Speed for the image; common USB chips and long cables support it.
const BAUD: u32 = 460_800;
/// Time limit for an answer, except for erasing, for which `espflash` has limits by size.
const TIMEOUT: Duration = Duration::from_secs(3);
