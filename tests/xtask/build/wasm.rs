//! The npm package `flylead`: compile, bind, optimize, weigh. What is built goes to wasm/pkg; the rest of the package
//! (wasm/package.json, the openers in wasm/js, the types) lies in wasm/ already, as written.

use crate::build::setup::{self, WASM};
use crate::build::stamp::Stamp;
use crate::shell::Shell;
use crate::test::wasm_test;
use anyhow::{Context, Result, anyhow, bail};
use flate2::{Compression, write::GzEncoder};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;

/// Builds the package and prints what its parts weigh.
pub(crate) fn package(shell: &Shell) -> Result<()> {
    setup::rust(shell)?;
    setup::npm(shell, TOOLS_FOLDER)?;
    setup::npm(shell, "wasm")?;
    let _lock = shell.lock("wasm")?;
    let stamp = Stamp::new(shell, "wasm", &SOURCES.map(|source| shell.path(source)))?;
    let is_stale = |part: &&str| !stamp.is_current(&built(shell, part));
    let stale: Vec<_> = PARTS.into_iter().filter(is_stale).collect();
    build(shell, &stale)?;
    frame_scripts(shell)?;
    if !stamp.is_current(&shell.path("wasm").join(LICENSES[0])) {
        licenses(shell)?;
        stamp.set()?;
    }
    PARTS.iter().try_for_each(|part| weigh(shell, part))
}

/// Builds parts, each of which is bound and made smaller while the next one is compiled: both keep one processor busy.
fn build(shell: &Shell, parts: &[&str]) -> Result<()> {
    if parts.is_empty() {
        return Ok(());
    }
    // Once, and not by each thread.
    tools(shell)?;
    thread::scope(|scope| {
        let mut finishing = Vec::new();
        for &part in parts {
            let module = keep(shell, part, &compile(shell, part)?)?;
            finishing.push(scope.spawn(move || finish(shell, part, &module)));
        }
        finishing.into_iter().try_for_each(|part| {
            let done = part.join();
            done.map_err(|_| anyhow!("building a part of the package panicked"))?
        })
    })
}

/// Puts a compiled module where the next one does not take its place.
fn keep(shell: &Shell, part: &str, module: &Path) -> Result<PathBuf> {
    let folder = shell.target("wasm-parts").join(part);
    fs::create_dir_all(&folder)?;
    // The bindings are called as the module is.
    let kept = folder.join("flylead_wasm.wasm");
    fs::copy(module, &kept).with_context(|| format!("cannot copy {}", module.display()))?;
    Ok(kept)
}

fn finish(shell: &Shell, part: &str, module: &Path) -> Result<()> {
    bind(shell, "web", module, &shell.path("wasm/pkg").join(part))?;
    optimize(shell, &built(shell, part))
}

/// Builds the example application in Rust, for the test that drives it.
pub(crate) fn example(shell: &Shell) -> Result<()> {
    shell.say("compiling the example application");
    shell.run(&mut wasm_test::cargo(
        shell,
        "build --quiet -p flylead-wasm --example page",
    ))?;
    let module = wasm_test::folder(shell).join(format!("{WASM}/debug/examples/page.wasm"));
    bind(shell, "web", &module, &shell.path("wasm/tests/example"))
}

/// Builds the decoders that are measured for Node, just as the package is built, and says where they are.
pub(crate) fn decoders(shell: &Shell) -> Result<PathBuf> {
    setup::rust(shell)?;
    setup::npm(shell, TOOLS_FOLDER)?;
    shell.say("compiling the decoders for WebAssembly");
    shell.run(&mut shell.cargo(&format!(
        "build --quiet -p flylead-decoders --profile wasm --target {WASM}"
    )))?;
    let folder = shell.target("decoders");
    let module = shell.target(WASM).join("wasm/flylead_decoders.wasm");
    bind(shell, "nodejs", &module, &folder)?;
    optimize(shell, &folder.join("flylead_decoders_bg.wasm"))?;
    Ok(folder.join("flylead_decoders.js"))
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
        .cargo("build --quiet --locked --manifest-path tests/tools/wasm/Cargo.toml --target-dir");
    shell.run(build.arg(folder))?;
    Ok(program)
}

/// Proves that nothing of an operating system came into the package's modules: a browser could not give it.
pub(crate) fn is_pure(shell: &Shell) -> Result<()> {
    package(shell)?;
    shell.run(&mut wasm_test::cargo(
        shell,
        "check --quiet -p flylead-core",
    ))?;
    for part in PARTS {
        let mut list = shell.command("node", &["--eval", LIST_IMPORTS]);
        let modules = shell.read(list.arg(built(shell, part)))?;
        let foreign = modules
            .lines()
            .filter(|name| !name.starts_with("./flylead_wasm"))
            .collect::<Vec<_>>();
        if !foreign.is_empty() {
            bail!(
                "the wasm module {part} imports from {}: something in core or wasm needs an operating system",
                foreign.join(", ")
            );
        }
    }
    shell.say("core builds without an operating system; the wasm modules import nothing but wasm-bindgen's own");
    Ok(())
}

