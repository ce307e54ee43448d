//! Origins of logs.

use serde::{Deserialize, Serialize};

use crate::link::{self, Address};

/// A port, and the device at it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Origin {
    /// The port's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<String>,
    /// Serial number of the USB device there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial_number: Option<String>,
    /// Name of the USB device there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usb: Option<String>,
    /// The device's own statement about its firmware: its line `DEVICE=…`. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
}

impl Origin {
    /// Returns the origin at this address, as the system knows it now.
    pub(super) fn of(address: &Address) -> Self {
        let mut origin = Self {
            port: Some(address.to_string()),
            ..Self::default()
        };
        if let Address::Serial { path, .. } = address {
            origin.port = Some(path.clone());
            let ports = link::ports().unwrap_or_default();
            let port = ports.iter().find(|port| port.path == *path);
            origin.serial_number = port.and_then(link::Port::id).map(str::to_owned);
            let usb = port.and_then(|port| port.usb.as_ref());
            origin.usb = usb.map(ToString::to_string);
        }
        origin
    }

    /// Notes the device's firmware, if the line names it.
    pub(super) fn read(&mut self, line: &[u8]) {
        let Some(said) = line.strip_prefix(b"DEVICE=") else {
            return;
        };
        let said = String::from_utf8_lossy(said.trim_ascii());
        let said: String = said
            .chars()
            .filter(|c| !c.is_control())
            .take(LONGEST)
            .collect();
        if !said.is_empty() {
            self.firmware = Some(said);
        }
    }
}

/// Limit of a firmware's name, in characters.
const LONGEST: usize = 200;
