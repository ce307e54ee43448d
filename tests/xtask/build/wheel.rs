//! The Python package `flylead`: the wheel, and its tests in an environment of their own.

use crate::build::setup;
use crate::shell::Shell;
use crate::test::again;
use crate::test::programs;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Builds the wheel that people install into `target/wheels`, and prints its size and how long its import takes.
pub(crate) fn release(shell: &Shell) -> Result<()> {
    for_people(shell).map(drop)
}

/// Builds the wheel that people install, checks its size, and returns its path.
pub(crate) fn for_people(shell: &Shell) -> Result<PathBuf> {
    crate::build::web::page(shell)?;
    let wheel = build(shell, PROFILE)?;
    let bytes = fs::metadata(&wheel)?.len();
    shell.say(&format!("{}: {bytes} bytes", wheel.display()));
    ensure!(
        bytes < LARGEST,
        "the wheel has {bytes} bytes; {LARGEST} are its limit"
    );
    alone(shell, &wheel)?;
    Ok(wheel)
}

/// Builds a wheel as fast as it can be built, once in a run of several steps.
pub(crate) fn for_tests(shell: &Shell) -> Result<PathBuf> {
    let mut built = FOR_TESTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(wheel) = &*built {
        return Ok(wheel.clone());
    }
    let wheel = build(shell, "dev")?;
    Ok(built.insert(wheel).clone())
}

/// The wheel of [`for_tests`], once it is built.
static FOR_TESTS: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Installs the wheel of the tests and runs all its tests.
pub(crate) fn test(shell: &Shell) -> Result<()> {
    let wheel = for_tests(shell)?;
    alone(shell, &wheel)?;
    let python = environment(shell, &wheel)?;
    programs(shell)?;
    shell.say("checking types, and running its tests, which wait for boards most of the time");
    thread::scope(|scope| {
        let types = scope.spawn(|| check_types(shell, &python));
        run_tests(shell, &python)?;
        let done = types.join();
        done.map_err(|_| anyhow!("checking types panicked"))?
    })
}

/// A Python with the package and what its tests need.
pub(crate) fn installed(shell: &Shell) -> Result<PathBuf> {
    let wheel = for_tests(shell)?;
    environment(shell, &wheel)
}

fn check_types(shell: &Shell, python: &Path) -> Result<()> {
    let mut mypy = shell.command(python, &["-m", "mypy"]);
    shell.run(mypy.current_dir(shell.path(PACKAGE)))
}

fn run_tests(shell: &Shell, python: &Path) -> Result<()> {
    again::pytest(shell, || {
        let mut tests = shell.command(python, &["-m", "pytest", "-q", "--color=no"]);
        tests.env("FLYLEAD_PROGRAMS", shell.target("debug"));
        tests.current_dir(shell.path(PACKAGE));
        tests
    })
}

/// The folder of the files of the wheel that people install, for benchmarks in an environment that has other tools.
pub(crate) fn unpacked(shell: &Shell) -> Result<PathBuf> {
    let wheel = build(shell, PROFILE)?;
    let folder = shell.scratch()?.join("python-unpacked");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let pip = shell.path(VENV).join(PYTHON);
    let words = ["-m", "pip", "install", "--quiet", "--no-index", "--target"];
    shell.run(shell.command(pip, &words).arg(&folder).arg(wheel))?;
    Ok(folder)
}

/// Builds the wheel as people install it, and runs one of the package's benchmarks with it.
pub(crate) fn bench(shell: &Shell, script: &str, arguments: &[String]) -> Result<()> {
    setup::system(shell)?;
    let wheel = build(shell, PROFILE)?;
    let python = environment(shell, &wheel)?;
    shell.run(&mut shell.cargo(&format!(
        "build --quiet -p flylead-tests --bin board --profile {PROFILE}"
    )))?;
    let package = shell.path(PACKAGE);
    let mut bench = shell.command(&python, &[script]);
    bench.env("PYTHONPATH", package.join("tests"));
    bench.env("FLYLEAD_PROGRAMS", shell.target(PROFILE));
    shell.run(bench.args(arguments).current_dir(&package))
}

/// The wheel of one of cargo's profiles, with the command in it.
fn build(shell: &Shell, profile: &str) -> Result<PathBuf> {
    setup::python(shell)?;
    shell.say("compiling the command and the module");
    match profile {
        // The checks and the completion of the page would take the wheel beyond its limit.
        PROFILE => shell.run(&mut shell.cargo(&format!(
            "build --quiet -p flylead --bin flylead --no-default-features --profile {PROFILE}"
        )))?,
        _ => programs(shell)?,
    }
    put_command(shell, profile)?;
    let is_release = profile == PROFILE;
    let folder = shell.target(if is_release {
        "wheels"
    } else {
        "wheels-of-tests"
    });
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let manifest = shell.path(PACKAGE).join("Cargo.toml");
    let systems = compatibility(shell, profile)?;
    let mut maturin = shell.command(
        shell.path(MATURIN),
        &["build", "--quiet", "--compatibility", &systems, "--profile"],
    );
    // What people download is small; what is only tested is made fast.
    let level = if is_release { "9" } else { "1" };
    maturin.arg(profile).args(["--compression-level", level]);
    maturin.arg("--manifest-path").arg(manifest);
    shell.run(maturin.arg("--out").arg(&folder))?;
    wheel_in(&folder)
}

