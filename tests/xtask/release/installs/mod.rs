//! Three installs, each on a machine that has one thing: Python, a shell, Node. Each ends with a board that answers 42.

mod bare;
mod server;

pub(crate) use server::FOLDER as REGISTRY;

use super::archive::{self, Packing};
use super::{file, folder, installer, npm, python, readme};
use crate::build::setup;
use crate::build::wasm;
use crate::build::wheel;
use crate::shell::Shell;
use crate::test::programs;
use anyhow::{Context, Result, ensure};
use bare::{BOARD, Bare, HOME};
use server::Server;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Builds as for tests, and tries the installs: the step of `cargo xtask test`.
pub(crate) fn test(shell: &Shell) -> Result<()> {
    setup::system(shell)?;
    setup::python(shell)?;
    setup::npm(shell, server::FOLDER)?;
    let home = home(shell)?;
    programs(shell)?;
    let archive = archive::pack(shell, &stripped(shell, &home)?, &home, Packing::Fast)?;
    let archives = archive::all(&home)?;
    ensure!(
        archives.len() == 1,
        "{} is not for this system",
        archive.display()
    );
    installer::write(shell, &home, &archives)?;
    shell_alone(shell, &home, &home)?;
    wasm::package(shell)?;
    let package = npm::pack_into(shell, &shell.path("wasm"), &home)?;
    node_alone(shell, &home, &package)?;
    let wheel = wheel::for_tests(shell)?;
    python::twine(shell, &wheel)?;
    python_alone(shell, &home, &wheel)
}

/// Tries the installs with what would be published.
pub(crate) fn of_release(shell: &Shell) -> Result<()> {
    programs(shell)?;
    let (home, folder) = (home(shell)?, folder(shell)?);
    let only = |ending: &str| {
        let found = file::with_ending(&folder, ending)?.pop();
        found.with_context(|| format!("{} has no {ending}", folder.display()))
    };
    shell_alone(shell, &home, &folder)?;
    node_alone(shell, &home, &only(".tgz")?)?;
    python_alone(shell, &home, &only(".whl")?)
}

fn home(shell: &Shell) -> Result<PathBuf> {
    let home = shell.scratch()?.join("installs");
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    fs::create_dir_all(&home)?;
    Ok(home)
}

/// The command of the tests without the names of its functions, which are most of it.
fn stripped(shell: &Shell, home: &Path) -> Result<PathBuf> {
    let command = home.join("flylead");
    let mut strip = shell.command("strip", &["-o"]);
    shell.run(strip.arg(&command).arg(shell.target("debug/flylead")))?;
    Ok(command)
}

fn shell_alone(shell: &Shell, home: &Path, downloads: &Path) -> Result<()> {
    let install = || with_shell(shell, home, downloads);
    timed(shell, "a shell alone: script and archive", install)
}

fn node_alone(shell: &Shell, home: &Path, package: &Path) -> Result<()> {
    timed(shell, "Node alone: the npm package", || {
        with_node(shell, home, package)
    })
}

fn python_alone(shell: &Shell, home: &Path, wheel: &Path) -> Result<()> {
    timed(shell, "Python alone: the wheel", || {
        with_python(shell, home, wheel)
    })
}

/// Says how long an install took, from its first command to the board's answer.
fn timed(shell: &Shell, name: &str, install: impl FnOnce() -> Result<Duration>) -> Result<()> {
    let time = install().with_context(|| name.to_owned())?;
    let seconds = time.as_secs_f32();
    shell.say(&format!("{name}: 42 after {seconds:.1} s"));
    shell.note(&format!("{name}: 42 after {seconds:.1} s"))?;
    ensure!(
        time < LIMIT,
        "{name} took {seconds:.1} s; {} s are the limit",
        LIMIT.as_secs()
    );
    Ok(())
}

fn with_python(shell: &Shell, home: &Path, wheel: &Path) -> Result<Duration> {
    let registry = Server::python(shell, home)?;
    upload(shell, &registry, wheel)?;
    let board = Board::start(shell)?;
    let mut bare = Bare::new(shell, home.join("python"))?;
    let python = interpreter(shell, &mut bare)?;
    only_c(shell, &mut bare)?;
    bare.plug(&board.pty);
    bare.set("PIP_INDEX_URL", format!("{}/simple/", registry.address()));
    bare.set("PIP_DISABLE_PIP_VERSION_CHECK", "1".into());
    let start = Instant::now();
    bare.run(&[&python, "-m", "venv", "env"])?;
    bare.run(
        &words("env/bin/", readme::command("pip install ")?)
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    )?;
    bare.expect(
        &["env/bin/flylead", "-p", BOARD, "exec", "print(6 * 7)"],
        "42",
    )?;
    bare.expect(&["env/bin/python", "-c", FROM_PYTHON, BOARD], "42")?;
    Ok(start.elapsed())
}

