//! USB devices and their drivers, from sysfs (Documentation/ABI/testing/sysfs-bus-usb, sysfs-tty).

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Area, Finding};
use crate::link::with_numbers;

/// Returns the kernel's driver of a serial port, such as `cdc_acm`.
pub(super) fn driver_of(root: &Path, port: &str) -> Option<String> {
    let name = Path::new(port).file_name()?;
    let device = root.join("sys/class/tty").join(name).join("device/driver");
    let driver = fs::read_link(device).ok()?;
    Some(driver.file_name()?.to_string_lossy().into_owned())
}

/// Finds boards that are plugged in and have no serial port: in their boot loader, or without a driver.
pub(super) fn without_port(root: &Path) -> Vec<Finding> {
    let terminals = terminals(root);
    let devices = fs::read_dir(root.join("sys/bus/usb/devices"));
    let devices = devices.into_iter().flatten().flatten();
    let mut findings: Vec<_> = devices
        .filter_map(|device| examine(&device.path(), &terminals))
        .collect();
    findings.sort_by(|a, b| a.text.cmp(&b.text));
    findings
}

fn examine(device: &Path, terminals: &[PathBuf]) -> Option<Finding> {
    let numbers = (number(device, "idVendor")?, number(device, "idProduct")?);
    let shown = format!("{:04x}:{:04x}", numbers.0, numbers.1);
    if let Some(found) = with_numbers(numbers) {
        let text = format!("{shown} is {}, which has no serial port", found.name);
        return Some(Area::System.note(text).advising(found.advice));
    }
    let (_, chip, driver) = CHIPS.iter().find(|(it, ..)| *it == numbers)?;
    let device = fs::canonicalize(device).ok()?;
    let has_port = terminals.iter().any(|it| it.starts_with(&device));
    (!has_port).then(|| {
        let text = format!("{shown} ({chip}) is plugged in and has no serial port");
        Area::System.fault(text).advising(format!(
            "run `sudo modprobe {driver}` and look at `sudo dmesg`; on Debian and Ubuntu, brltty takes the ports of some chips"
        ))
    })
}

/// Lists the devices of the serial ports known to the kernel.
fn terminals(root: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(root.join("sys/class/tty"));
    let devices = listed.into_iter().flatten().flatten();
    let devices = devices.map(|entry| entry.path().join("device"));
    devices
        .filter_map(|device| fs::canonicalize(device).ok())
        .collect()
}

fn number(device: &Path, name: &str) -> Option<u16> {
    let text = fs::read_to_string(device.join(name)).ok()?;
    u16::from_str_radix(text.trim(), 16).ok()
}

/// Chips between USB and a board's serial line, and MicroPython's own USB, with the kernel's drivers (drivers/usb/serial,
/// drivers/usb/class).
const CHIPS: [((u16, u16), &str, &str); 7] = [
    ((0x1a86, 0x7523), "CH340", "ch341"),
    ((0x1a86, 0x55d4), "CH9102", "cdc_acm"),
    ((0x10c4, 0xea60), "CP210x", "cp210x"),
    ((0x0403, 0x6001), "FT232R", "ftdi_sio"),
    ((0x067b, 0x2303), "PL2303", "pl2303"),
    ((0x2e8a, 0x0005), "MicroPython on an RP2", "cdc_acm"),
    ((0xf055, 0x9800), "a pyboard", "cdc_acm"),
];

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::link::doctor::Level;

    /// Adds a device to a tree like sysfs, with a serial port if it has a driver.
    fn plug(root: &Path, place: &str, numbers: (&str, &str), port: Option<(&str, &str)>) {
        let device = root.join("sys/devices/pci0/usb1").join(place);
        fs::create_dir_all(&device).unwrap();
        fs::write(device.join("idVendor"), format!("{}\n", numbers.0)).unwrap();
        fs::write(device.join("idProduct"), format!("{}\n", numbers.1)).unwrap();
        let bus = root.join("sys/bus/usb/devices");
        fs::create_dir_all(&bus).unwrap();
        symlink(&device, bus.join(place)).unwrap();
        if let Some((name, driver)) = port {
            let interface = device.join("1-1:1.0");
            fs::create_dir_all(&interface).unwrap();
            symlink(
                format!("/sys/bus/usb/drivers/{driver}"),
                interface.join("driver"),
            )
            .unwrap();
            let class = root.join("sys/class/tty").join(name);
            fs::create_dir_all(&class).unwrap();
            symlink(&interface, class.join("device")).unwrap();
        }
    }

    #[test]
    fn a_board_without_a_serial_port_is_found() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        plug(root, "1-1", ("2e8a", "0005"), Some(("ttyACM0", "cdc_acm")));
        plug(root, "1-2", ("2e8a", "0003"), None);
        plug(root, "1-3", ("1a86", "7523"), None);
        plug(root, "1-4", ("046d", "c52b"), None);
        let found = without_port(root);
        let [chip, boot_loader] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(chip.level, Level::Fault);
        assert!(chip.advice.as_ref().unwrap().contains("modprobe ch341"));
        assert_eq!(boot_loader.level, Level::Note);
        assert!(boot_loader.text.contains("BOOTSEL"), "{boot_loader:?}");
        assert_eq!(driver_of(root, "/dev/ttyACM0").as_deref(), Some("cdc_acm"));
        assert_eq!(driver_of(root, "/dev/ttyACM1"), None);
    }
}
