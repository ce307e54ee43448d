//! A release: everything that is published, built, checked and installed on one machine.
//!
//! ```text
//! readme ─► crates ─► npm ─► wheel ─► archive ─► extension ─► bill ─► papers ─► three installs
//! ```
//!
//! `cargo xtask release --dry-run` does all of it and publishes nothing. `.github/workflows/release.yml` runs the same parts, one
//! on each system, and publishes what they made.

mod archive;
mod bill;
mod crates;
mod extension;
mod file;
mod formulas;
mod installer;
mod installs;
mod npm;
mod python;
mod readme;
mod ticket;

pub(crate) use crates::packed;
pub(crate) use installs::REGISTRY;
pub(crate) use installs::test;
pub(crate) use ticket::manifests;

use crate::build::setup;
use crate::build::web;
use crate::shell::Shell;
use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Parts of a release to make.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    /// Build, check and install everything, and publish nothing
    #[arg(long)]
    dry_run: bool,
    #[command(subcommand)]
    part: Option<Part>,
}

#[derive(Subcommand)]
enum Part {
    /// Write the lines into the README that are true once this version is published
    Readme,
    /// Build the archive of this system: the command, completions, manual pages
    Archive,
    /// Build the wheel of this system
    Wheel,
    /// Pack the extension for VS Code, for each archive in target/release-files and for browsers
    Extension,
    /// List everything that the command is made of, as CycloneDX
    Bill,
    /// Write checksums, the installer script and the formulas for the archives in target/release-files
    Papers,
}

/// Makes one part, or all of them.
pub(crate) fn run(shell: &Shell, options: &Options) -> Result<()> {
    match &options.part {
        Some(part) => one(shell, part),
        None if options.dry_run => dry_run(shell),
        None => bail!(
            "publishing is the work of .github/workflows/release.yml, at a tag; add --dry-run to build and check everything here"
        ),
    }
}

fn one(shell: &Shell, part: &Part) -> Result<()> {
    ticket::check(shell)?;
    match part {
        Part::Readme => readme::fill(shell),
        Part::Archive => archive::build(shell, RELEASE).map(drop),
        Part::Wheel => python::wheel(shell).map(drop),
        Part::Extension => extension::pack(shell),
        Part::Bill => bill::write(shell).map(drop),
        Part::Papers => papers(shell, true),
    }
}

/// Makes all parts, and says how long each took.
fn dry_run(shell: &Shell) -> Result<()> {
    let mut times = Vec::new();
    let mut part = |name: &'static str, work: &dyn Fn() -> Result<()>| {
        println!("\n== {name}");
        let start = Instant::now();
        work()?;
        times.push((name, start.elapsed()));
        Ok::<_, anyhow::Error>(())
    };
    part("setup", &|| setup::everything(shell))?;
    // Files of an earlier version would be published with this one.
    part("empty", &|| empty(shell))?;
    part("ticket", &|| ticket::check(shell))?;
    part("page", &|| web::page(shell))?;
    part("readme", &|| readme::check(shell))?;
    part("crates", &|| crates::publish_dry(shell))?;
    part("npm", &|| npm::pack(shell).map(drop))?;
    part("wheel", &|| python::wheel(shell).map(drop))?;
    part("archive", &|| archive::build(shell, RELEASE).map(drop))?;
    part("extension", &|| extension::pack(shell))?;
    part("bill", &|| bill::write(shell).map(drop))?;
    part("papers", &|| papers(shell, false))?;
    part("installs", &|| installs::of_release(shell))?;
    print(&times);
    shell.say(&format!(
        "{} has what would be published; nothing was",
        folder(shell)?.display()
    ));
    Ok(())
}

fn print(times: &[(&str, Duration)]) {
    println!("\n{:<14}{:>9}", "part", "seconds");
    for (name, time) in times {
        println!("{name:<14}{:>9.1}", time.as_secs_f32());
    }
}

/// Writes everything that is made of the archives' hashes. A release has all archives; a dry run has this machine's.
fn papers(shell: &Shell, wants_all: bool) -> Result<()> {
    let folder = folder(shell)?;
    let archives = archive::all(&folder)?;
    for missing in archive::missing(&archives) {
        if wants_all {
            bail!("{} has no archive for {missing}", folder.display());
        }
        shell.say(&format!(
            "NOT RUN here: the archive for {missing}, which the workflow builds"
        ));
    }
    formulas::write(shell, &folder, &archives)?;
    installer::write(shell, &folder, &archives)?;
    file::checksums(&folder)
}

/// The folder of everything that is published, made if it is missing.
fn folder(shell: &Shell) -> Result<PathBuf> {
    let folder = shell.target("release-files");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn empty(shell: &Shell) -> Result<()> {
    Ok(std::fs::remove_dir_all(folder(shell)?)?)
}

/// Version of this release.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Address of the repository, as the workspace's manifest has it.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// The profile of cargo's for the command in an archive.
const RELEASE: &str = "release";
