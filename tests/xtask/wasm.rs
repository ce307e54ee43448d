//! The npm package `flylead`: compile, bind, optimise, weigh. What is built goes to wasm/pkg; the rest of the package
//! (wasm/package.json, the openers in wasm/js, the types) lies in wasm/ already, as written.

use crate::setup::{self, WASM};
use crate::shell::Shell;
use crate::stamp::Stamp;
use anyhow::{Context, Result, bail};
use flate2::{Compression, write::GzEncoder};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Builds the package and prints what it weighs.
pub(crate) fn package(shell: &Shell) -> Result<()> {
    setup::rust(shell)?;
    setup::npm(shell, TOOLS_FOLDER)?;
    setup::npm(shell, "wasm")?;
    let module = compile(shell)?;
    let built = shell.path("wasm/pkg").join(MODULE);
    let stamp = Stamp::new(shell, "wasm", &sources(shell, &module))?;
    if !stamp.is_current(&built) {
        bind(shell, &module)?;
        optimise(shell, &built)?;
        licences(shell)?;
        stamp.set()?;
    }
    weigh(shell, &built)
}

/// The program that holds wasm-bindgen and its test runner, built if need be.
pub(crate) fn tools(shell: &Shell) -> Result<PathBuf> {
    let folder = shell.target("wasm-tools");
    let program = folder
        .join("debug/flylead-wasm-tools")
        .with_extension(std::env::consts::EXE_EXTENSION);
    if !program.exists() {
        shell.say("building wasm-bindgen and its test runner (once, about a minute)");
    }
    let mut build = shell
        .cargo("build --quiet --locked --manifest-path tests/wasm-tools/Cargo.toml --target-dir");
    shell.run(build.arg(folder))?;
    Ok(program)
}

/// Proves that nothing of an operating system came into the module: a browser could not give it.
pub(crate) fn is_pure(shell: &Shell) -> Result<()> {
    setup::rust(shell)?;
    shell.run(&mut shell.cargo(&format!("check --quiet -p flylead-core --target {WASM}")))?;
    let module = compile(shell)?;
    let modules = shell.read(shell.command("node", &["--eval", LIST_IMPORTS]).arg(module))?;
    let foreign = modules
        .lines()
        .filter(|name| !name.starts_with("__wbindgen"))
        .collect::<Vec<_>>();
    if !foreign.is_empty() {
        bail!(
            "the wasm module imports from {}: something in core or wasm needs an operating system",
            foreign.join(", ")
        );
    }
    shell.say("core builds without an operating system; the wasm module imports nothing but wasm-bindgen's own");
    Ok(())
}

fn compile(shell: &Shell) -> Result<PathBuf> {
    shell.say("compiling the wasm crate");
    shell.run(&mut shell.cargo(&format!(
        "build --quiet -p flylead-wasm --lib --profile wasm --target {WASM}"
    )))?;
    Ok(shell.target(WASM).join("wasm/flylead_wasm.wasm"))
}

fn sources(shell: &Shell, module: &Path) -> Vec<PathBuf> {
    let tools = ["package-lock.json", "Cargo.lock"].map(|file| shell.path(TOOLS_FOLDER).join(file));
    [module.to_path_buf()].into_iter().chain(tools).collect()
}

fn bind(shell: &Shell, module: &Path) -> Result<()> {
    let tools = tools(shell)?;
    shell.say("writing its JavaScript");
    let folder = shell.path("wasm/pkg");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let mut bind = shell.command(tools, &["bind", "--target", "web", "--out-dir"]);
    shell.run(bind.arg(folder).arg(module))
}

/// npm's wasm-opt and no other: version 108, which Debian has, breaks the module and says nothing.
fn optimise(shell: &Shell, module: &Path) -> Result<()> {
    shell.say("making it smaller");
    let program = shell
        .path(TOOLS_FOLDER)
        .join("node_modules/binaryen/bin/wasm-opt");
    let smaller = module.with_extension("tmp");
    let mut command = shell.command("node", &[]);
    shell.run(
        command
            .arg(program)
            .arg(module)
            .arg("-Os")
            .arg("-o")
            .arg(&smaller),
    )?;
    fs::rename(&smaller, module).context("cannot put the smaller module in its place")
}

/// A package is published with its licences; npm takes them from the package's own folder only.
fn licences(shell: &Shell) -> Result<()> {
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(shell.path(licence), shell.path("wasm").join(licence))
            .with_context(|| format!("cannot copy {licence}"))?;
    }
    Ok(())
}

fn weigh(shell: &Shell, module: &Path) -> Result<()> {
    let bytes = fs::read(module).with_context(|| format!("cannot read {}", module.display()))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes)?;
    let (raw, zipped) = (kilobytes(bytes.len()), kilobytes(encoder.finish()?.len()));
    shell.say(&format!(
        "{MODULE}: {raw} kB, {zipped} kB gzipped (aim: under 150 kB)"
    ));
    Ok(())
}

fn kilobytes(bytes: usize) -> usize {
    bytes.div_ceil(1000)
}

pub(crate) const TOOLS_FOLDER: &str = "tests/wasm-tools";

const MODULE: &str = "flylead_wasm_bg.wasm";
const LIST_IMPORTS: &str = "const module = new WebAssembly.Module(require('fs').readFileSync(process.argv[1])); \
    for (const { module: name } of WebAssembly.Module.imports(module)) console.log(name)";
