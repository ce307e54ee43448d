//! The archive of one system: the command, completions for five shells, manual pages, licenses.

use super::{VERSION, file, folder, readme};
use crate::shell::Shell;
use crate::test::programs;
use anyhow::{Context, Result, ensure};
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};

/// An archive, and the system that it is for.
pub(crate) struct Archive {
    pub(crate) target: &'static str,
    pub(crate) path: PathBuf,
}

/// Builds the command with one of cargo's profiles, and packs it for this system into `target/release-files`.
pub(crate) fn build(shell: &Shell, profile: &str) -> Result<PathBuf> {
    let built = if profile == "dev" {
        programs(shell)?;
        "debug"
    } else {
        shell.say("compiling the command for release");
        shell.run(&mut shell.cargo(&format!(
            "build --quiet --locked --package flylead --profile {profile}"
        )))?;
        profile
    };
    let command = shell.target(built).join(format!("flylead{EXE_SUFFIX}"));
    pack(shell, &command, &folder(shell)?, Packing::Small)
}

/// Effort of packing.
pub(crate) enum Packing {
    /// For what people download.
    Small,
    /// For tests, on systems with gzip.
    Fast,
}

/// Packs a built command into the folder `to`.
pub(crate) fn pack(shell: &Shell, command: &Path, to: &Path, packing: Packing) -> Result<PathBuf> {
    let host = shell.read(&mut shell.command("rustc", &["--print", "host-tuple"]))?;
    let name = name(host.trim());
    let inside = shell.scratch()?.join("archive");
    if inside.exists() {
        fs::remove_dir_all(&inside)?;
    }
    let root = inside.join(&name);
    fs::create_dir_all(root.join("completions"))?;
    fill(shell, command, &root)?;
    let archive = to.join(name + ENDING);
    // On Windows this is the system's own tar, which writes what the ending says.
    let how: &[&str] = match packing {
        Packing::Fast => &["--use-compress-program", "gzip -1", "-cf"],
        Packing::Small if cfg!(windows) => &["-acf"],
        Packing::Small => &["-czf"],
    };
    let mut tar = shell.command("tar", how);
    tar.arg(&archive)
        .arg("-C")
        .arg(&inside)
        .arg(root.file_name().unwrap_or_default());
    shell.run(&mut tar)?;
    let bytes = fs::metadata(&archive)?.len();
    shell.say(&format!("{}: {bytes} bytes", archive.display()));
    Ok(archive)
}

/// Lays what the archive holds into the folder `root`.
fn fill(shell: &Shell, command: &Path, root: &Path) -> Result<()> {
    let packed = root.join(format!("flylead{EXE_SUFFIX}"));
    fs::copy(command, &packed).with_context(|| format!("cannot copy {}", command.display()))?;
    let version = shell.read(&mut shell.command(&packed, &["--version"]))?;
    ensure!(
        version.trim() == format!("flylead {VERSION}"),
        "the command says {version}"
    );
    for name in PAPERS {
        fs::copy(shell.path(name), root.join(name))
            .with_context(|| format!("cannot copy {name}"))?;
    }
    file::write(&root.join("README.md"), &readme::published(shell)?)?;
    for name in SHELLS {
        let script = shell.read(&mut shell.command(&packed, &["completions", name]))?;
        file::write(&root.join(format!("completions/flylead.{name}")), &script)?;
    }
    shell.run(shell.command(&packed, &["man"]).arg(root.join("man")))
}

/// The archives in a folder.
pub(crate) fn all(folder: &Path) -> Result<Vec<Archive>> {
    let paths = [
        file::with_ending(folder, ".tar.gz")?,
        file::with_ending(folder, ".zip")?,
    ]
    .concat();
    let of = |target: &'static str| {
        let path = paths
            .iter()
            .find(|path| file::name(path).starts_with(&format!("{}.", name(target))));
        path.map(|path| Archive {
            target,
            path: path.clone(),
        })
    };
    Ok(SYSTEMS.into_iter().filter_map(of).collect())
}

/// Systems for which an archive is published and none is here.
pub(crate) fn missing(archives: &[Archive]) -> impl Iterator<Item = &'static str> {
    let is_there = |target: &&str| archives.iter().any(|archive| archive.target == *target);
    SYSTEMS.into_iter().filter(move |target| !is_there(target))
}

fn name(target: &str) -> String {
    format!("flylead-v{VERSION}-{target}")
}

/// The six systems; `.github/workflows/release.yml` lists them again, each with its machine.
pub(crate) const SYSTEMS: [&str; 6] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "aarch64-pc-windows-msvc",
];
const ENDING: &str = if cfg!(windows) { ".zip" } else { ".tar.gz" };
const PAPERS: [&str; 3] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];

#[cfg(test)]
mod tests {
    use super::SYSTEMS;

    #[test]
    fn the_workflow_builds_an_archive_for_each_system() {
        let workflow = include_str!("../../../.github/workflows/release.yml");
        for target in SYSTEMS {
            assert!(workflow.contains(&format!("target: {target},")), "{target}");
        }
    }
}
