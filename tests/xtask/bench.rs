//! Benchmarks by name: programs `bench_NAME` of the test crate, and the benches of any crate.

use crate::setup;
use crate::shell::Shell;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;
use std::process::Command;

/// Which benchmark to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Its name, such as `exec`; without one, all names are listed
    name: Option<String>,
    /// More words for the benchmark
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Builds for release and runs one benchmark.
pub(crate) fn run(shell: &Shell, options: &Options) -> Result<()> {
    let benchmarks = Benchmark::list(shell)?;
    let Some(name) = &options.name else {
        return list(shell, &benchmarks);
    };
    let Some(benchmark) = benchmarks.iter().find(|benchmark| benchmark.name == *name) else {
        bail!(
            "no benchmark is called {name}; there are: {}",
            names(&benchmarks)
        );
    };
    setup::system(shell)?;
    setup::python(shell)?;
    shell.say("building for release");
    shell.run(&mut shell.cargo("build --quiet --release -p flylead"))?;
    shell.run(benchmark.command(shell).args(&options.rest))
}

fn list(shell: &Shell, benchmarks: &[Benchmark]) -> Result<()> {
    shell.say(&format!("cargo xtask bench {}", names(benchmarks)));
    Ok(())
}

fn names(benchmarks: &[Benchmark]) -> String {
    benchmarks
        .iter()
        .map(|benchmark| benchmark.name.as_str())
        .collect::<Vec<_>>()
        .join(" | ")
}

struct Benchmark {
    name: String,
    package: String,
    target: String,
    kind: String,
}

impl Benchmark {
    /// All benchmarks of the workspace, as cargo knows them.
    fn list(shell: &Shell) -> Result<Vec<Self>> {
        let metadata =
            shell.read(&mut shell.cargo("metadata --quiet --no-deps --format-version 1"))?;
        let metadata: Value =
            serde_json::from_str(&metadata).context("cargo metadata is not JSON")?;
        let packages = array(&metadata["packages"]);
        Ok(packages
            .flat_map(|package| {
                array(&package["targets"]).filter_map(|target| Self::of(package, target))
            })
            .collect())
    }

    fn of(package: &Value, target: &Value) -> Option<Self> {
        let kind = target["kind"][0].as_str()?.to_owned();
        let target = target["name"].as_str()?.to_owned();
        let name = match (target.strip_prefix("bench_"), kind.as_str()) {
            (Some(name), "bin" | "example" | "bench") => name.to_owned(),
            (None, "bench") => target.clone(),
            _ => return None,
        };
        Some(Self {
            name,
            package: package["name"].as_str()?.to_owned(),
            target,
            kind,
        })
    }

    fn command(&self, shell: &Shell) -> Command {
        let Self {
            package,
            target,
            kind,
            ..
        } = self;
        match kind.as_str() {
            "bench" => shell.cargo(&format!("bench --quiet -p {package} --bench {target} --")),
            kind => shell.cargo(&format!(
                "run --quiet --release -p {package} --{kind} {target} --"
            )),
        }
    }
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::Benchmark;
    use serde_json::json;

    fn name(kind: &str, target: &str) -> Option<String> {
        Benchmark::of(
            &json!({"name": "p"}),
            &json!({"kind": [kind], "name": target}),
        )
        .map(|benchmark| benchmark.name)
    }

    #[test]
    fn benchmarks_are_known_by_their_prefix_or_their_kind() {
        assert_eq!(name("bin", "bench_exec").as_deref(), Some("exec"));
        assert_eq!(name("bench", "decode").as_deref(), Some("decode"));
        assert_eq!(name("bin", "flylead"), None);
        assert_eq!(name("lib", "bench_exec"), None);
    }
}
