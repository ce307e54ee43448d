//! Devices behind folders and ports, and the places where they are plugged in, from sysfs(5) of Linux.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the path of the disk mounted at a folder. The path contains the number of the disk's controller, which
/// increases with each device that is plugged in, so it is never reused.
#[cfg(target_os = "linux")]
pub(in crate::flash) fn of_folder(folder: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;
    let number = fs::metadata(folder).ok()?.dev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()
}

#[cfg(not(target_os = "linux"))]
pub(in crate::flash) fn of_folder(_: &Path) -> Option<PathBuf> {
    None
}

/// Returns the path of a serial port's device.
pub(super) fn of_port(port: &str) -> Option<PathBuf> {
    let port = fs::canonicalize(port).ok()?;
    fs::canonicalize(Path::new("/sys/class/tty").join(port.file_name()?)).ok()
}

/// Returns the place of a device on USB, such as `1-2.3`: bus 1, port 2, and port 3 of the hub there. A board keeps its
/// place in its boot loader.
pub(super) fn usb_place(device: &Path) -> Option<&str> {
    let names = device.iter().rev().filter_map(|name| name.to_str());
    let mut places = names.filter(|name| {
        let (bus, ports) = name.split_once('-').unwrap_or_default();
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number(bus) && ports.split('.').all(is_number)
    });
    places.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_and_a_disk_of_one_board_have_one_place() {
        let hub = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2.3";
        for (device, place) in [
            (format!("{hub}/1-2.3:1.0/tty/ttyACM0"), Some("1-2.3")),
            (
                format!("{hub}/1-2.3:1.0/host6/target6:0:0/6:0:0:0/block/sdb/sdb1"),
                Some("1-2.3"),
            ),
            ("/sys/devices/virtual/block/loop0".to_owned(), None),
            (
                "/sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda"
                    .to_owned(),
                None,
            ),
        ] {
            assert_eq!(usb_place(Path::new(&device)), place, "{device}");
        }
    }
}
