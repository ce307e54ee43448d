//! Installing what is missing, and only that: system packages, Python packages, npm packages.

use crate::build::stamp::Stamp;
use crate::shell::{Shell, has, is_attended};
use anyhow::{Context, Result, anyhow, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// Everything that the build and the tests need.
pub(crate) fn everything(shell: &Shell) -> Result<()> {
    rust(shell)?;
    system(shell)?;
    // Each of the three waits for the network while the other one unpacks.
    thread::scope(|scope| {
        let folders = NPM_FOLDERS.chunks(NPM_FOLDERS.len().div_ceil(2));
        let npm = folders.map(|folders| {
            scope.spawn(|| folders.iter().try_for_each(|folder| npm(shell, folder)))
        });
        let npm: Vec<_> = npm.collect();
        python(shell)?;
        package(shell)?;
        npm.into_iter()
            .try_for_each(|npm| npm.join().map_err(|_| anyhow!("npm panicked"))?)
    })?;
    shell.say("everything is installed");
    Ok(())
}

/// The compiler's target for the browser. rust-toolchain.toml names it, so rustup has usually installed it.
pub(crate) fn rust(shell: &Shell) -> Result<()> {
    let libraries =
        shell.read(&mut shell.command("rustc", &["--print", "target-libdir", "--target", WASM]))?;
    if Path::new(libraries.trim()).exists() {
        return Ok(());
    }
    shell.say(&format!("installing the Rust target {WASM}"));
    shell
        .run(&mut shell.command("rustup", &["target", "add", WASM]))
        .with_context(|| format!("install the Rust target {WASM} with your Rust's package manager"))
}

/// The packages of `tests/setup/apt.txt`.
pub(crate) fn system(shell: &Shell) -> Result<()> {
    let _lock = shell.lock("system")?;
    let wanted = Package::list(shell)?;
    if !has("dpkg-query") || !has("apt-get") {
        return elsewhere(&wanted);
    }
    let missing = without_installed(shell, &wanted);
    // A system that lacks nothing but what it does not have is not asked for more.
    if !missing
        .iter()
        .any(|package| !package.is_optional || is_known(shell, &package.name))
    {
        return Ok(());
    }
    shell.run(&mut apt(shell, &["update", "-qq"])?)?;
    let missing = known(shell, &missing)?;
    shell.say(&format!(
        "installing system packages: {}",
        missing.join(" ")
    ));
    let install = [
        "install",
        "-y",
        "-qq",
        "--no-install-recommends",
        "-o",
        "DPkg::Lock::Timeout=300",
    ];
    shell.run(apt(shell, &install)?.args(&missing))
}

/// The packages of `tests/setup/requirements.txt`, in `tests/.venv`.
pub(crate) fn python(shell: &Shell) -> Result<()> {
    environment(
        shell,
        "python",
        "tests/setup/requirements.txt",
        "tests/.venv",
    )
}

/// Path of a program that the packages of `tests/setup/requirements.txt` bring.
pub(crate) fn python_program(shell: &Shell, name: &str) -> PathBuf {
    let python = shell.path("tests/.venv").join(VENV_PYTHON);
    python.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The packages that the Python package's tests need, in `tests/.venv-package`, labgrid among them: apart from the others, for
/// it brings a pyserial of its own.
pub(crate) fn package(shell: &Shell) -> Result<PathBuf> {
    let folder = "tests/.venv-package";
    let requirements = "native/python/tests/requirements.txt";
    environment(shell, "python-package", requirements, folder)?;
    Ok(shell.path(folder).join(VENV_PYTHON))
}

/// A folder with Python packages, installed again when their list has changed.
fn environment(shell: &Shell, name: &str, requirements: &str, folder: &str) -> Result<()> {
    let requirements = shell.path(requirements);
    let _lock = shell.lock(name)?;
    let stamp = Stamp::new(shell, name, std::slice::from_ref(&requirements))?;
    let python = shell.path(folder).join(VENV_PYTHON);
    if stamp.is_current(&python) {
        return Ok(());
    }
    shell.say(&format!("installing Python packages in {folder}"));
    let maker = if cfg!(windows) { "python" } else { "python3" };
    shell.run(&mut shell.command(maker, &["-m", "venv", folder]))?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
    ];
    shell.run(shell.command(python, &install).arg(requirements))?;
    stamp.set()
}

/// The npm packages of the folder `inside` the repository, from its lock file.
pub(crate) fn npm(shell: &Shell, inside: &str) -> Result<()> {
    let folder = shell.path(inside);
    if !folder.join("package.json").exists() {
        return Ok(());
    }
    let _lock = shell.lock(&format!("npm-{inside}"))?;
    let sources = [
        folder.join("package.json"),
        folder.join("package-lock.json"),
    ];
    let stamp = Stamp::new(
        shell,
        &format!("npm-{}", inside.replace('/', "-")),
        &sources,
    )?;
    if stamp.is_current(&folder.join("node_modules")) {
        return Ok(());
    }
    shell.say(&format!("installing npm packages in {inside}"));
    node(shell)?;
    let how = if sources[1].exists() { "ci" } else { "install" };
    let quietly = [
        how,
        "--no-audit",
        "--no-fund",
        "--no-progress",
        "--loglevel=error",
    ];
    shell.run(shell.command(NPM, &quietly).current_dir(&folder))?;
    fs::create_dir_all(folder.join("node_modules"))?;
    // `npm install` writes the lock file, so the stamp is taken again.
    Stamp::new(
        shell,
        &format!("npm-{}", inside.replace('/', "-")),
        &sources,
    )?
    .set()
}

/// Node itself is not installed for anyone: too many ways to have it.
fn node(shell: &Shell) -> Result<()> {
    let version = shell
        .read(&mut shell.command("node", &["--version"]))
        .context(NODE_HINT)?;
    let major = version
        .trim()
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < 20) {
        bail!("Node {} is too old; {NODE_HINT}", version.trim());
    }
    Ok(())
}

