//! Everything that must hold before a change goes in, step by step, with a table at the end.

pub(crate) mod again;
mod busy;
pub(crate) mod crates;
mod deny;
pub(crate) mod documents;
pub(crate) mod firefox;
pub(crate) mod fuzz;
pub(crate) mod nextest;
mod tally;
pub(crate) mod vscode;
pub(crate) mod wasm_test;

use crate::build::room;
use crate::build::setup;
use crate::build::targets::Target;
use crate::build::tools::Beside;
use crate::build::wasm;
use crate::build::web;
use crate::build::wheel;
use crate::docs;
use crate::release;
use crate::shell::Shell;
use crate::tidy;
use anyhow::{Result, bail};
use clap::Args;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Checks to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Only what needs no browser, no board and less than a minute
    #[arg(long)]
    quick: bool,
    /// Fail where this cannot be run, such as `pico`, for which firmware must be in the cache
    #[arg(long, value_name = "NAME")]
    require: Vec<String>,
    /// Only these steps, by name
    steps: Vec<String>,
}

impl Options {
    fn wants_all(&self) -> bool {
        self.steps.is_empty() && !self.quick
    }

    fn wants(&self, step: &Step) -> bool {
        let is_named = self.steps.is_empty() || self.steps.iter().any(|name| name == step.name);
        is_named && (step.is_quick || !self.quick)
    }
}

/// Runs every wanted step, also after one has failed.
pub(crate) fn run(shell: &Shell, options: &Options) -> Result<()> {
    check_names(options)?;
    if options.wants_all() {
        room::check(shell)?;
    }
    let _tools = options.wants_all().then(|| Beside::start(shell));
    let meter = busy::Meter::start();
    let mut verdicts = Vec::new();
    for group in STEPS.chunk_by(|step, _| step.is_beside_next) {
        let wanted = group.iter().filter(|step| options.wants(step));
        verdicts.extend(together(
            shell,
            &wanted.collect::<Vec<_>>(),
            &options.require,
        )?);
    }
    println!(
        "\n{:<14}{:>8}{:>9}{:>8}",
        "step", "result", "seconds", "tests"
    );
    verdicts.iter().for_each(Verdict::print);
    let failed = verdicts
        .iter()
        .filter(|verdict| verdict.error.is_some())
        .count();
    println!("\n{} passed, {failed} failed", verdicts.len() - failed);
    if let Some(busy) = meter.share() {
        println!("the processors were busy {busy} % of the time");
    }
    let again = verdicts.iter().flat_map(|verdict| &verdict.again);
    again.for_each(|test| println!("failed once, and passed later: {test}"));
    if failed > 0 {
        bail!("{failed} of {} steps failed", verdicts.len());
    }
    Ok(())
}

/// Takes steps at the same time, each with a log of its own.
fn together(shell: &Shell, steps: &[&Step], required: &[String]) -> Result<Vec<Verdict>> {
    thread::scope(|scope| {
        let take = |step| scope.spawn(move || Step::take(step, shell, required));
        let running: Vec<_> = steps.iter().copied().map(take).collect();
        let taken = running.into_iter().map(|step| match step.join() {
            Ok(verdict) => verdict,
            Err(_) => bail!("a step panicked"),
        });
        taken.collect()
    })
}

fn check_names(options: &Options) -> Result<()> {
    match options
        .steps
        .iter()
        .find(|name| STEPS.iter().all(|step| step.name != *name))
    {
        None => Ok(()),
        Some(name) => {
            let names = STEPS.iter().map(|step| step.name).collect::<Vec<_>>();
            bail!(
                "there is no step {name}; the steps are: {}",
                names.join(" ")
            )
        }
    }
}

struct Step {
    name: &'static str,
    about: &'static str,
    is_quick: bool,
    /// True for a step that leaves processors idle, which the next one uses: both are taken at the same time.
    is_beside_next: bool,
    work: fn(&Shell) -> Result<()>,
}

impl Step {
    /// Does the step with its output in a log, which is shown when it fails.
    fn take(&self, shell: &Shell, required: &[String]) -> Result<Verdict> {
        println!("\n== {}: {}", self.name, self.about);
        let log = shell.scratch()?.join(format!("{}.log", self.name));
        let logging = shell.logging(&log, STEP_LIMIT)?;
        let start = Instant::now();
        let error = (self.work)(&logging)
            .err()
            .map(|error| format!("{error:#}"));
        let time = start.elapsed();
        let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        let error = error.or_else(|| not_run(&text, required));
        let verdict = Verdict {
            name: self.name,
            time,
            tests: tally::passed(&text),
            again: again::passed_alone(&text),
            error,
        };
        verdict.announce(&text);
        Ok(verdict)
    }
}

