//! The extension for VS Code: a package for each system with its command inside, and one without it, for browsers.

use super::archive::{self, Archive};
use super::{REPOSITORY, VERSION, folder};
use crate::shell::Shell;
use crate::test::vscode;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Packs the extension into `target/release-files`, once more for each archive that is there.
pub(crate) fn pack(shell: &Shell) -> Result<()> {
    vscode::extension(shell)?;
    let to = folder(shell)?;
    package(
        shell,
        &to.join(format!("flylead-vscode-{VERSION}.vsix")),
        &[],
    )?;
    let command = shell.path("web/vscode/bin");
    for Archive { target, path } in archive::all(&to)? {
        let system = system(target).with_context(|| format!("VS Code has no name for {target}"))?;
        take_command(shell, &path, &command)?;
        let file = to.join(format!("flylead-vscode-{VERSION}-{system}.vsix"));
        let packed = package(shell, &file, &["--target", system]);
        fs::remove_dir_all(&command)?;
        packed?;
    }
    Ok(())
}

fn package(shell: &Shell, file: &Path, options: &[&str]) -> Result<()> {
    let words = [VSCE, "package", "--no-dependencies", "--skip-license"];
    let mut vsce = shell.command("node", &words);
    vsce.args(options).arg("--out").arg(file);
    // By itself, vsce takes the README's links and pictures for files at the top of the repository.
    let at = |kind: &str| format!("{REPOSITORY}/{kind}/v{VERSION}/{FOLDER}");
    vsce.args([
        "--baseContentUrl",
        &at("blob"),
        "--baseImagesUrl",
        &at("raw"),
    ]);
    shell.run(vsce.current_dir(shell.path(FOLDER)))
}

/// Puts the command of an archive, and nothing else of it, into a folder.
fn take_command(shell: &Shell, archive: &Path, to: &Path) -> Result<()> {
    let inside = shell.scratch()?.join("extension");
    for folder in [&inside, to] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
    }
    let mut unpack = match archive.extension().is_some_and(|ending| ending == "zip") {
        true => shell.command("python3", &["-m", "zipfile", "-e"]),
        false => shell.command("tar", &["-xf"]),
    };
    unpack.arg(archive);
    if archive.extension().is_some_and(|ending| ending == "gz") {
        unpack.arg("-C");
    }
    shell.run(unpack.arg(&inside))?;
    for root in fs::read_dir(&inside)? {
        for name in ["flylead", "flylead.exe"] {
            let command = root.as_ref().map(|root| root.path().join(name));
            let command = command.map_err(|error| anyhow::anyhow!("{error}"))?;
            if command.is_file() {
                fs::copy(&command, to.join(name))?;
            }
        }
    }
    Ok(())
}

/// Name of a system in the Marketplace and in Open VSX.
fn system(target: &str) -> Option<&'static str> {
    Some(match target {
        "x86_64-unknown-linux-gnu" => "linux-x64",
        "aarch64-unknown-linux-gnu" => "linux-arm64",
        "x86_64-apple-darwin" => "darwin-x64",
        "aarch64-apple-darwin" => "darwin-arm64",
        "x86_64-pc-windows-msvc" => "win32-x64",
        "aarch64-pc-windows-msvc" => "win32-arm64",
        _ => return None,
    })
}

const FOLDER: &str = "web/vscode";
const VSCE: &str = "node_modules/@vscode/vsce/vsce";

#[cfg(test)]
mod tests {
    use super::{archive::SYSTEMS, system};

    #[test]
    fn each_system_has_a_name_in_the_marketplace() {
        assert!(SYSTEMS.into_iter().all(|target| system(target).is_some()));
    }
}