fn upload(shell: &Shell, registry: &Server, wheel: &Path) -> Result<()> {
    let twine = setup::python_program(shell, "twine");
    let mut upload = shell.command(
        twine,
        &[
            "upload",
            "--non-interactive",
            "--disable-progress-bar",
            "--username",
            "-",
            "--password",
            "-",
        ],
    );
    shell.run(
        upload
            .args(["--repository-url", &registry.address()])
            .arg(wheel),
    )
}

/// Shows the Python below `tests/.venv` to a bare machine, with its standard library and no package.
fn interpreter(shell: &Shell, bare: &mut Bare<'_>) -> Result<String> {
    let python = setup::python_program(shell, "python");
    let said = shell.read(&mut shell.command(python, &["-c", PARTS]))?;
    let mut parts = said.lines().map(PathBuf::from);
    let program = parts.next().context("Python does not say where it is")?;
    bare.libraries(&program)?;
    for part in parts {
        if part.extension().is_some_and(|ending| ending == "so") {
            bare.libraries(&part)?;
        } else if part.exists() {
            bare.show(part);
        }
    }
    bare.show(program.clone());
    Ok(program.display().to_string())
}

fn with_shell(shell: &Shell, home: &Path, downloads: &Path) -> Result<Duration> {
    let server = Server::files(shell, home, downloads)?;
    let board = Board::start(shell)?;
    let mut bare = Bare::new(shell, home.join("shell"))?;
    for program in SHELL_PROGRAMS {
        bare.program(program)?;
    }
    bare.set("FLYLEAD_DOWNLOAD", server.address());
    let line = readme::command("curl ")?.replace(LATEST, &server.address());
    refuses_system(&bare, &line, home)?;
    only_c(shell, &mut bare)?;
    bare.plug(&board.pty);
    let start = Instant::now();
    bare.run(&["/bin/sh", "-c", &line])?;
    bare.expect(
        &[
            &format!("{HOME}/.local/bin/flylead"),
            "-p",
            BOARD,
            "exec",
            "print(6 * 7)",
        ],
        "42",
    )?;
    let time = start.elapsed();
    refuses_changed(shell, home, downloads, &mut bare)?;
    Ok(time)
}

/// Checks that no command is installed where it does not run: the libraries that it needs are not there yet.
fn refuses_system(bare: &Bare<'_>, line: &str, home: &Path) -> Result<()> {
    let why = reason(bare.run(&["/bin/sh", "-c", line]));
    ensure!(
        why.contains("does not run here"),
        "a command without its libraries is not refused: {why}"
    );
    let left = fs::read_dir(home.join("shell/.local/bin"))?.count();
    ensure!(left == 0, "a command that does not run was left");
    Ok(())
}

fn reason(refused: Result<String>) -> String {
    let error = refused.err().map(|error| format!("{error:#}"));
    error.unwrap_or_default()
}

/// Checks that nothing of an archive with one more byte is installed.
fn refuses_changed(
    shell: &Shell,
    home: &Path,
    downloads: &Path,
    bare: &mut Bare<'_>,
) -> Result<()> {
    let folder = home.join("changed");
    fs::create_dir_all(&folder)?;
    for archive in file::with_ending(downloads, ".tar.gz")? {
        let mut content = fs::read(&archive)?;
        content.push(0);
        fs::write(folder.join(file::name(&archive)), content)?;
    }
    fs::copy(downloads.join("install.sh"), folder.join("install.sh"))?;
    let server = Server::files(shell, home, &folder)?;
    bare.set("FLYLEAD_DOWNLOAD", server.address());
    bare.set("FLYLEAD_PREFIX", format!("{HOME}/other"));
    let line = readme::command("curl ")?.replace(LATEST, &server.address());
    let why = reason(bare.run(&["/bin/sh", "-c", &line]));
    ensure!(
        why.contains("nothing was installed"),
        "a changed archive is not refused: {why}"
    );
    ensure!(
        !home.join("shell/other").exists(),
        "a changed archive left files"
    );
    Ok(())
}

/// Shows the libraries of the command, and checks that they are those of C and of its compiler, which every system has.
fn only_c(shell: &Shell, bare: &mut Bare<'_>) -> Result<()> {
    let command = shell.target("debug/flylead");
    let list = shell.read(shell.command("ldd", &[]).arg(&command))?;
    let foreign = list
        .lines()
        .filter(|line| !OF_C.iter().any(|name| line.contains(name)));
    let foreign: Vec<_> = foreign.collect();
    ensure!(
        foreign.is_empty(),
        "the command needs libraries that are not C's: {foreign:?}"
    );
    bare.libraries(&command)
}