/// The first thing that was required and could not be run.
fn not_run(log: &str, required: &[String]) -> Option<String> {
    let missing = log.lines().find(|line| {
        let what = line.strip_prefix("skipped: NOT RUN: ");
        what.is_some_and(|what| required.iter().any(|name| what.starts_with(name)))
    });
    missing.map(str::to_owned)
}

struct Verdict {
    name: &'static str,
    time: Duration,
    tests: usize,
    again: Vec<String>,
    error: Option<String>,
}

impl Verdict {
    fn announce(&self, log: &str) {
        let seconds = self.time.as_secs_f32();
        let skipped = log.lines().filter(|line| line.starts_with("skipped: "));
        match &self.error {
            None => {
                if !self.again.is_empty() {
                    println!("{log}");
                }
                skipped.for_each(|line| println!("   {line}"));
                println!("   ok, {seconds:.1} s");
            }
            Some(error) => println!("{log}\n   FAILED after {seconds:.1} s: {error}"),
        }
    }

    fn print(&self) {
        let result = if self.error.is_some() { "FAILED" } else { "ok" };
        let tests = if self.tests > 0 {
            self.tests.to_string()
        } else {
            String::new()
        };
        println!(
            "{:<14}{result:>8}{:>9.1}{tests:>8}",
            self.name,
            self.time.as_secs_f32()
        );
    }
}

/// Steps in order, some of them at the same time: fast failures come first, and builds for others before them. What is built
/// beside the first ones ([`tools::all`](crate::build::tools::all)) comes late.
const STEPS: [Step; 21] = [
    // Tidy and setup wait for the network; clippy needs nothing that comes from there.
    Step {
        name: "tidy",
        about: "pinned versions, lock files without hosts, words, commits, links of documents",
        is_quick: true,
        is_beside_next: true,
        work: tidy,
    },
    Step {
        name: "format",
        about: "rustfmt",
        is_quick: true,
        is_beside_next: true,
        work: format,
    },
    Step {
        name: "setup",
        about: "what the tests need is installed",
        is_quick: false,
        is_beside_next: true,
        work: setup::everything,
    },
    Step {
        name: "clippy",
        about: "no warnings",
        is_quick: true,
        is_beside_next: false,
        work: clippy,
    },
    Step {
        name: "build",
        about: "the wasm package, the page, the programs",
        is_quick: false,
        is_beside_next: false,
        work: build,
    },
    Step {
        name: "unit",
        about: "unit tests, suites under virtual time, examples in the docs",
        is_quick: true,
        is_beside_next: true,
        work: unit,
    },
    Step {
        name: "boards",
        about: "real boards, and the tools they are compared with",
        is_quick: false,
        is_beside_next: false,
        work: boards,
    },
    Step {
        name: "vscode",
        about: "the extension in a real VS Code, with a board",
        is_quick: false,
        is_beside_next: true,
        work: vscode::test,
    },
    Step {
        name: "shell",
        about: "commands in their sandbox, which take their time to end",
        is_quick: false,
        is_beside_next: true,
        work: shell_commands,
    },
    Step {
        name: "crates",
        about: "the library without its features, and packages with the page in them",
        is_quick: false,
        is_beside_next: true,
        work: crates::check,
    },
    Step {
        name: "deny",
        about: "licenses and sources of everything that is depended on",
        is_quick: false,
        is_beside_next: true,
        work: deny::check,
    },
    Step {
        name: "python",
        about: "the wheel where nothing else is, its types, its tests on real boards",
        is_quick: false,
        is_beside_next: false,
        work: python,
    },
    Step {
        name: "installs",
        about: "the wheel, the archive and the npm package, each installed where nothing else is",
        is_quick: false,
        is_beside_next: false,
        work: release::test,
    },
    // Its emulators take the processors, and the boards in them time that others measure.
    Step {
        name: "pico",
        about: "the makers' own firmware on an emulated RP2040",
        is_quick: false,
        is_beside_next: true,
        work: pico,
    },
    Step {
        name: "fuzz",
        about: "the fuzz targets build, and run for a moment",
        is_quick: false,
        is_beside_next: false,
        work: fuzz::run,
    },
    Step {
        name: "clippy-wasm",
        about: "no warnings in the wasm crate",
        is_quick: true,
        is_beside_next: false,
        work: wasm_test::clippy,
    },
    Step {
        name: "pure",
        about: "core needs no operating system",
        is_quick: false,
        is_beside_next: false,
        work: wasm::is_pure,
    },
    Step {
        name: "docs",
        about: "the documentation site and its links; rustdoc, without warnings",
        is_quick: false,
        is_beside_next: true,
        work: docs,
    },
    Step {
        name: "wasm",
        about: "the wasm crate in headless Chromium and Firefox",
        is_quick: false,
        is_beside_next: true,
        work: wasm_crate,
    },
    Step {
        name: "package",
        about: "the npm package in Node, headless Chromium and Firefox",
        is_quick: false,
        is_beside_next: false,
        work: package,
    },
    Step {
        name: "page",
        about: "the built page in headless Chromium and Firefox",
        is_quick: false,
        is_beside_next: false,
        work: page,
    },
];

