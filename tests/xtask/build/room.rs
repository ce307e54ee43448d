//! Room on the disk for a whole run: a full disk is named before it looks like a hundred broken tests.

use crate::shell::Shell;
use anyhow::{Result, bail};

/// Refuses the first run of a clone that the disk has no room for. Systems without `df` are not asked.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    if shell.target("debug").exists() {
        return Ok(());
    }
    let mut df = shell.command("df", &["-Pk", "."]);
    match shell.read(&mut df).ok().as_deref().and_then(available) {
        Some(free) if free < NEEDED => bail!(
            "{} MB are free on this disk, and the build and the tests write {} MB: make room, such as by `cargo clean` in other clones",
            free / 1000,
            NEEDED / 1000
        ),
        _ => Ok(()),
    }
}

/// Kilobytes available, by what POSIX's `df -Pk` prints: the fourth word of its second line.
fn available(printed: &str) -> Option<u64> {
    let line = printed.lines().nth(1)?;
    line.split_whitespace().nth(3)?.parse().ok()
}

/// Kilobytes that a whole run of a fresh clone leaves on the disk, measured by `du`.
const NEEDED: u64 = 9_000_000;

#[cfg(test)]
mod tests {
    use super::available;

    #[test]
    fn free_room_is_read_from_what_df_prints() {
        let printed = "Filesystem     1024-blocks     Used Available Capacity Mounted on\n\
                       /dev/vda         263112772 30408704  65000000      32% /\n";
        assert_eq!(available(printed), Some(65_000_000));
        assert_eq!(available("df: no file systems processed\n"), None);
    }
}