fn with_node(shell: &Shell, home: &Path, package: &Path) -> Result<Duration> {
    let registry = Server::npm(shell, home)?;
    let needed = npm::pack_into(shell, &shell.path(npm::NEEDED), home)?;
    for archive in [&needed, package] {
        publish(shell, &registry, home, archive)?;
    }
    let npm = bare::find(setup::NPM)?;
    let mut bare = Bare::new(shell, home.join("node"))?;
    bare.program("node")?;
    bare.show(
        npm.ancestors()
            .nth(2)
            .context("npm has no folder")?
            .to_owned(),
    );
    bare.set("npm_config_registry", registry.address());
    let install = readme::command("npm install ")?.trim_start_matches("npm ");
    let npm = npm.display().to_string();
    let start = Instant::now();
    let words: Vec<_> = ["node", &npm]
        .into_iter()
        .chain(install.split_whitespace())
        .collect();
    bare.run(&words)?;
    let program = first_program(&fs::read_to_string(shell.path("wasm/README.md"))?)?;
    bare.expect(&["node", "--input-type=module", "--eval", &program], "42")?;
    Ok(start.elapsed())
}

fn publish(shell: &Shell, registry: &Server, home: &Path, archive: &Path) -> Result<()> {
    // npm sends nothing without a token; this registry takes any.
    let settings = home.join("npmrc");
    file::write(
        &settings,
        &format!(
            "registry={}\n{}:_authToken=any\n",
            registry.address(),
            registry.host()
        ),
    )?;
    let mut publish = shell.command(
        setup::NPM,
        &["publish", "--silent", "--tag", "latest", "--userconfig"],
    );
    publish
        .arg(&settings)
        .arg("--registry")
        .arg(registry.address());
    shell.run(publish.arg(archive).current_dir(home))
}

/// The first program of the npm package's README.
fn first_program(readme: &str) -> Result<String> {
    let (_, rest) = readme
        .split_once("```ts run\n")
        .context("wasm/README.md has no program")?;
    let (program, _) = rest
        .split_once("```")
        .context("wasm/README.md does not end its program")?;
    Ok(program.to_owned())
}

/// The words of a line of the README, where the first one is a program in a folder.
fn words(folder: &str, line: &str) -> Vec<String> {
    format!("{folder}{line}")
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

/// A real MicroPython behind a pty, outside of the bare machine.
struct Board {
    child: Child,
    pty: PathBuf,
}

impl Board {
    fn start(shell: &Shell) -> Result<Self> {
        let mut command = shell.command(shell.target("debug/board"), &["unix"]);
        // It lives until its standard input ends.
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let mut board = Self {
            child,
            pty: PathBuf::from(line.trim()),
        };
        ensure!(board.pty.is_absolute(), "the board does not start: {line}");
        board.pty = board.pty.canonicalize()?;
        Ok(board)
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Longest time from the first command of an install to the board's answer.
const LIMIT: Duration = Duration::from_secs(60);
/// Programs that the script uses, and the shell itself.
const SHELL_PROGRAMS: [&str; 14] = [
    "sh",
    "cat",
    "chmod",
    "cp",
    "curl",
    "gzip",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sha256sum",
    "tar",
    "uname",
    "env",
];
const OF_C: [&str; 5] = [
    "linux-vdso",
    "libgcc_s.so",
    "libm.so",
    "libc.so",
    "ld-linux",
];
const LATEST: &str = "https://github.com/flylead/flylead/releases/latest/download";
const FROM_PYTHON: &str = "\
import sys
from flylead import Board
with Board.connect(sys.argv[1]) as board:
    print(board.eval('6 * 7'))
";
/// Prints the program, the standard library, the wheels of pip and each extension module.
const PARTS: &str = "\
import glob, os, sys, sysconfig
print(os.path.realpath(sys._base_executable))
library = sysconfig.get_path('stdlib')
print(library)
print('/usr/share/python-wheels')
for module in glob.glob(library + '/lib-dynload/*.so'): print(module)
";

#[cfg(test)]
mod tests {
    use super::{first_program, words};
    use crate::release::readme;

    #[test]
    fn the_published_readme_has_a_line_for_each_install() {
        for word in ["pip install ", "npm install ", "curl "] {
            assert!(readme::command(word).is_ok(), "{word}");
        }
        assert_eq!(
            words("env/bin/", "pip install a"),
            ["env/bin/pip", "install", "a"]
        );
    }

    #[test]
    fn the_first_program_is_what_runs() {
        assert_eq!(first_program("a\n```ts run\nb\n```\nc").unwrap(), "b\n");
        assert!(first_program("```ts\nb\n```").is_err());
    }
}