fn tidy(shell: &Shell) -> Result<()> {
    tidy::check(shell)?;
    documents::check(shell)
}

fn format(shell: &Shell) -> Result<()> {
    shell.run(&mut shell.cargo("fmt --all --check"))?;
    shell.run(&mut shell.cargo("fmt --check --manifest-path tests/tools/wasm/Cargo.toml"))
}

/// The command has the page in it, so the page comes first.
fn build(shell: &Shell) -> Result<()> {
    web::page(shell)?;
    shell.say("building the programs");
    programs(shell)
}

/// Builds what tests run, for all of them at once: with a choice of packages that has other features, cargo would build everything
/// again. The Python module is maturin's.
pub(crate) fn programs(shell: &Shell) -> Result<()> {
    let exclude = "--exclude flylead-wasm --exclude flylead-python";
    shell.run(&mut shell.cargo(&format!(
        "build --quiet --workspace {exclude} --bin flylead --bin board"
    )))
}

fn clippy(shell: &Shell) -> Result<()> {
    shell.run(
        &mut shell.cargo(
            "clippy --quiet --workspace --exclude flylead-wasm --all-targets --features flylead-tests/benches -- -D warnings",
        ),
    )
}

/// Everything that runs inside one process: the sources' own tests, the suites, the examples in the docs.
fn unit(shell: &Shell) -> Result<()> {
    let mut tests = cargo_test(shell, "--lib --bins", |suite| {
        !needs_setup(suite) && !runs_commands(suite)
    })?;
    // A failed test hides no broken example.
    let tested = shell.run(&mut tests);
    shell.run(&mut shell.cargo(&format!("test {TESTED} --doc --no-fail-fast")))?;
    tested
}

fn boards(shell: &Shell) -> Result<()> {
    setup::system(shell)?;
    setup::python(shell)?;
    setup::package(shell)?;
    setup::npm(shell, setup::INSPECTOR)?;
    setup::npm(shell, setup::DEBUG_CLIENT)?;
    // Boards wait for their lines most of the time.
    shell.run(&mut cargo_test(shell, "--test-threads 6", needs_setup)?)?;
    // Not captured, for the line about a plugin that is missing.
    let how = "--test debug_boards --run-ignored only --no-capture";
    let mut neovim = nextest::command(shell, &format!("{TESTED} {how}"))?;
    shell.run(neovim.args(["-E", "test(nvim_dap)"]))
}

/// Its tests say which images cannot be had. One emulator takes a processor, so all commands run there in a whole run alone, and
/// otherwise only those whose power is cut.
fn pico(shell: &Shell) -> Result<()> {
    setup::python(shell)?;
    let is_whole = std::env::var_os("FLYLEAD_WHOLE").is_some();
    let commands = if is_whole { "pico" } else { "power::" };
    let suites = "--test pico_boards --test flash --test command_boards --test debug_boards";
    // Not captured, for the lines about images that are missing.
    let how = "--run-ignored only --no-capture";
    let mut tests = nextest::command(shell, &format!("{TESTED} {suites} {how}"))?;
    shell.run(tests.args([
        "-E",
        &format!("test(pico) - binary(command_boards) | binary(command_boards) & test({commands})"),
    ]))
}

