//! The report, which can be shared: it has no password, no serial number and no path of this computer.

use std::{env::consts, fmt::Write as _, time::Duration};

use serde_json::{Value, json};

use super::check::Ran;
use crate::terminal;

/// Outcome of a check.
pub(super) enum Outcome {
    Passed,
    Failed {
        why: String,
        ran: Box<Ran>,
    },
    /// The board cannot do it.
    Skipped(&'static str),
    /// The board no longer answers.
    NotRun,
}

/// A completed check.
pub(super) struct Result {
    pub(super) suite: &'static str,
    pub(super) name: &'static str,
    pub(super) outcome: Outcome,
    pub(super) time: Duration,
}

/// Results of a whole run.
#[derive(Default)]
pub(super) struct Report {
    /// Description of the board, by the names of `flylead info`.
    pub(super) board: Vec<(String, String)>,
    /// Kind of the link.
    pub(super) link: &'static str,
    pub(super) results: Vec<Result>,
}

impl Outcome {
    const fn word(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed { .. } => "FAILED",
            Self::Skipped(_) => "skipped",
            Self::NotRun => "not run",
        }
    }
}

impl Result {
    /// Returns a line for people.
    pub(super) fn line(&self) -> String {
        let (word, suite, name) = (self.outcome.word(), self.suite, self.name);
        let seconds = self.time.as_secs_f32();
        let why = match &self.outcome {
            Outcome::Failed { why, .. } => format!("\n           {}", terminal::name(why)),
            Outcome::Skipped(why) => format!(" ({why})"),
            Outcome::Passed | Outcome::NotRun => String::new(),
        };
        format!("{word:<8} {seconds:>5.1} s  {suite}: {name}{why}\n")
    }
}

impl Report {
    pub(super) fn count(&self, is_it: impl Fn(&Outcome) -> bool) -> usize {
        let results = self.results.iter();
        results.filter(|result| is_it(&result.outcome)).count()
    }

    /// Returns true if every check passed, except for those that the board cannot do.
    pub(super) fn is_well(&self) -> bool {
        self.count(|it| matches!(it, Outcome::Failed { .. } | Outcome::NotRun)) == 0
    }

    pub(super) fn summary(&self) -> String {
        let words = ["passed", "FAILED", "skipped", "not run"];
        let counted = words.map(|word| (self.count(|it| it.word() == word), word));
        let counted = counted.into_iter().filter(|(count, _)| *count > 0);
        let counted = counted.map(|(count, word)| format!("{count} {}", word.to_lowercase()));
        counted.collect::<Vec<_>>().join(", ")
    }

    fn facts(&self) -> Vec<(String, String)> {
        let of = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let system = format!("{} {}", consts::OS, consts::ARCH);
        let mut facts = vec![
            of("flylead", env!("CARGO_PKG_VERSION")),
            of("this computer", &system),
            of("link", self.link),
        ];
        facts.extend(self.board.iter().cloned());
        facts
    }

    pub(super) fn as_json(&self) -> Value {
        let result = |it: &Result| {
            let mut value = json!({
                "suite": it.suite, "name": it.name, "outcome": it.outcome.word().to_lowercase(),
                "seconds": it.time.as_secs_f64(),
            });
            match &it.outcome {
                Outcome::Failed { why, ran } => {
                    value["why"] = json!(why);
                    value["line"] = json!(ran.line);
                }
                Outcome::Skipped(why) => value["why"] = json!(why),
                Outcome::Passed | Outcome::NotRun => {}
            }
            value
        };
        let facts = self
            .facts()
            .into_iter()
            .map(|(name, value)| (name, json!(value)));
        json!({
            "ok": self.is_well(), "facts": Value::Object(facts.collect()),
            "checks": self.results.iter().map(result).collect::<Value>(),
        })
    }

    /// Returns the report as Markdown.
    pub(super) fn as_markdown(&self) -> String {
        let mut text = format!(
            "# flylead selftest: {}\n\n| | |\n|---|---|\n",
            self.summary()
        );
        for (name, value) in self.facts() {
            let _ = writeln!(text, "| {name} | {} |", value.replace('|', "\\|"));
        }
        text.push_str("\n```text\n");
        for result in &self.results {
            text.push_str(&result.line());
        }
        text.push_str("```\n");
        for result in &self.results {
            if let Outcome::Failed { why, ran } = &result.outcome {
                text.push_str(&failure(result, why, ran));
            }
        }
        text
    }
}

fn failure(result: &Result, why: &str, ran: &Ran) -> String {
    let Ran {
        line,
        stdout,
        stderr,
        trace,
        ..
    } = ran;
    let mut text = format!("\n## {}: {}\n\n{why}\n", result.suite, result.name);
    for (title, part) in [
        ("line", line),
        ("stdout", stdout),
        ("stderr", stderr),
        ("the end of its conversation with the board", trace),
    ] {
        if !part.is_empty() {
            let indented = part.trim_end().replace('\n', "\n    ");
            let _ = write!(text, "\n{title}:\n\n    {indented}\n");
        }
    }
    text
}
