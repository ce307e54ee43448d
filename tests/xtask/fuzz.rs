//! The fuzz targets, on the stable compiler: built with the flags that cargo-fuzz gives, less the sanitizer.

use crate::shell::Shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// Builds all fuzz targets and gives each a moment; hours are for cargo-fuzz.
pub(crate) fn run(shell: &Shell) -> Result<()> {
    let folder = shell.target("fuzz");
    let host = shell.read(&mut shell.command("rustc", &["--print", "host-tuple"]))?;
    // Naming the target, even this one, keeps the flags from build scripts, which have no fuzzer to link with.
    let mut build = shell.cargo("build --quiet --release --manifest-path core/fuzz/Cargo.toml");
    build.args(["--target", host.trim(), "--target-dir"]);
    shell.run(build.arg(&folder).env("RUSTFLAGS", FLAGS))?;
    for name in names(shell)? {
        let target = folder.join(host.trim()).join("release").join(&name);
        let found = folder.join("found").join(&name);
        fs::create_dir_all(&found)?;
        let mut run = shell.command(
            target,
            &["-runs=100000", "-max_total_time=3", "-verbosity=0"],
        );
        let seeds = SEEDS.iter().filter(|(of, _)| *of == name);
        run.arg(found)
            .args(seeds.map(|(_, folder)| shell.path(folder)))
            .current_dir(&folder);
        shell
            .run(&mut run)
            .with_context(|| format!("fuzz target {name}"))?;
        shell.say(&format!("{name}: no crash"));
    }
    Ok(())
}

/// Every source in core/fuzz/fuzz_targets is a target.
fn names(shell: &Shell) -> Result<Vec<String>> {
    let sources = fs::read_dir(shell.path("core/fuzz/fuzz_targets"))
        .context("cannot list the fuzz targets")?;
    let paths = sources
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<PathBuf>>>()?;
    let rust = paths
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    Ok(rust
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect())
}

/// What a target begins with, beside what earlier runs found.
const SEEDS: [(&str, &str); 1] = [("inbox", "tests/replies")];

const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";