/// One line of `tests/setup/apt.txt`: the package's name in Debian, a program that it brings (or `-`), and why.
struct Package {
    name: String,
    program: Option<String>,
    /// True for a package that is left out where the system does not have it.
    is_optional: bool,
}

impl Package {
    fn list(shell: &Shell) -> Result<Vec<Self>> {
        let text = fs::read_to_string(shell.path("tests/setup/apt.txt"))
            .context("cannot read tests/setup/apt.txt")?;
        Ok(text.lines().filter_map(Self::parse).collect())
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split('#').next()?.split_whitespace();
        let name = words.next()?;
        let program = words
            .next()
            .filter(|program| *program != "-")
            .map(str::to_owned);
        Some(Self {
            name: name.trim_end_matches('?').to_owned(),
            program,
            is_optional: name.ends_with('?'),
        })
    }
}

/// On a system without apt: the programs must be there, and are named when they are not.
fn elsewhere(wanted: &[Package]) -> Result<()> {
    let programs = wanted
        .iter()
        .filter_map(|package| package.program.as_deref());
    let missing = programs.filter(|program| !has(program)).collect::<Vec<_>>();
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "this system has no apt-get, so install these programs by hand and run the command again: {}. \
         Debian's names for them, and why they are needed, are in tests/setup/apt.txt",
        missing.join(", ")
    )
}

/// Returns the names of the packages that apt knows. Ubuntu has the browsers as snaps, of which it knows nothing.
fn known<'a>(shell: &Shell, missing: &[&'a Package]) -> Result<Vec<&'a str>> {
    let (known, unknown): (Vec<&Package>, Vec<&Package>) = missing
        .iter()
        .partition(|package| is_known(shell, &package.name));
    let refused = unknown.iter().filter(|package| !package.is_optional);
    let refused = refused.map(|package| &*package.name).collect::<Vec<_>>();
    if refused.is_empty() {
        return Ok(known.iter().map(|package| &*package.name).collect());
    }
    bail!(
        "apt knows no package {}: install the programs that they bring in another way and run the command again \
         (on Ubuntu: sudo snap install chromium firefox). The programs' names are in tests/setup/apt.txt",
        refused.join(", ")
    )
}

