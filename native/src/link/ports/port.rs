//! A serial port of this computer.

use std::fmt;

use serialport::{SerialPortInfo, SerialPortType, UsbPortInfo};

/// Serial port of this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Port {
    /// Path or name, such as `/dev/ttyACM0` or `COM7`.
    pub path: String,
    /// USB device of the port; `None` if it is not on USB.
    pub usb: Option<Usb>,
}

/// Description of a USB device.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usb {
    /// Number of the vendor.
    pub vendor: u16,
    /// Number of the product, assigned by the vendor.
    pub product: u16,
    /// The serial number, which stays with the board on any port.
    pub serial_number: Option<String>,
    /// The manufacturer's name.
    pub manufacturer: Option<String>,
    /// The product's name.
    pub name: Option<String>,
}

impl Port {
    /// Returns the USB serial number.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.usb.as_ref()?.serial_number.as_deref()
    }
}

impl From<SerialPortInfo> for Port {
    fn from(info: SerialPortInfo) -> Self {
        Self {
            path: info.port_name,
            usb: match info.port_type {
                SerialPortType::UsbPort(usb) => Some(usb.into()),
                _ => None,
            },
        }
    }
}

impl From<UsbPortInfo> for Usb {
    fn from(info: UsbPortInfo) -> Self {
        Self {
            vendor: info.vid,
            product: info.pid,
            serial_number: info.serial_number,
            manufacturer: info.manufacturer,
            name: info.product,
        }
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match &self.usb {
            Some(usb) => write!(f, "  {usb}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Usb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:04x}", self.vendor, self.product)?;
        if let Some(id) = &self.serial_number {
            write!(f, "  id:{id}")?;
        }
        for name in [&self.manufacturer, &self.name].into_iter().flatten() {
            write!(f, "  {name}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(in crate::link) mod tests {
    use super::*;

    pub(in crate::link) fn board(path: &str, id: &str) -> Port {
        Port {
            path: path.into(),
            usb: Some(Usb {
                vendor: 0x2e8a,
                product: 5,
                serial_number: Some(id.into()),
                manufacturer: Some("MicroPython".into()),
                name: None,
            }),
        }
    }
}
