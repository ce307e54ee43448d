//! Finds boards in their boot loaders, which have no serial port: by their USB numbers, and by the drives that take
//! firmware.

use std::{fmt, fs, path::Path};

use crate::flash::{Drive, Kind};

/// Board that takes firmware and does not run Python.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BootLoader {
    /// Board and mode.
    pub name: String,
    /// Next step.
    pub advice: String,
}

/// Formats the board's name and its next step.
impl fmt::Display for BootLoader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.advice)
    }
}

/// Finds the boards in their boot loaders, within a second.
#[must_use]
pub fn boot_loaders() -> Vec<BootLoader> {
    let drives = Drive::find().into_iter();
    let drives = drives.filter(|drive| drive.kind == Kind::Uf2);
    let drives: Vec<_> = drives.map(|drive| on_drive(&drive)).collect();
    match drives.is_empty() {
        true => on_usb(Path::new("/sys/bus/usb/devices")),
        false => drives,
    }
}

/// Describes the board of a drive.
fn on_drive(drive: &Drive) -> BootLoader {
    BootLoader {
        name: format!("{} in its boot loader", drive.model),
        advice: format!(
            "run {} to write MicroPython to its drive {}, or plug it in again without holding the button",
            flash_line(&drive.board_id),
            drive.path.display()
        ),
    }
}

/// Returns the command line that puts MicroPython on a board, by its boot loader's board id. Boards of many makers have
/// the same chip.
fn flash_line(board_id: &str) -> &'static str {
    match board_id {
        "RPI-RP2" => "`flylead flash pico` (or picow, or the name of your board)",
        "RP2350" => "`flylead flash pico2` (or pico2w, or the name of your board)",
        _ => "`flylead flash` with the name of your board",
    }
}

/// Finds boot loaders among the devices of sysfs, which systems other than Linux lack.
fn on_usb(devices: &Path) -> Vec<BootLoader> {
    let devices = fs::read_dir(devices).into_iter().flatten().flatten();
    let number = |device: &Path, name| {
        let text = fs::read_to_string(device.join(name)).ok()?;
        u16::from_str_radix(text.trim(), 16).ok()
    };
    let numbers = devices.filter_map(|device| {
        let device = device.path();
        Some((number(&device, "idVendor")?, number(&device, "idProduct")?))
    });
    numbers.filter_map(with_numbers).collect()
}

/// Returns the boot loader with these USB numbers.
pub(crate) fn with_numbers(numbers: (u16, u16)) -> Option<BootLoader> {
    let (_, name, advice) = BOOT_LOADERS.iter().find(|(it, ..)| *it == numbers)?;
    Some(BootLoader {
        name: (*name).to_owned(),
        advice: (*advice).to_owned(),
    })
}

/// Boot loaders by their USB numbers as in usb.ids, with the way back to Python.
const BOOT_LOADERS: [((u16, u16), &str, &str); 5] = [
    ((0x2e8a, 0x0003), "an RP2040 in BOOTSEL mode", UF2),
    ((0x2e8a, 0x000f), "an RP2350 in BOOTSEL mode", UF2),
    (
        (0x0483, 0xdf11),
        "an STM32 in DFU mode",
        "write MicroPython to it with `flylead flash` and its .dfu file, or reset it without the BOOT0 pin held high",
    ),
    ((0x303a, 0x0002), "an ESP32-S2 in download mode", ESP),
    ((0x303a, 0x0009), "an ESP32-S3 in download mode", ESP),
];
const UF2: &str = "mount its drive and put MicroPython on it with `flylead flash`, or plug it in again without holding the button";
const ESP: &str =
    "write MicroPython to it with `flylead flash`, or press its reset button without BOOT held";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_takes_firmware_is_a_boot_loader_with_its_next_step() {
        let drive = tempfile::tempdir().unwrap();
        let info = "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n";
        fs::write(drive.path().join("INFO_UF2.TXT"), info).unwrap();
        let found = on_drive(&Drive::at(drive.path()).unwrap());
        assert_eq!(found.name, "Raspberry Pi RP2 in its boot loader");
        let said = found.to_string();
        assert!(said.contains(drive.path().to_str().unwrap()), "{said}");
        assert!(said.contains("flylead flash pico"), "{said}");
    }

    #[test]
    fn a_boot_loader_is_known_by_its_usb_numbers() {
        let devices = tempfile::tempdir().unwrap();
        for (place, vendor, product) in [("1-1", "2e8a", "0003"), ("1-2", "046d", "c52b")] {
            let device = devices.path().join(place);
            fs::create_dir(&device).unwrap();
            fs::write(device.join("idVendor"), format!("{vendor}\n")).unwrap();
            fs::write(device.join("idProduct"), format!("{product}\n")).unwrap();
        }
        let found = on_usb(devices.path());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].to_string().contains("flylead flash"), "{found:?}");
    }
}
