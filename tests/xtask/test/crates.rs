//! The crates as others get them: the library without its features, and the command with the page in it.

use super::TESTED;
use crate::build::web;
use crate::release;
use crate::shell::Shell;
use anyhow::{Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Checks both, their manifests, and each protocol of the core by itself.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    release::manifests(shell)?;
    one_build(shell)?;
    protocols(shell)?;
    library(shell)?;
    published(shell)
}

/// A dependency has the same features in the programs and in their tests: cargo would build it twice, and all that is above it.
fn one_build(shell: &Shell) -> Result<()> {
    let tree = format!("tree {TESTED} --prefix none --format {{p}}:{{f}} -e");
    let features = |edges: &str| -> Result<BTreeSet<String>> {
        let tree = shell.read(shell.cargo(&tree).arg(edges))?;
        // What was written before ends with a star.
        let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
        Ok(lines.map(str::to_owned).collect())
    };
    let (programs, tests) = (features("no-dev")?, features("all")?);
    let twice: Vec<_> = programs.difference(&tests).collect();
    ensure!(
        twice.is_empty(),
        "dependencies of tests alone choose features of {twice:?}; move them to flylead-tests, which the programs are built with"
    );
    Ok(())
}

/// Each protocol of the core builds without the others, and the raw REPL needs few crates.
fn protocols(shell: &Shell) -> Result<()> {
    shell.say("each protocol of the core alone");
    let core = "-p flylead-core --no-default-features --features";
    for protocol in PROTOCOLS {
        let mut clippy = shell.cargo(&format!("clippy --quiet {core}"));
        shell.run(clippy.args([protocol, "--", "-D", "warnings"]))?;
    }
    let mut tree = shell.cargo(&format!("tree -e normal --prefix none {core}"));
    let crates = shell.read(tree.arg(""))?;
    ensure!(
        crates.lines().count() <= RAW_REPL_CRATES,
        "the raw REPL needs {crates}"
    );
    Ok(())
}

/// Features of the core; the first is the raw REPL alone.
const PROTOCOLS: [&str; 11] = [
    "", "board", "mount", "debug", "export", "agent", "zylisp", "nrepl", "rfc2217", "uf2", "esp",
];
/// Crates that a user of the raw REPL builds, at most.
const RAW_REPL_CRATES: usize = 5;

/// The library builds without what only the command, agents, exports or backups need.
fn library(shell: &Shell) -> Result<()> {
    shell.say("the library without its features");
    shell.run(&mut shell.cargo("check --quiet -p flylead-native --lib --no-default-features"))?;
    let tree = "tree -p flylead-native --no-default-features -e normal --prefix none --format {p}";
    let tree = shell.read(&mut shell.cargo(tree))?;
    let dependencies = tree.lines().filter_map(|line| line.split(' ').next());
    let extra: Vec<_> = dependencies
        .filter(|name| OPTIONAL.contains(name))
        .collect();
    ensure!(extra.is_empty(), "the library brings {extra:?}");
    Ok(())
}

/// Dependencies that a user of the library must not need.
const OPTIONAL: [&str; 14] = [
    "axum",
    "clap",
    "crossterm",
    "csv",
    "hyper",
    "indicatif",
    "landlock",
    "rmcp",
    "rustyline",
    "schemars",
    "seccompiler",
    "similar",
    "tower",
    "zip",
];

/// The package has the page, and its build script finds it; without one, it says so before anything is built.
fn published(shell: &Shell) -> Result<()> {
    web::page(shell)?;
    shell.say("packing the crates");
    let packages = "-p zylisp-lang -p flylead-core -p flylead-native -p flylead";
    shell.run(&mut shell.cargo(&format!(
        "package --quiet --allow-dirty --no-verify {packages}"
    )))?;
    release::packed(shell, "package")?;
    let package = unpack(shell)?;
    for features in [&[][..], &["WRITING"]] {
        let said = build_script(shell, &package, features)?;
        ensure!(!said.contains("warning"), "{said}");
        let page = fs::read_to_string(shell.scratch()?.join("page.rs"))?;
        ensure!(page.contains("index.html"), "no page: {page}");
        let has_checks = page.contains("ruff_wasm_bg");
        ensure!(
            has_checks == features.contains(&"WRITING"),
            "{features:?}: {page}"
        );
    }
    fs::remove_dir_all(package.join("page"))?;
    let said = build_script(shell, &package, &[])?;
    ensure!(said.contains("cargo xtask web"), "{said}");
    Ok(())
}

/// The package of the command, unpacked.
fn unpack(shell: &Shell) -> Result<PathBuf> {
    let name = format!("flylead-{}", env!("CARGO_PKG_VERSION"));
    let (archive, scratch) = (
        shell.target(&format!("package/{name}.crate")),
        shell.scratch()?,
    );
    let package = scratch.join(name);
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    let bytes = fs::metadata(&archive)?.len();
    shell.say(&format!("{}: {bytes} bytes", archive.display()));
    ensure!(
        bytes < LARGEST,
        "the package has {bytes} bytes; {LARGEST} are its limit"
    );
    let mut tar = shell.command("tar", &["-xzf"]);
    shell.run(tar.arg(archive).arg("-C").arg(scratch))?;
    Ok(package)
}

/// Size limit of crates.io, in bytes (The Cargo Book, "Publishing on crates.io").
const LARGEST: u64 = 10 * 1024 * 1024;

/// Runs the package's build script as cargo does, and returns what it says.
fn build_script(shell: &Shell, package: &Path, features: &[&str]) -> Result<String> {
    let scratch = shell.scratch()?;
    let script = scratch.join("build-script");
    let mut rustc = shell.command("rustc", &["--edition", "2024", "-o"]);
    shell.run(rustc.arg(&script).arg(package.join("build.rs")))?;
    let mut script = shell.command(script, &[]);
    script.envs(
        features
            .iter()
            .map(|name| (format!("CARGO_FEATURE_{name}"), "1")),
    );
    shell.read(script.current_dir(package).env("OUT_DIR", scratch))
}
