//! Chips on USB in their DFU mode.

use dfu_nusb::DfuNusb;
use nusb::{DeviceInfo, MaybeFuture as _};

use super::{DfuError, DfuFile, write};

/// STM32 in its DFU mode.
#[derive(Debug, Clone)]
pub struct DfuDevice {
    info: DeviceInfo,
}

impl DfuDevice {
    /// Finds the only STM32 in its DFU mode. It blocks for a moment.
    ///
    /// # Errors
    /// There is none, or there are several.
    pub fn find() -> Result<Self, DfuError> {
        let all = nusb::list_devices().wait();
        let all = all.map_err(|error| DfuError::Open(error.to_string()))?;
        let ids = |it: &DeviceInfo| (it.vendor_id(), it.product_id());
        let mut found: Vec<_> = all.filter(|it| ids(it) == ROM).collect();
        match found.len() {
            0 => Err(DfuError::None),
            1 => Ok(Self {
                info: found.remove(0),
            }),
            count => Err(DfuError::Several(count)),
        }
    }

    async fn open(&self) -> Result<DfuNusb, DfuError> {
        let unopened = |error: nusb::Error| DfuError::Open(error.to_string());
        let device = self.info.open().await.map_err(unopened)?;
        let interface = device.claim_interface(INTERFACE).await.map_err(unopened)?;
        let opened = DfuNusb::open(device, interface, FLASH).await;
        opened.map_err(|error| DfuError::Open(error.to_string()))
    }
}

/// Writes a file to a chip, compares the flash with it, and starts the program; `tell` receives the number of bytes that
/// the chip has taken.
///
/// # Errors
/// The chip cannot be opened, does not take the file, or stops answering.
pub async fn write_dfu(
    device: &DfuDevice,
    file: DfuFile,
    bytes: Vec<u8>,
    mut tell: impl FnMut(u64) + Send + 'static,
) -> Result<(), DfuError> {
    let opened = device.open().await?;
    let writing = move || write::write(&opened, &file.parts, &bytes, &mut tell);
    let written = tokio::task::spawn_blocking(writing).await;
    written.unwrap_or_else(|error| Err(DfuError::Open(error.to_string())))
}

/// Vendor and product of the boot loader in the ROM of all STM32 (ST AN2606).
const ROM: (u16, u16) = (0x0483, 0xdf11);
const INTERFACE: u8 = 0;
/// Alternate setting for the flash; the others are for option bytes and the like.
const FLASH: u8 = 0;
