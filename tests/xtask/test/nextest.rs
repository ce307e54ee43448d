//! Tests of Rust, run by cargo-nextest: each in a process of its own, those of all suites beside each other, and again
//! when they fail. `tests/nextest.toml` has the rules.

use crate::build::tools::Tool;
use crate::shell::{Shell, has};
use anyhow::Result;
use std::process::Command;

/// The runner, where this computer has none.
const TOOL: Tool = Tool {
    name: "cargo-nextest",
    version: "0.9.143",
    about: "which runs tests",
};

/// Builds the runner, unless this computer has one.
pub(crate) fn install(shell: &Shell) -> Result<()> {
    if !has("cargo-nextest") {
        TOOL.program(shell)?;
    }
    Ok(())
}

/// Builds the command that runs the tests of a choice of cargo's targets.
pub(crate) fn command(shell: &Shell, choice: &str) -> Result<Command> {
    let arguments = format!("nextest run --config-file tests/nextest.toml {choice}");
    if has("cargo-nextest") {
        return Ok(shell.cargo(&arguments));
    }
    let program = TOOL.program(shell)?;
    let mut command = shell.command(program, &[]);
    command.args(arguments.split(' '));
    Ok(command)
}

/// Tests that failed and passed later, by a run's log: `FLAKY 2/3 [   0.012s] (1/2) package::suite module::test`.
pub(crate) fn flaky(log: &str) -> impl Iterator<Item = String> {
    let lines = log
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("FLAKY "));
    lines.map(|line| {
        let place = line.rsplit(['[', ']', ')']).next().unwrap_or(line);
        place.trim().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::flaky;

    #[test]
    fn tests_that_passed_later_are_named() {
        let log = "  TRY 1 FAIL [   0.010s] (1/9) flylead::hub a::b\n\
                   \u{20}  FLAKY 2/3 [   0.012s] (9/9) flylead::hub a::b\n\
                   \u{20}  FLAKY 3/3 [  10.000s] flylead-core c\n        FAIL [   0.1s] flylead::hub d\n";
        assert_eq!(
            flaky(log).collect::<Vec<_>>(),
            ["flylead::hub a::b", "flylead-core c"]
        );
    }
}