fn python(shell: &Shell) -> Result<()> {
    setup::system(shell)?;
    wheel::test(shell)
}

fn shell_commands(shell: &Shell) -> Result<()> {
    setup::system(shell)?;
    setup::python(shell)?;
    shell.run(&mut cargo_test(shell, "--test-threads 3", runs_commands)?)
}

/// By its name: processes that ignore signals, sandboxes, attempts to get out of them, the tools of an LLM in them.
fn runs_commands(suite: &str) -> bool {
    suite.starts_with("shell")
}

/// By its name: `boards`, `command_boards`, …; and the MCP server's, whose clients come from Python and npm.
fn needs_setup(suite: &str) -> bool {
    suite.contains("board") || suite == "mcp"
}

/// All but what is tested in browsers and by Python.
const TESTED: &str = "--workspace --exclude flylead-wasm --exclude flylead-python";

/// Builds the command that runs `more` and the selected suites, in one go.
fn cargo_test(shell: &Shell, more: &str, is_wanted: fn(&str) -> bool) -> Result<Command> {
    let mut test = nextest::command(shell, &format!("{TESTED} {more}"))?;
    for target in Target::list(shell)? {
        if target.kind == "test" && target.package != "flylead-wasm" && is_wanted(&target.name) {
            test.args(["--test", &target.name]);
        }
    }
    Ok(test)
}

/// Builds the reference of the crates into `target/doc`.
pub(crate) fn rustdoc(shell: &Shell) -> Result<()> {
    let mut docs =
        shell.cargo("doc --quiet --workspace --exclude xtask --exclude flylead-wasm --no-deps");
    shell.run(docs.env("RUSTDOCFLAGS", "-D warnings"))
}

fn docs(shell: &Shell) -> Result<()> {
    docs::site(shell, &docs::Options::whole())?;
    let mut docs = wasm_test::cargo(shell, "doc --quiet --no-deps -p flylead-wasm");
    shell.run(docs.env("RUSTDOCFLAGS", "-D warnings"))
}

fn wasm_crate(shell: &Shell) -> Result<()> {
    setup::system(shell)?;
    wasm_test::everywhere(shell)
}

fn package(shell: &Shell) -> Result<()> {
    setup::system(shell)?;
    setup::python(shell)?;
    wasm::package(shell)?;
    wasm::example(shell)?;
    // A page's WebSockets are tried with the real server, and the soak needs a real board.
    programs(shell)?;
    shell.say("driving the package");
    again::node(shell, &shell.path("wasm"), &["--test-timeout=600000"])
}

/// Takes the pictures of the READMEs and of the guide, in a browser and in VS Code with a real board.
pub(crate) fn pictures(shell: &Shell) -> Result<()> {
    vscode::pictures(shell)?;
    setup::system(shell)?;
    setup::python(shell)?;
    setup::npm(shell, "tests/browser")?;
    build(shell)?;
    shell.say("taking the pictures of the README and the guide");
    shell.run(
        shell
            .command("node", &["screenshot.js"])
            .current_dir(shell.path("tests/browser")),
    )
}

fn page(shell: &Shell) -> Result<()> {
    setup::system(shell)?;
    setup::python(shell)?;
    setup::npm(shell, "tests/browser")?;
    build(shell)?;
    shell.say("driving the page");
    let options = ["--test-concurrency=2", "--test-timeout=600000"];
    again::node(shell, &shell.path("tests/browser"), &options)
}

/// Longer than any step has ever needed on two cores, so that a hang ends with its log on the screen. The page needed 24
/// minutes on a machine that was busy otherwise, and ten on most.
const STEP_LIMIT: Duration = Duration::from_secs(30 * 60);

#[cfg(test)]
mod tests {
    use super::not_run;

    #[test]
    fn what_is_required_and_cannot_be_run_is_a_fault() {
        let log = "test a ... skipped: x\nskipped: NOT RUN: pico v1.28: no image\n";
        assert_eq!(not_run(log, &[]), None);
        assert_eq!(not_run(log, &["unix".into()]), None);
        let why = not_run(log, &["pico".into()]);
        assert_eq!(
            why.as_deref(),
            Some("skipped: NOT RUN: pico v1.28: no image")
        );
    }
}