/// The systems on which the wheel runs, as its name says them. PyPI takes none without the version of the C library that it needs,
/// which is that of the command: the module is built by the same compiler.
fn compatibility(shell: &Shell, profile: &str) -> Result<String> {
    if profile != PROFILE || !cfg!(target_os = "linux") {
        return Ok("linux".to_owned());
    }
    let command = fs::read(shell.target(profile).join("flylead"))?;
    let minor = newest_symbol(&command).context("the command needs no version of the C library")?;
    Ok(format!("manylinux_2_{minor}"))
}

/// The newest version `GLIBC_2.N` that a program names.
fn newest_symbol(program: &[u8]) -> Option<u32> {
    const MARK: &[u8] = b"GLIBC_2.";
    let names = program
        .windows(MARK.len() + 2)
        .filter(|bytes| bytes.starts_with(MARK));
    let minors = names.filter_map(|bytes| {
        let digits = bytes[MARK.len()..]
            .iter()
            .copied()
            .take_while(u8::is_ascii_digit);
        String::from_utf8(digits.collect()).ok()?.parse().ok()
    });
    minors.max()
}

/// Puts the command to where maturin takes it from.
fn put_command(shell: &Shell, profile: &str) -> Result<()> {
    let name = format!("flylead{}", std::env::consts::EXE_SUFFIX);
    let folder = if profile == "dev" { "debug" } else { profile };
    let scripts = shell.path(PACKAGE).join("wheel-data/scripts");
    fs::create_dir_all(&scripts)?;
    let built = shell.target(folder).join(&name);
    fs::copy(&built, scripts.join(&name))
        .with_context(|| format!("cannot copy {}", built.display()))?;
    Ok(())
}

fn wheel_in(folder: &Path) -> Result<PathBuf> {
    let mut paths = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    match paths.find(|path| path.extension().is_some_and(|end| end == "whl")) {
        Some(wheel) => Ok(wheel),
        None => bail!("there is no wheel in {}", folder.display()),
    }
}

/// Installs the wheel where there is nothing else, not even a PATH, and runs both of its halves.
fn alone(shell: &Shell, wheel: &Path) -> Result<()> {
    shell.say("installing the wheel alone");
    let folder = shell.scratch()?.join("python-alone");
    let pip = shell.path(VENV).join(PYTHON);
    let make = ["-m", "venv", "--clear", "--without-pip"];
    shell.run(shell.command(MAKER, &make).arg(&folder))?;
    let python = folder.join(PYTHON);
    let mut install = shell.command(pip, &["-m", "pip", "--quiet", "--python"]);
    let alone = ["install", "--no-index", "--disable-pip-version-check"];
    shell.run(install.arg(&python).args(alone).arg(wheel))?;
    let mut module = shell.command(&python, &["-I", "-c", IMPORT]);
    let module = shell.read(module.env("PATH", ""))?;
    let command = python.with_file_name(format!("flylead{}", std::env::consts::EXE_SUFFIX));
    let command = shell.read(shell.command(command, &["--version"]).env("PATH", ""))?;
    let version = env!("CARGO_PKG_VERSION");
    let took = module.trim().strip_prefix(&format!("{version} True "));
    let took = took.with_context(|| format!("the module says {module}"))?;
    shell.say(&format!("imported in {took} ms"));
    ensure!(command.trim() == format!("flylead {version}"), "{command}");
    Ok(())
}

/// An environment with the wheel, and with what its tests need.
fn environment(shell: &Shell, wheel: &Path) -> Result<PathBuf> {
    let python = setup::package(shell)?;
    let again = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--no-deps",
        "--force-reinstall",
    ];
    shell.run(shell.command(&python, &again).arg(wheel))?;
    Ok(python)
}

/// Imports the module five times, each in a Python of its own, and says what it is and the median of the milliseconds.
const IMPORT: &str = "\
import statistics, subprocess, sys
timed = 'import time; start = time.perf_counter(); import flylead; print(1000 * (time.perf_counter() - start))'
again = [sys.executable, '-I', '-c', timed]
took = [float(subprocess.check_output(again)) for _ in range(5)]
import flylead
print(flylead.__version__, flylead.ports() is not None, round(statistics.median(took), 1))
";
/// The profile of cargo's for the wheel that people install.
pub(crate) const PROFILE: &str = "wheel";
const PACKAGE: &str = "native/python";
const VENV: &str = "tests/.venv";
const MAKER: &str = if cfg!(windows) { "python" } else { "python3" };
const PYTHON: &str = if cfg!(windows) {
    "Scripts/python.exe"
} else {
    "bin/python"
};
const MATURIN: &str = if cfg!(windows) {
    "tests/.venv/Scripts/maturin.exe"
} else {
    "tests/.venv/bin/maturin"
};
/// Size limit of a wheel, in bytes. Half a megabyte is room for the next dependency: espflash and its flasher stubs took two, DFU and what
/// was saved of a chip a tenth of one.
const LARGEST: u64 = 13_000_000;

#[cfg(test)]
mod tests {
    use super::newest_symbol;

    #[test]
    fn the_newest_version_of_the_c_library_counts() {
        assert_eq!(
            newest_symbol(b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.17\0"),
            Some(34)
        );
        assert_eq!(newest_symbol(b"nothing of it at all"), None);
    }
}
