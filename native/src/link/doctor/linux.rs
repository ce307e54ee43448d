//! Ports, permissions, drivers and services of Linux.

use std::path::Path;

use rustix::fs::{Access, access};

use super::{Area, Finding, described, no_port, processes::Processes, usb};
use crate::link::{Port, remedy};

pub(super) fn examine(ports: &[Port]) -> Vec<Finding> {
    let root = Path::new("/");
    let processes = Processes::read(root);
    let mut findings = system(root, &processes);
    findings.extend(ports.iter().map(|port| of_port(root, port, &processes)));
    if ports.is_empty() {
        findings.push(no_port());
    }
    if processes.unseen > 0 {
        findings.push(Area::Ports.note(format!(
            "{} processes of other users are not visible; `sudo flylead doctor` checks them, too",
            processes.unseen
        )));
    }
    findings.extend(network(root, &processes));
    findings
}

/// Examines drivers, and services that disturb boards.
fn system(root: &Path, processes: &Processes) -> Vec<Finding> {
    let mut findings = vec![match root.join("run/udev/control").exists() {
        true => Area::System.ok("udev is running"),
        false => Area::System.note("udev is not running; is this a container?").advising(
            "start the container with --device, and restart it after a board is plugged in elsewhere",
        ),
    }];
    for (name, harm, advice) in SERVICES {
        if processes.has(name) {
            let text = format!("{name} is running, which {harm}");
            findings.push(Area::System.note(text).advising(advice));
        }
    }
    findings.extend(usb::without_port(root));
    findings
}

/// Describes a port with its driver, its permissions and its users.
fn of_port(root: &Path, port: &Port, processes: &Processes) -> Finding {
    let path = Path::new(&port.path);
    let mut text = described(port);
    if let Some(driver) = usb::driver_of(root, &port.path) {
        text.push_str(&format!("  driver {driver}"));
    }
    if let Err(error) = access(path, Access::READ_OK | Access::WRITE_OK) {
        let text = format!("{text}: you do not have permission to open it ({error})");
        let finding = Area::Ports.fault(text);
        return match remedy(path) {
            Some(advice) => finding.advising(advice),
            None => finding,
        };
    }
    let users: Vec<_> = processes.users_of(path).map(ToString::to_string).collect();
    match users.is_empty() {
        true => Area::Ports.ok(format!("{text}: free")),
        false => Area::Ports.note(format!("{text}: in use by {}", users.join(", "))),
    }
}

/// Lists the addresses at which our own servers listen.
fn network(root: &Path, processes: &Processes) -> Vec<Finding> {
    let listening = processes.listening(root, "flylead");
    let findings = listening.into_iter().map(|(process, address)| {
        let text = format!("{process} listens at {address}");
        match address.ip().is_loopback() {
            true => Area::Hub.ok(format!("{text}, for this computer alone")),
            false => Area::Hub.note(format!("{text}, for the network")),
        }
    });
    findings.collect()
}

/// Services that open serial ports by themselves.
const SERVICES: [(&str, &str, &str); 2] = [
    (
        "ModemManager",
        "may talk to a board for some seconds after it is plugged in",
        "if a board answers only after a while, run `sudo systemctl mask --now ModemManager`",
    ),
    (
        "brltty",
        "takes ports of CH340 and CP210x chips for Braille displays",
        "if a board's port vanishes at once, run `sudo apt remove brltty`",
    ),
];

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::link::doctor::{Level, processes::tests::process};

    fn port(path: &str) -> Port {
        Port {
            path: path.into(),
            usb: None,
        }
    }

    #[test]
    fn a_service_that_opens_ports_is_named() {
        let root = tempfile::tempdir().unwrap();
        process(root.path(), 7, "ModemManager", &[]);
        let findings = system(root.path(), &Processes::read(root.path()));
        let texts: Vec<_> = findings.iter().map(|it| it.text.as_str()).collect();
        assert!(texts[0].starts_with("udev is not running"), "{texts:?}");
        assert!(texts[1].starts_with("ModemManager is running"), "{texts:?}");
        assert_eq!(texts.len(), 2);
    }

    #[test]
    fn a_port_is_free_in_use_or_forbidden() {
        let root = tempfile::tempdir().unwrap();
        let device = fs::canonicalize(root.path()).unwrap().join("port");
        fs::write(&device, "").unwrap();
        let path = device.to_str().unwrap();
        let look = || of_port(root.path(), &port(path), &Processes::read(root.path()));
        assert_eq!(look().level, Level::Ok);
        assert!(look().text.ends_with(": free"), "{:?}", look());
        let missing = of_port(root.path(), &port("/dev/none"), &Processes::default());
        assert_eq!(missing.level, Level::Fault);
        assert!(
            missing.text.contains("permission to open it"),
            "{missing:?}"
        );
    }
}