fn is_known(shell: &Shell, name: &str) -> bool {
    let mut policy = shell.command("apt-cache", &["policy", name]);
    let policy = shell.read(policy.env("LC_ALL", "C"));
    policy
        .is_ok_and(|policy| policy.contains("Candidate: ") && !policy.contains("Candidate: (none)"))
}

/// A package whose program is there is not missed, whoever brought the program.
fn without_installed<'a>(shell: &Shell, wanted: &'a [Package]) -> Vec<&'a Package> {
    let query = &mut shell.command("dpkg-query", &["-W", "-f=${Package} ${db:Status-Status}\n"]);
    // It exits with 1 when it does not know one of them, and lists the others all the same.
    let listing = query
        .args(wanted.iter().map(|package| &package.name))
        .output()
        .map(|output| output.stdout)
        .unwrap_or_default();
    let listing = String::from_utf8_lossy(&listing);
    let is_installed = |name: &str| {
        listing
            .lines()
            .any(|line| line == format!("{name} installed"))
    };
    let is_missing = |package: &&Package| {
        !is_installed(&package.name) && !package.program.as_deref().is_some_and(has)
    };
    wanted.iter().filter(is_missing).collect()
}

fn apt(shell: &Shell, arguments: &[&str]) -> Result<Command> {
    let mut command = if is_root(shell) {
        shell.command("apt-get", arguments)
    } else if has("sudo") {
        sudo(shell, arguments)
    } else {
        bail!(
            "only root can install system packages; run as root or install sudo (they are listed in tests/setup/apt.txt)"
        );
    };
    command.env("DEBIAN_FRONTEND", "noninteractive");
    Ok(command)
}

/// sudo asks for a password only where somebody can give it.
fn sudo(shell: &Shell, arguments: &[&str]) -> Command {
    let how: &[&str] = if is_attended() {
        &["apt-get"]
    } else {
        &["-n", "apt-get"]
    };
    shell.command("sudo", &[how, arguments].concat())
}

fn is_root(shell: &Shell) -> bool {
    shell
        .read(&mut shell.command("id", &["-u"]))
        .is_ok_and(|id| id.trim() == "0")
}

pub(crate) const WASM: &str = "wasm32-unknown-unknown";
pub(crate) const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

const VENV_PYTHON: &str = if cfg!(windows) {
    "Scripts/python.exe"
} else {
    "bin/python"
};
const NODE_HINT: &str =
    "install Node 20 or newer with npm (your system's package manager, or nodejs.org)";
/// The MCP project's own client, and a Node that is new enough for it.
pub(crate) const INSPECTOR: &str = "tests/clients/mcp";
/// A debug client of Visual Studio Code's project.
pub(crate) const DEBUG_CLIENT: &str = "tests/clients/debug";
const NPM_FOLDERS: [&str; 9] = [
    "tests/tools/wasm",
    "wasm",
    "web",
    "tests/browser",
    "tests/clients/nrepl",
    INSPECTOR,
    DEBUG_CLIENT,
    crate::docs::FOLDER,
    crate::release::REGISTRY,
];

#[cfg(test)]
mod tests {
    use super::Package;

    fn parse(line: &str) -> Option<(String, Option<String>)> {
        Package::parse(line).map(|package| (package.name, package.program))
    }

    #[test]
    fn a_line_names_a_package_and_the_program_it_brings() {
        let both = Some(("bubblewrap".to_owned(), Some("bwrap".to_owned())));
        assert_eq!(parse("bubblewrap   bwrap  # the jail"), both);
        assert_eq!(
            parse("firmware  -  # no program"),
            Some(("firmware".to_owned(), None))
        );
    }

    #[test]
    fn comments_and_empty_lines_name_no_package() {
        assert_eq!(parse("# why"), None);
        assert_eq!(parse(""), None);
    }
}
