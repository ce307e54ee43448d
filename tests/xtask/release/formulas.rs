//! The formula for Homebrew and the manifests for winget, made of the archives and their hashes.

use super::archive::Archive;
use super::{REPOSITORY, VERSION, file};
use crate::build::setup;
use crate::shell::Shell;
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Writes `flylead.rb` and `winget.tar.gz`, and checks that each manifest is YAML.
pub(crate) fn write(shell: &Shell, folder: &Path, archives: &[Archive]) -> Result<()> {
    setup::python(shell)?;
    let mut known = Vec::new();
    for archive in archives {
        known.push(Known {
            target: archive.target,
            name: file::name(&archive.path),
            hash: file::hash(&archive.path)?,
        });
    }
    file::write(&folder.join("flylead.rb"), &homebrew(&known))?;
    let manifests = folder.join("winget");
    fs::create_dir_all(&manifests)?;
    for (name, text) in winget(&known) {
        let path = manifests.join(name);
        file::write(&path, &text)?;
        let python = setup::python_program(shell, "python");
        let read = shell.read(shell.command(python, &["-c", READ_YAML]).arg(&path))?;
        ensure!(read.trim() == VERSION, "{} is for {read}", path.display());
    }
    // A release has files and no folders.
    let mut tar = shell.command("tar", &["-czf", "winget.tar.gz", "winget"]);
    shell.run(tar.current_dir(folder))?;
    fs::remove_dir_all(manifests).context("cannot remove what was packed")
}

/// An archive under its published name.
struct Known {
    target: &'static str,
    name: String,
    hash: String,
}

impl Known {
    fn address(&self) -> String {
        format!("{REPOSITORY}/releases/download/v{VERSION}/{}", self.name)
    }
}

fn homebrew(archives: &[Known]) -> String {
    let mut text = format!(
        "class Flylead < Formula\n  desc \"{SHORT}\"\n  homepage \"{REPOSITORY}\"\n  version \"{VERSION}\"\n  \
         license any_of: [\"MIT\", \"Apache-2.0\"]\n"
    );
    for (block, system) in [
        ("on_macos", "apple-darwin"),
        ("on_linux", "unknown-linux-gnu"),
    ] {
        let of_system: Vec<_> = archives
            .iter()
            .filter(|known| known.target.ends_with(system))
            .collect();
        if of_system.is_empty() {
            continue;
        }
        let _ = write!(text, "\n  {block} do\n");
        for known in of_system {
            let processor = if known.target.starts_with("aarch64") {
                "on_arm"
            } else {
                "on_intel"
            };
            let _ = write!(
                text,
                "    {processor} do\n      url \"{}\"\n      sha256 \"{}\"\n    end\n",
                known.address(),
                known.hash
            );
        }
        text += "  end\n";
    }
    text + INSTALL
}

fn winget(archives: &[Known]) -> [(String, String); 3] {
    let manifest = |kind: &str, body: &str| {
        format!(
            "PackageIdentifier: {ID}\nPackageVersion: {VERSION}\n{body}ManifestType: {kind}\nManifestVersion: 1.9.0\n"
        )
    };
    let locale = format!(
        "PackageLocale: en-US\nPublisher: Flylead\nPackageName: Flylead\nPackageUrl: {REPOSITORY}\nLicense: MIT OR Apache-2.0\n\
         ShortDescription: \"{SHORT}\"\n"
    );
    let mut installers = String::from(
        "InstallerType: zip\nNestedInstallerType: portable\nCommands:\n- flylead\nInstallers:\n",
    );
    for known in archives
        .iter()
        .filter(|known| known.target.contains("windows"))
    {
        let processor = if known.target.starts_with("aarch64") {
            "arm64"
        } else {
            "x64"
        };
        let inside = known.name.trim_end_matches(".zip");
        let _ = write!(
            installers,
            "- Architecture: {processor}\n  InstallerUrl: {}\n  InstallerSha256: {}\n  NestedInstallerFiles:\n  \
             - RelativeFilePath: {inside}\\flylead.exe\n    PortableCommandAlias: flylead\n",
            known.address(),
            known.hash.to_uppercase()
        );
    }
    [
        (
            format!("{ID}.yaml"),
            manifest("version", "DefaultLocale: en-US\n"),
        ),
        (
            format!("{ID}.locale.en-US.yaml"),
            manifest("defaultLocale", &locale),
        ),
        (
            format!("{ID}.installer.yaml"),
            manifest("installer", &installers),
        ),
    ]
}

const INSTALL: &str = "
  def install
    bin.install \"flylead\"
    man1.install Dir[\"man/*.1\"]
    bash_completion.install \"completions/flylead.bash\" => \"flylead\"
    zsh_completion.install \"completions/flylead.zsh\" => \"_flylead\"
    fish_completion.install \"completions/flylead.fish\"
  end

  test do
    assert_match version.to_s, shell_output(\"#{bin}/flylead --version\")
  end
end
";
const READ_YAML: &str =
    "import sys, yaml; print(yaml.safe_load(open(sys.argv[1]))['PackageVersion'])";
/// The project in a line, of at most 80 characters, as Homebrew wants it: without an article and a full stop.
const SHORT: &str = "Workbench for MicroPython boards: flash, edit, run, debug, test, share";
const ID: &str = "Flylead.Flylead";

#[cfg(test)]
mod tests {
    use super::{Known, homebrew, winget};
    use crate::release::archive::SYSTEMS;

    fn all() -> Vec<Known> {
        let known = |target: &'static str| Known {
            target,
            name: format!("flylead-v1-{target}.zip"),
            hash: format!("{:064x}", target.len()),
        };
        SYSTEMS.into_iter().map(known).collect()
    }

    #[test]
    fn the_formula_has_an_address_and_a_hash_for_four_systems_and_closes_each_block() {
        let formula = homebrew(&all());
        assert_eq!(formula.matches("      url \"https://").count(), 4);
        assert_eq!(formula.matches("      sha256 \"00").count(), 4);
        let opened = formula.lines().filter(|line| {
            line.ends_with(" do") || line.trim().starts_with("def ") || line.starts_with("class ")
        });
        assert_eq!(
            opened.count(),
            formula.lines().filter(|line| line.trim() == "end").count()
        );
    }

    #[test]
    fn winget_gets_both_archives_for_windows() {
        let [_, _, (_, installers)] = winget(&all());
        assert_eq!(installers.matches("InstallerUrl: https://").count(), 2);
        assert!(
            installers
                .contains("RelativeFilePath: flylead-v1-aarch64-pc-windows-msvc\\flylead.exe\n")
        );
    }
}
