//! Finds the step that grants a missing permission.

use std::{env, fs, os::unix::fs::MetadataExt as _, path::Path};

use rustix::process::{getgid, getgroups};

/// Properties that decide who may open a device.
#[derive(Debug, Clone, Copy)]
struct Device {
    mode: u32,
    group: u32,
}

/// User who may not open a device.
#[derive(Debug)]
struct User<'a> {
    name: &'a str,
    /// Groups of this session, which are fixed at its start.
    groups: &'a [u32],
}

/// Returns the step that lets this user open a device, phrased to follow "may not be opened by this user: ".
pub(crate) fn remedy(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok()?;
    let device = Device {
        mode: found.mode(),
        group: found.gid(),
    };
    let groups = fs::read_to_string("/etc/group").unwrap_or_default();
    let mut own: Vec<_> = getgroups().unwrap_or_default();
    own.push(getgid());
    let own: Vec<_> = own.into_iter().map(|it| it.as_raw()).collect();
    let name = env::var("USER").or_else(|_| env::var("LOGNAME"));
    let user = User {
        name: &name.unwrap_or_default(),
        groups: &own,
    };
    Some(words(device, &user, &groups))
}

/// Phrases the step. `groups` has a line `name:password:number:members` for each group (group(5)).
fn words(device: Device, user: &User<'_>, groups: &str) -> String {
    let lines = groups
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let mut lines = lines.filter(|fields| fields.len() == 4);
    let is_it = |fields: &Vec<&str>| fields[2].parse() == Ok(device.group);
    let Some(fields) = lines.find(is_it).filter(|_| device.has_group()) else {
        return UDEV_RULE.to_owned();
    };
    let (group, mut members) = (fields[0], fields[3].split(','));
    if user.groups.contains(&device.group) {
        format!(
            "the group {group}, which this session is in, may open it; is this a container or a sandbox without access to the device?"
        )
    } else if !user.name.is_empty() && members.any(|member| member == user.name) {
        format!(
            "{} is now in the group {group}, which may open it, but this session began earlier. Log out and in again",
            user.name
        )
    } else {
        format!(
            "the group {group} may open it. Run `sudo usermod -aG {group} $USER`, then log out and in again"
        )
    }
}

impl Device {
    /// Returns true if the device has a group whose members may read and write it.
    const fn has_group(self) -> bool {
        self.mode & 0o060 == 0o060 && self.group != 0
    }
}

const UDEV_RULE: &str = "no group may open it. Write the line SUBSYSTEM==\"tty\", GROUP=\"dialout\", MODE=\"0660\" \
    into /etc/udev/rules.d/60-boards.rules, run `sudo udevadm control --reload && sudo udevadm trigger`, and join that \
    group with `sudo usermod -aG dialout $USER`";

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::link::{Address, OpenError};

    #[test]
    fn each_missing_permission_has_its_own_next_step() {
        let groups = "root:x:0:\ndialout:x:20:ada,grace\nuucp:x:14:\nbroken\n";
        let cases: [(u32, u32, &str, &[u32], &str); 6] = [
            // Serial ports on Debian and Fedora.
            (0o20660, 20, "alan", &[1000], "usermod -aG dialout $USER"),
            // Serial ports on Arch.
            (0o20660, 14, "alan", &[1000], "usermod -aG uucp $USER"),
            (0o20660, 20, "grace", &[1000], "Log out and in again"),
            (0o20660, 20, "ada", &[1000, 20], "container or a sandbox"),
            (0o20600, 20, "alan", &[1000], "udev/rules.d"),
            (0o20660, 0, "", &[], "udev/rules.d"),
        ];
        for (mode, group, name, own, step) in cases {
            let user = User { name, groups: own };
            let words = words(Device { mode, group }, &user, groups);
            assert!(words.contains(step), "{mode:o} {group} {name}: {words}");
        }
    }

    #[test]
    fn a_port_that_the_system_refuses_is_told_with_the_next_step() {
        // A file accessible only to its owner.
        let device = tempfile::NamedTempFile::new().unwrap();
        let path = device.path().to_str().unwrap().to_owned();
        let address = Address::Serial { path, baud: None };
        let refused = OpenError::from_io(address, io::ErrorKind::PermissionDenied.into());
        let told = refused.to_string();
        assert!(told.contains(": no group may open it"), "{told}");
    }
}
