//! The crates, as `cargo publish` would send them, built as somebody builds them who has nothing but the registry.

use super::{VERSION, ticket};
use crate::shell::Shell;
use anyhow::{Result, ensure};
use std::path::Path;

/// Packs and builds all crates in the order in which they are published, and publishes none.
pub(crate) fn publish_dry(shell: &Shell) -> Result<()> {
    shell.say("cargo publish --workspace --dry-run, which builds each crate from its package");
    // The page in native/command/page is not in git, and the README of a release has its published lines.
    shell.run(&mut shell.cargo("publish --quiet --workspace --dry-run --allow-dirty"))?;
    // A dry run keeps the crates in a registry of its own, where each finds those that it needs.
    packed(shell, "package/tmp-registry")
}

/// Checks the packed crates in a folder of the target folder.
pub(crate) fn packed(shell: &Shell, folder: &str) -> Result<()> {
    let folder = shell.target(folder);
    ticket::CRATES
        .iter()
        .try_for_each(|name| check(shell, &folder, name))
}

/// Checks that a packed crate has its licenses and readme, and that its lock file names only the registry's crates.
fn check(shell: &Shell, folder: &Path, name: &str) -> Result<()> {
    let archive = folder.join(format!("{name}-{VERSION}.crate"));
    let list = shell.read(shell.command("tar", &["-tzf"]).arg(&archive))?;
    for file in NEEDED {
        ensure!(
            list.lines().any(|line| line.ends_with(&format!("/{file}"))),
            "the package of {name} lacks {file}"
        );
    }
    let lock = format!("{name}-{VERSION}/Cargo.lock");
    let lock = shell.read(shell.command("tar", &["-xzOf"]).arg(&archive).arg(lock))?;
    let foreign = foreign(&lock);
    ensure!(
        foreign == [name],
        "{name} is built with crates that no registry has: {foreign:?}"
    );
    Ok(())
}

/// Packages of a lock file that come from no registry, less those of this release.
fn foreign(lock: &str) -> Vec<&str> {
    let packages = lock.split("[[package]]").skip(1);
    packages
        .filter(|package| !package.contains("\nsource = \"registry+"))
        .filter_map(|package| field(package, "name"))
        .collect()
}

fn field<'a>(package: &'a str, name: &str) -> Option<&'a str> {
    let line = package
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
    line?.strip_suffix('"')
}

/// Files of each package.
const NEEDED: [&str; 4] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "Cargo.lock"];

#[cfg(test)]
mod tests {
    use super::foreign;

    #[test]
    fn a_crate_that_comes_from_no_registry_is_named() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"b\"\nversion = \"1.0.0\"\n\
                    source = \"registry+https://example.org\"\nchecksum = \"00\"\n";
        assert_eq!(foreign(lock), ["a"]);
    }
}
