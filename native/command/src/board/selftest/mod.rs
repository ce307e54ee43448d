//! `flylead selftest`: tries this program's promises on a board.

mod bench;
mod check;
mod report;
mod suites;
mod traces;

use std::{fs, path::PathBuf, time::Instant};

use clap::Args;
use flylead_native::{disk, link::Address};
use serde_json::Value;

use crate::{
    Common, Exit, Failure,
    terminal::{interrupts::Interrupts, print},
};
use bench::Bench;
use check::{Check, Need, Ran, Step, run};
use report::{Outcome, Report};
use suites::SUITES;
use traces::State;

/// Test flylead on your board, and write a report
///
/// Tries programs, files, a mounted folder, a package, tests, the debugger, Ctrl-C and resets, in about a minute and
/// without any wiring. After each command the board must have the same names, modules and directory as before. The only
/// folder written to is flylead_selftest, which is removed at the end; the debugger and resets end your program on the
/// board. A board with a main.py gets only soft resets, which do not start it.
///
/// The report describes the board and the failures, with the commands that reproduce them; it contains no serial
/// number, password or path of this computer. Attach it to a bug report, or send it if your kind of board has never
/// been tested.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead selftest
  flylead selftest programs files            these suites alone
  flylead selftest --report selftest.md      for a bug report")]
pub(crate) struct Cmd {
    /// Suites to run: programs, files, mount, install, tests, debugger, interrupts, resets [default: all]
    #[arg(value_name = "SUITE", value_parser = suite)]
    suites: Vec<String>,

    /// Write a report to this file, as Markdown
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let mut interrupts = Interrupts::new()?;
        let mut bench = Bench::new(common)?;
        let board = Board::of(&mut bench, common).await?;
        let mut report = Report {
            board: board.facts.clone(),
            link: link(&common.address()),
            results: Vec::new(),
        };
        let work = self.checks(&bench, &board, common, &mut report);
        let done = interrupts.or(work).await;
        board.clean(&bench).await;
        done?;
        if let Some(path) = &self.report {
            disk::save(path, report.as_markdown().as_bytes())?;
        }
        print(match common.json {
            true => format!("{}\n", report.as_json()),
            false => format!("\n{}\n", report.summary()),
        })?;
        Ok(match report.is_well() {
            true => Exit::Done,
            false => Exit::TestsFailed,
        })
    }

    async fn checks(
        &self,
        bench: &Bench,
        board: &Board,
        common: &Common,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let is_wanted = |name| self.suites.is_empty() || self.suites.iter().any(|it| it == name);
        let mut answers = true;
        for suite in SUITES.iter().filter(|suite| is_wanted(suite.name)) {
            for check in suite.checks {
                let start = Instant::now();
                let outcome = match check.need.and_then(|need| board.lacks(need)) {
                    _ if !answers => Outcome::NotRun,
                    Some(why) => Outcome::Skipped(why),
                    None => take(bench, check).await,
                };
                if matches!(outcome, Outcome::Failed { .. }) {
                    answers = bench.run(&run(&["exec", "pass"])).await.exit == Some(0);
                }
                let result = report::Result {
                    suite: suite.name,
                    name: check.name,
                    outcome,
                    time: start.elapsed(),
                };
                if !common.json {
                    print(result.line())?;
                }
                report.results.push(result);
            }
        }
        Ok(())
    }
}

/// Runs a check, and looks for traces after each of its lines.
async fn take(bench: &Bench, check: &Check) -> Outcome {
    let failed = |why: String, ran: Ran| Outcome::Failed {
        why,
        ran: Box::new(ran),
    };
    let state = async || {
        State::of(bench)
            .await
            .map_err(|ran| failed("the board does not answer".into(), ran))
    };
    let mut before = match state().await {
        Ok(state) => state,
        Err(outcome) => return outcome,
    };
    for step in check.steps {
        let line = match step {
            Step::Run(line) => line,
            Step::Same(one, other) => {
                let read = |name| fs::read(bench.here(name)).ok();
                if read(one).is_none() || read(one) != read(other) {
                    return failed(format!("{one} and {other} differ"), Ran::default());
                }
                continue;
            }
        };
        let ran = bench.run(line).await;
        if let Some(why) = line.fault(&ran) {
            return failed(why, ran);
        }
        let after = match state().await {
            Ok(state) => state,
            Err(outcome) => return outcome,
        };
        if let Some(left) = before.difference(&after).filter(|_| !line.changes) {
            return failed(format!("it left something on the board: {left}"), ran);
        }
        before = after;
    }
    Outcome::Passed
}

/// A board and its abilities.
struct Board {
    facts: Vec<(String, String)>,
    has: Vec<Need>,
    has_main: bool,
}

