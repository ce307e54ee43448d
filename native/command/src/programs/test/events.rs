//! Results for programs: one JSON object per line.

use std::io;

use flylead_native::testing::{Event, Status, TestFile};
use serde_json::json;

use super::{
    Exit,
    files::Collected,
    results::{Results, name, words},
};
use crate::terminal::print_line;

/// Writes each event as a line.
#[derive(Debug)]
pub(super) struct Events {
    boards: Vec<String>,
}

impl Events {
    pub(super) fn new(boards: Vec<String>) -> Self {
        Self { boards }
    }

    pub(super) fn begin(&self, collected: &Collected) -> io::Result<()> {
        let (tests, deselected) = (collected.count(), collected.deselected);
        print_line(json!({
            "event": "collected", "tests": tests, "files": collected.files.len(), "deselected": deselected,
        }))?;
        for (path, remark) in &collected.remarks {
            print_line(json!({
                "event": "warning", "file": name(path), "line": remark.line, "message": remark.message,
            }))?;
        }
        for (path, error) in &collected.broken {
            print_line(json!({
                "event": "test", "file": name(path), "outcome": "error", "message": error.to_string(),
            }))?;
        }
        Ok(())
    }

    pub(super) fn tell(&self, event: &Event, files: &[TestFile]) -> io::Result<()> {
        match event {
            Event::Began { board, file } => print_line(json!({
                "event": "file", "file": name(&files[*file].path), "board": self.boards[*board],
            })),
            Event::Ended {
                board,
                file,
                report,
            } => {
                let (_, outcome, _) = words(report.status);
                let test = report.test.as_ref();
                print_line(json!({
                    "event": "test",
                    "file": name(&files[*file].path),
                    "test": test.map(|test| test.name()),
                    "line": report.line.or(test.map(|test| test.line)),
                    "board": board.map(|board| &self.boards[board]),
                    "outcome": outcome,
                    "seconds": report.took.as_secs_f64(),
                    "message": report.message,
                    "traceback": report.details,
                    "printed": report.printed,
                }))
            }
            Event::Restarted { board, why } => print_line(json!({
                "event": "restarted", "board": self.boards[*board], "message": why,
            })),
            Event::Lost { board, why } => print_line(json!({
                "event": "lost", "board": self.boards[*board], "message": why,
            })),
            _ => Ok(()),
        }
    }

    pub(super) fn end(&self, results: &Results, exit: Exit) -> io::Result<()> {
        print_line(json!({
            "event": "end",
            "passed": results.count(Status::Passed),
            "failed": results.count(Status::Failed),
            "errors": results.count(Status::Error),
            "skipped": results.count(Status::Skipped),
            "xfailed": results.count(Status::ExpectedFailure),
            "xpassed": results.count(Status::UnexpectedPass),
            "seconds": results.took.as_secs_f64(),
            "outcome": exit.code(),
        }))
    }
}
