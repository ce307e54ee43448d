//! Benchmarks by name: programs `bench_NAME` of any crate, and the benches that cargo knows.

use crate::build::setup;
use crate::build::targets::Target;
use crate::build::wasm;
use crate::build::web;
use crate::build::wheel;
use crate::shell::Shell;
use anyhow::{Result, bail};
use clap::Args;
use std::process::Command;

/// Benchmark to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Name, such as `exec`; without one, all names are listed
    name: Option<String>,
    /// More words for the benchmark
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Builds for release and runs one benchmark.
pub(crate) fn run(shell: &Shell, options: &Options) -> Result<()> {
    let targets = Target::list(shell)?;
    let benchmarks = targets.iter().filter_map(Benchmark::of).collect::<Vec<_>>();
    let names = benchmarks
        .iter()
        .map(|benchmark| benchmark.name)
        .chain(PYTHON.iter().map(|(name, _)| *name))
        .chain([PAGE])
        .collect::<Vec<_>>()
        .join(" | ");
    let Some(name) = &options.name else {
        shell.say(&format!("cargo xtask bench {names}"));
        return Ok(());
    };
    if let Some((_, script)) = PYTHON.iter().find(|(known, _)| known == name) {
        return wheel::bench(shell, script, &options.rest);
    }
    if name == PAGE {
        return page(shell);
    }
    let Some(benchmark) = benchmarks.iter().find(|benchmark| benchmark.name == *name) else {
        bail!("no benchmark is called {name}; there are: {names}");
    };
    benchmark.run(shell, &options.rest)
}

const RELEASE: &str = "release";

/// Benchmarks in Python, in the package's folder.
const PYTHON: [(&str, &str); 1] = [("pytest", "benches/xdist.py")];

/// The one of the page, in JavaScript.
const PAGE: &str = "page";

/// Builds the page and the command that serves it, and measures both in a browser.
fn page(shell: &Shell) -> Result<()> {
    setup::system(shell)?;
    web::page(shell)?;
    for folder in ["tests/browser", "tests/tools/lighthouse"] {
        setup::npm(shell, folder)?;
    }
    shell.say("building the command");
    shell.run(&mut shell.cargo("build --quiet -p flylead --bin flylead"))?;
    let mut bench = shell.command("node", &["bench.js"]);
    shell.run(bench.current_dir(shell.path("tests/browser")))
}

struct Benchmark<'a> {
    name: &'a str,
    target: &'a Target,
}

impl<'a> Benchmark<'a> {
    fn of(target: &'a Target) -> Option<Self> {
        let name = match (target.name.strip_prefix("bench_"), target.kind.as_str()) {
            (Some(name), "bin" | "example" | "bench") => name,
            (None, "bench") => &target.name,
            _ => return None,
        };
        Some(Self { name, target })
    }

    fn run(&self, shell: &Shell, arguments: &[String]) -> Result<()> {
        setup::system(shell)?;
        setup::python(shell)?;
        shell.say("building for release");
        if self.profile() == RELEASE {
            shell.run(&mut shell.cargo("build --quiet --release -p flylead"))?;
        }
        let mut command = self.command(shell);
        if self.name == "decoders" {
            command.env("FLYLEAD_DECODERS", wasm::decoders(shell)?);
        }
        if self.name == "python" {
            command.env("FLYLEAD_PACKAGE", wheel::unpacked(shell)?);
        }
        shell.run(command.args(arguments))
    }

    /// The library beside the wheel that is made of it, by the same optimizer.
    fn profile(&self) -> &'static str {
        match self.name {
            "python" => wheel::PROFILE,
            _ => RELEASE,
        }
    }

    fn command(&self, shell: &Shell) -> Command {
        let Target {
            package,
            name,
            kind,
            features,
        } = self.target;
        let features = features.join(",");
        match kind.as_str() {
            "bench" => shell.cargo(&format!("bench --quiet -p {package} --bench {name} --")),
            kind => shell.cargo(&format!(
                "run --quiet --profile {} -p {package} --features={features} --{kind} {name} --",
                self.profile()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Benchmark, Target};

    fn name(kind: &str, name: &str) -> Option<String> {
        let target = Target {
            package: "p".into(),
            name: name.into(),
            kind: kind.into(),
            features: Vec::new(),
        };
        Benchmark::of(&target).map(|benchmark| benchmark.name.to_owned())
    }

    #[test]
    fn benchmarks_are_known_by_their_prefix_or_their_kind() {
        assert_eq!(name("bin", "bench_exec").as_deref(), Some("exec"));
        assert_eq!(name("bench", "decode").as_deref(), Some("decode"));
        assert_eq!(name("bin", "flylead"), None);
        assert_eq!(name("lib", "bench_exec"), None);
    }
}