impl Board {
    /// Queries the board, and makes a folder for the checks.
    async fn of(bench: &mut Bench, common: &Common) -> Result<Self, Failure> {
        let ran = bench.run(&run(&["--json", "info"])).await;
        let answer = (ran.exit, serde_json::from_str(&ran.stdout));
        let (Some(0), Ok(Value::Object(info))) = answer else {
            return Err(unreachable(&ran));
        };
        let facts = info.iter().filter(|(name, _)| *name != "unique_id");
        let facts = facts.map(|(name, value)| (name.clone(), words(value)));
        let facts = facts.collect();
        let ran = bench.run(&run(&["exec", ABILITIES])).await;
        let mut can = ran.stdout.split_whitespace().map(|word| word == "True");
        let mut next = || can.next().unwrap_or_default();
        let (files, folders, reset, has_main) = (next(), next(), next(), next());
        let all = [
            (Need::Files, files),
            (Need::Folders, folders),
            (Need::Reset, reset),
        ];
        let has = all
            .into_iter()
            .filter(|(_, has)| *has)
            .map(|(need, _)| need);
        let board = Self {
            facts,
            has: has.collect(),
            has_main,
        };
        board.make_room(bench, common).await?;
        Ok(board)
    }

    async fn make_room(&self, bench: &mut Bench, common: &Common) -> Result<(), Failure> {
        if !self.has.contains(&Need::Folders) {
            bench.there = ":flylead_selftest_";
            return Ok(());
        }
        let ran = bench.run(&run(&["mkdir", ":flylead_selftest"])).await;
        bench.there = ":flylead_selftest/";
        if ran.exit == Some(0) {
            return Ok(());
        }
        common.note(format_args!("cannot create :flylead_selftest on the board; if an earlier run left it there, `flylead rm -r :flylead_selftest` removes it"));
        Err(unreachable(&ran))
    }

    /// Removes the files of the checks, even after an interrupt.
    async fn clean(&self, bench: &Bench) {
        let lines: &[&[_]] = match self.has.contains(&Need::Folders) {
            true => &[&["rm", "-r", ":flylead_selftest"]],
            // A missing file does not keep the other from being removed.
            false => &[
                &["rm", ":flylead_selftest_random.bin"],
                &["rm", ":flylead_selftest_empty"],
            ],
        };
        for words in lines {
            bench.run(&run(words)).await;
        }
    }

    fn lacks(&self, need: Need) -> Option<&'static str> {
        match need {
            Need::Reset if self.has_main => Some("the board's main.py would run"),
            Need::Reset if !self.has.contains(&need) => Some("the board has no machine.reset"),
            Need::Files if !self.has.contains(&need) => Some("the board stores no files"),
            Need::Folders if !self.has.contains(&need) => Some("the board has no folders"),
            _ => None,
        }
    }
}

/// Returns the line's own failure, as nothing can be checked.
fn unreachable(ran: &Ran) -> Failure {
    let said = ran.stderr.trim();
    let said = said.strip_prefix("flylead: ").unwrap_or(said);
    let exit = ran.exit.and_then(Exit::with_code).unwrap_or(Exit::Lost);
    Failure::new(exit, said)
}

/// Returns a value as a person writes it.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(parts) => {
            let parts = parts
                .iter()
                .map(|(name, value)| format!("{name} {}", words(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// Returns the kind of a link, without its address.
const fn link(address: &Address) -> &'static str {
    match address {
        Address::Tcp(_) => "TCP",
        Address::Rfc2217 { .. } => "RFC 2217",
        Address::WebSocket { .. } => "WebSocket",
        Address::Unix(_) => "Unix socket",
        Address::Process(_) => "process",
        Address::Labgrid(_) => "labgrid",
        _ => "serial port",
    }
}

fn suite(name: &str) -> Result<String, String> {
    let names = SUITES.iter().map(|suite| suite.name);
    match names.clone().any(|it| it == name) {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "there are {}",
            names.collect::<Vec<_>>().join(", ")
        )),
    }
}

/// Prints what the board can do: store files, in folders, restart; and True if it has a main.py.
const ABILITIES: &str = "\
def f():
 global f
 del f
 try:
  import os
 except ImportError:
  import uos as os
 try:
  import machine
 except ImportError:machine=0
 print(hasattr(os,'remove'),hasattr(os,'mkdir'),hasattr(machine,'reset'),'main.py' in os.listdir())
f()";

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    every check passed, except those that the board cannot do
  1    checks failed
  2    the command line is wrong, or the report cannot be written
  3    there is no such board, or the link to it could not be opened
  4    the board was lost, or did not answer in time
  5    the board refused a folder for the checks
  7    another tool is using the board, and --no-wait ended the wait
  130  interrupted by Ctrl-C";
