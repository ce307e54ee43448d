//! The fuzz targets, on the stable compiler: built with the flags that cargo-fuzz gives, less the sanitizer.

use crate::shell::Shell;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;

/// Target to run, and its limits.
#[derive(Args)]
pub(crate) struct Options {
    /// Name, such as `nrepl`; without one, all names are listed
    name: Option<String>,
    /// Number of inputs to try
    #[arg(long, default_value_t = 10_000_000)]
    runs: u64,
    /// Time limit in seconds
    #[arg(long, default_value_t = 1_800)]
    seconds: u64,
    /// The longest input, in bytes
    #[arg(long, default_value_t = 4_096)]
    longest: u64,
}

/// Runs one target for long, and prints how many inputs were tried.
pub(crate) fn one(shell: &Shell, options: &Options) -> Result<()> {
    let names = names(shell)?;
    let Some(name) = &options.name else {
        shell.say(&format!("cargo xtask fuzz {}", names.join(" | ")));
        return Ok(());
    };
    if !names.contains(name) {
        bail!(
            "no fuzz target is called {name}; there are: {}",
            names.join(" | ")
        );
    }
    let Options {
        runs,
        seconds,
        longest,
        ..
    } = options;
    let limits = [
        format!("-runs={runs}"),
        format!("-max_total_time={seconds}"),
        format!("-max_len={longest}"),
        "-print_final_stats=1".into(),
    ];
    Targets::build(shell, Made::ToRunLong)?.run(shell, name, &limits)
}

/// Builds all fuzz targets and gives each a moment; hours are for `cargo xtask fuzz` or cargo-fuzz.
pub(crate) fn run(shell: &Shell) -> Result<()> {
    let targets = Targets::build(shell, Made::Quickly)?;
    let names = names(shell)?;
    let next = Mutex::new(names.iter());
    let give_moments = || {
        while let Some(name) = take(&next) {
            targets.run(shell, name, &MOMENT.map(String::from))?;
            shell.say(&format!("{name}: no crash"));
        }
        Ok(())
    };
    thread::scope(|scope| {
        // A target has one thread.
        let threads = [(), ()].map(|()| scope.spawn(give_moments));
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(done) => done,
                Err(_) => bail!("running a fuzz target panicked"),
            })
    })
}

/// Builds all fuzz targets for a moment.
pub(crate) fn build(shell: &Shell) -> Result<()> {
    Targets::build(shell, Made::Quickly).map(drop)
}

/// Way to compile fuzz targets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Little optimization: a run of seconds does not give back what more takes.
    Quickly,
    /// Full optimization.
    ToRunLong,
}

fn take<T>(next: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    next.lock().ok()?.next()
}

const MOMENT: [&str; 3] = ["-runs=100000", "-max_total_time=3", "-verbosity=0"];

/// The programs that were built, and what they have found.
struct Targets {
    folder: PathBuf,
    programs: PathBuf,
}

impl Targets {
    fn build(shell: &Shell, made: Made) -> Result<Self> {
        let folder = shell.target("fuzz");
        let host = shell.read(&mut shell.command("rustc", &["--print", "host-tuple"]))?;
        // Naming the target, even this one, keeps the flags from build scripts, which have no fuzzer to link with.
        let mut build = shell.cargo("build --quiet --release --manifest-path core/fuzz/Cargo.toml");
        build.args(["--target", host.trim(), "--target-dir"]);
        if made == Made::Quickly {
            build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        }
        shell.run(build.arg(&folder).env("RUSTFLAGS", FLAGS))?;
        let programs = folder.join(host.trim()).join("release");
        Ok(Self { folder, programs })
    }

    fn run(&self, shell: &Shell, name: &str, options: &[String]) -> Result<()> {
        let found = self.folder.join("found").join(name);
        fs::create_dir_all(&found)?;
        let mut run = shell.command(self.programs.join(name), &[]);
        let seeds = SEEDS.iter().filter(|(of, _)| *of == name);
        run.args(options)
            .arg(found)
            .args(seeds.map(|(_, folder)| shell.path(folder)))
            .current_dir(&self.folder);
        shell
            .run(&mut run)
            .with_context(|| format!("fuzz target {name}"))
    }
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

/// Initial inputs of a target, beside those that earlier runs found.
const SEEDS: [(&str, &str); 1] = [("inbox", "tests/replies")];

const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";
