//! Finds the installed bubblewrap, and the reason why it cannot make a sandbox.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::view::path_folders;

/// Finds a program, in a folder of `PATH` to which no command could have written.
pub(super) fn program(name: &str, workspace: &Path) -> Option<PathBuf> {
    let folders = path_folders().into_iter();
    let mut programs = folders
        .filter(|folder| !folder.starts_with(workspace))
        .map(|folder| folder.join(name));
    let is_program = |path: &PathBuf| rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    programs.find(is_program)
}

/// Returns the version: `bubblewrap 0.8.0` is (0, 8).
pub(super) fn version(program: &Path) -> Result<(u32, u32), String> {
    let said = Command::new(program).arg("--version").output();
    let said = said.map_err(|error| format!("bubblewrap cannot be started: {error}"))?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let mut numbers = said
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|it| it.parse().ok());
    let version = numbers.next().zip(numbers.next());
    let why = match version {
        Some(version) if version >= OLDEST => return Ok(version),
        Some(_) => "is too old",
        None => "names no version of bubblewrap",
    };
    let (said, (major, minor)) = (said.trim(), OLDEST);
    Err(format!(
        "'{said}' {why}; {major}.{minor} or later is needed"
    ))
}

/// Returns the reason for bubblewrap's failure, in its own words, and the remedy.
pub(super) fn why_not(said: &str) -> String {
    let setting = |name: &str| fs::read_to_string(Path::new("/proc/sys").join(name)).ok();
    let way = way_out(setting);
    let said = said.trim();
    format!("bubblewrap cannot create a sandbox here ({said}): {way}")
}

/// Returns the remedy. Most systems on which bubblewrap fails forbid user namespaces, as these settings of the kernel
/// show.
fn way_out(setting: impl Fn(&str) -> Option<String>) -> &'static str {
    let is = |name: &str, value: &str| setting(name).is_some_and(|text| text.trim() == value);
    let known = WAYS_OUT.iter().find(|(name, value, _)| is(name, value));
    known.map_or(FROM_OUTSIDE, |(_, _, way)| way)
}

/// Settings below /proc/sys, each with the value that forbids namespaces, and the remedy. The first is Ubuntu's (since
/// 23.10), the second Debian's, the third every kernel's (user_namespaces(7)).
const WAYS_OUT: [(&str, &str, &str); 3] = [
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor does not let programs create user namespaces without a profile; allow it with `sudo sysctl -w \
        kernel.apparmor_restrict_unprivileged_userns=0`, or load the profile bwrap-userns-restrict of the package \
        apparmor-profiles",
    ),
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "this system lets only the administrator create user namespaces; allow it with `sudo sysctl -w kernel.unprivileged_userns_clone=1`",
    ),
    (
        "user/max_user_namespaces",
        "0",
        "this system does not allow user namespaces; allow them with `sudo sysctl -w user.max_user_namespaces=10000`",
    ),
];
const FROM_OUTSIDE: &str = "in a container, user namespaces have to be allowed from outside of it";

/// First version of bubblewrap with `--add-seccomp-fd`.
const OLDEST: (u32, u32) = (0, 6);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_user_namespaces_is_told_by_its_setting() {
        for (name, value, wanted) in [
            (
                "kernel/apparmor_restrict_unprivileged_userns",
                "1\n",
                "AppArmor",
            ),
            (
                "kernel/unprivileged_userns_clone",
                "0\n",
                "unprivileged_userns_clone=1",
            ),
            (
                "user/max_user_namespaces",
                "0\n",
                "max_user_namespaces=10000",
            ),
            ("kernel/unprivileged_userns_clone", "1\n", "in a container"),
            ("none", "", "in a container"),
        ] {
            let way = way_out(|asked| (asked == name).then(|| value.to_owned()));
            assert!(way.contains(wanted), "{name}: {way}");
        }
    }
}
