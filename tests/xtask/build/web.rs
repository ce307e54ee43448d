//! The page: wasm package, then Vite, into web/dist, which the `flylead` command serves.

use crate::build::setup::{self, NPM};
use crate::build::stamp::Stamp;
use crate::build::wasm;
use crate::shell::Shell;
use anyhow::{Result, bail};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

/// Options of the build.
#[derive(Args)]
pub(crate) struct Options {
    /// Also put the page into target/site, for a server that only keeps files and has it at this path, such as /flylead/
    #[arg(long, value_name = "PATH")]
    base: Option<String>,
}

/// Builds the page and, with a base, a site that can be copied to a server as it is.
pub(crate) fn run(shell: &Shell, options: &Options) -> Result<()> {
    let site = match &options.base {
        Some(base) => Some(site_folder(&shell.target("site"), base)?),
        None => None,
    };
    page(shell)?;
    let Some(site) = site else { return Ok(()) };
    let root = shell.target("site");
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    copy(&shell.path("web/dist"), &site, &|path| !is_brotli(path))?;
    // GitHub Pages would otherwise run Jekyll over it.
    fs::write(root.join(".nojekyll"), "")?;
    shell.say(&format!("the site is in {}", site.display()));
    Ok(())
}

/// Puts the page into a folder of a site.
pub(crate) fn put(shell: &Shell, folder: &Path) -> Result<()> {
    page(shell)?;
    copy(&shell.path("web/dist"), folder, &|path| !is_brotli(path))
}

/// The folder for a base path: every address in the page is relative, so the path decides nothing else.
fn site_folder(root: &Path, base: &str) -> Result<PathBuf> {
    let names: Vec<_> = base.split('/').filter(|name| !name.is_empty()).collect();
    let is_plain = |name: &&str| {
        !name.starts_with('.')
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    if !base.starts_with('/') || !base.ends_with('/') || !names.iter().all(is_plain) {
        bail!("--base {base} is not a path: it begins and ends with a slash, as /flylead/ does");
    }
    Ok(names
        .iter()
        .fold(root.to_owned(), |path, name| path.join(name)))
}

/// Builds the wasm package and the page.
pub(crate) fn page(shell: &Shell) -> Result<()> {
    wasm::package(shell)?;
    setup::npm(shell, "web")?;
    let _lock = shell.lock("web")?;
    let sources = [
        "web",
        "wasm/js",
        "wasm/pkg",
        "wasm/types",
        "wasm/package.json",
    ];
    let stamp = Stamp::new(shell, "web", &sources.map(|source| shell.path(source)))?;
    let (built, packed) = (shell.path("web/dist"), shell.path("native/command/page"));
    if stamp.is_current(&built.join("index.html")) && packed.join("index.html.br").exists() {
        return Ok(());
    }
    shell.say("building the page into web/dist");
    shell.run(
        shell
            .command(NPM, &["run", "--silent", "build"])
            .current_dir(shell.path("web")),
    )?;
    replace(&built, &packed)?;
    stamp.set()
}

/// Puts a copy where `cargo package` finds it: a package has nothing from beside its folder. It has what is compressed only so,
/// for it may weigh 10 MB (The Cargo Book, "Publishing on crates.io").
fn replace(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    copy(from, to, &|path| !is_compressed(path))
}

fn copy(from: &Path, to: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        match path.is_dir() {
            true => copy(&path, &target, is_wanted)?,
            false if is_wanted(&path) => drop(fs::copy(path, target)?),
            false => {}
        }
    }
    Ok(())
}

fn is_brotli(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "br")
}

/// Returns true if a compressed form exists, too.
fn is_compressed(path: &Path) -> bool {
    let mut compressed = path.as_os_str().to_owned();
    compressed.push(".br");
    Path::new(&compressed).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_a_folder_below_the_site_and_nothing_else() {
        let root = Path::new("site");
        for (base, folder) in [
            ("/", "site"),
            ("/flylead/", "site/flylead"),
            ("/a/b-c_1.0/", "site/a/b-c_1.0"),
        ] {
            assert_eq!(
                site_folder(root, base).unwrap(),
                Path::new(folder),
                "{base}"
            );
        }
        for base in [
            "",
            "flylead/",
            "/flylead",
            "/../",
            "/a/../b/",
            "/a b/",
            "https://x/",
        ] {
            assert!(site_folder(root, base).is_err(), "{base}");
        }
    }
}