/// Compiles the crate with one part of it.
fn compile(shell: &Shell, part: &str) -> Result<PathBuf> {
    shell.say(&format!("compiling the wasm crate: {part}"));
    let folder = shell.target(WASM).join("wasm");
    // Cargo gives the parts' modules one name, and takes one that lies there for the part's own.
    for stale in ["flylead_wasm.wasm", "deps/flylead_wasm.wasm"] {
        let stale = folder.join(stale);
        if stale.exists() {
            fs::remove_file(&stale)
                .with_context(|| format!("cannot remove {}", stale.display()))?;
        }
    }
    shell.run(&mut shell.cargo(&format!(
        "build --quiet -p flylead-wasm --lib --profile wasm --target {WASM} --no-default-features --features {part}"
    )))?;
    Ok(folder.join("flylead_wasm.wasm"))
}

fn bind(shell: &Shell, target: &str, module: &Path, folder: &Path) -> Result<()> {
    let tools = tools(shell)?;
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let mut bind = shell.command(tools, &["bind", "--target", target, "--out-dir"]);
    shell.run(bind.arg(folder).arg(module))
}

fn built(shell: &Shell, part: &str) -> PathBuf {
    shell.path("wasm/pkg").join(part).join(MODULE)
}

/// npm's wasm-opt and no other: version 108, which Debian has, breaks the module and says nothing.
fn optimize(shell: &Shell, module: &Path) -> Result<()> {
    let program = shell
        .path(TOOLS_FOLDER)
        .join("node_modules/binaryen/bin/wasm-opt");
    let smaller = module.with_extension("tmp");
    let mut command = shell.command("node", &[]);
    shell.run(
        command
            .arg(program)
            .arg(module)
            .args(["-Oz", "--low-memory-unused", "--strip-producers"])
            .args(LITTLE_INLINING)
            .arg("-o")
            .arg(&smaller),
    )?;
    fs::rename(&smaller, module).context("cannot put the smaller module in its place")
}

/// The scripts of the board's frame, each of one piece: a frame without an origin imports nothing.
fn frame_scripts(shell: &Shell) -> Result<()> {
    let sources = FRAME_SOURCES.map(|source| shell.path(source));
    let stamp = Stamp::new(shell, "wasm-guest", &sources)?;
    let scripts = ["host.js", "worker.js"].map(|name| shell.path("wasm/pkg/guest").join(name));
    if scripts.iter().all(|script| stamp.is_current(script)) {
        return Ok(());
    }
    shell.run(shell.command("node", &[]).arg(shell.path(BUNDLER)))?;
    stamp.set()
}

/// A package is published with its licenses; npm takes them from the package's own folder only.
fn licenses(shell: &Shell) -> Result<()> {
    for license in LICENSES {
        fs::copy(shell.path(license), shell.path("wasm").join(license))
            .with_context(|| format!("cannot copy {license}"))?;
    }
    Ok(())
}

fn weigh(shell: &Shell, part: &str) -> Result<()> {
    let module = built(shell, part);
    let bytes = fs::read(&module).with_context(|| format!("cannot read {}", module.display()))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes)?;
    let (raw, zipped) = (kilobytes(bytes.len()), kilobytes(encoder.finish()?.len()));
    shell.say(&format!(
        "{part:13}  {raw:3} kB, {zipped:3} kB gzipped (aim: under 150 kB)"
    ));
    Ok(())
}

fn kilobytes(bytes: usize) -> usize {
    bytes.div_ceil(1000)
}

pub(crate) const TOOLS_FOLDER: &str = "tests/tools/wasm";

/// The features of the wasm crate that become modules of their own, so that a page loads what it uses.
const PARTS: [&str; 9] = [
    "links",
    "board",
    "debug",
    "export",
    "mount",
    "flash",
    "agent",
    "zylisp",
    "zylisp-server",
];
/// Flags that limit inlining by wasm-opt, which makes the module smaller, but its zipped form
/// larger. The smallest functions are still inlined: that makes it no larger, and one of them is
/// called for each 64 bytes of a search.
const LITTLE_INLINING: [&str; 6] = [
    "--always-inline-max-function-size",
    "6",
    "--flexible-inline-max-function-size",
    "0",
    "--one-caller-inline-max-function-size",
    "0",
];
const SOURCES: [&str; 10] = [
    ".cargo/config.toml",
    "core/src",
    "core/Cargo.toml",
    "wasm/src",
    "wasm/Cargo.toml",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    "tests/tools/wasm/package-lock.json",
    "tests/tools/wasm/Cargo.lock",
];
const BUNDLER: &str = "wasm/bundle.mjs";
const FRAME_SOURCES: [&str; 4] = [
    BUNDLER,
    "wasm/js/browser-board",
    "wasm/js/named.js",
    "wasm/package-lock.json",
];
const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];
const MODULE: &str = "flylead_wasm_bg.wasm";
const LIST_IMPORTS: &str = "const module = new WebAssembly.Module(require('fs').readFileSync(process.argv[1])); \
    for (const { module: name } of WebAssembly.Module.imports(module)) console.log(name)";
