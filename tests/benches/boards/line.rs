//! One line of the table: both tools in turn, the median of each, and the ratio.

use std::time::Duration;

use super::{
    board::{Bench, Cost, Kind, Tool},
    task::Task,
};

/// Result of one task on one board.
pub(crate) struct Line {
    name: String,
    ours: Result<Cost, String>,
    theirs: Result<Cost, String>,
    rounds: usize,
}

impl Line {
    /// The first two rows of a table.
    pub(crate) fn head(kind: Kind) -> [String; 2] {
        let (on_board, rule) = match kind {
            Kind::Pico => (" | board's time, mpremote | flylead", "|---|---"),
            Kind::Microbit | Kind::Unix => ("", ""),
        };
        [
            format!(
                "| | mpremote | flylead | times as fast | bytes to and from the board, mpremote | flylead{on_board} | rounds |"
            ),
            format!("|---|---|---|---|---|---{rule}|---|"),
        ]
    }

    pub(crate) fn measure(bench: &Bench, task: &Task, rounds: usize) -> Self {
        let name = task.name();
        if let Some(reason) = task.unable(bench.kind) {
            let (ours, theirs) = (Err(reason.into()), Err(reason.into()));
            let rounds = 0;
            return Self {
                name,
                ours,
                theirs,
                rounds,
            };
        }
        let mut theirs = Turns::new(Tool::Mpremote);
        let mut ours = Turns::new(Tool::Flylead);
        for round in 0..rounds as u64 {
            theirs.take(bench, task, 2 * round);
            ours.take(bench, task, 2 * round + 1);
        }
        Self {
            name,
            theirs: theirs.result(),
            ours: ours.result(),
            rounds,
        }
    }

    /// The row of the table of a kind of board.
    pub(crate) fn row(&self, kind: Kind) -> String {
        let times = match (&self.ours, &self.theirs) {
            (Ok(ours), Ok(theirs)) => {
                format!("{:.2}", theirs.time.as_secs_f64() / ours.time.as_secs_f64())
            }
            _ => "".into(),
        };
        let [their_time, our_time] = [&self.theirs, &self.ours].map(|cost| match cost {
            Ok(cost) => seconds(cost.time),
            Err(reason) => format!("n/a: {reason}"),
        });
        let [their_bytes, our_bytes] = [&self.theirs, &self.ours].map(|cost| match cost {
            Ok(cost) => format!("{} + {}", cost.to_board, cost.from_board),
            Err(_) => String::new(),
        });
        let on_board = [&self.theirs, &self.ours].map(|cost| {
            let on_board = cost.as_ref().ok().and_then(|cost| cost.on_board);
            match (kind, on_board) {
                (_, Some(time)) => format!(" | {} ms", time.as_millis()),
                (Kind::Pico, None) => " | ".into(),
                (Kind::Microbit | Kind::Unix, None) => String::new(),
            }
        });
        format!(
            "| {} | {their_time} | {our_time} | {times} | {their_bytes} | {our_bytes}{} | {} |",
            self.name,
            on_board.concat(),
            self.rounds
        )
    }
}

/// Turns of one tool. Once it has failed it has no more.
struct Turns {
    tool: Tool,
    costs: Vec<Cost>,
    error: Option<String>,
}

impl Turns {
    const fn new(tool: Tool) -> Self {
        Self {
            tool,
            costs: Vec::new(),
            error: None,
        }
    }

    /// Takes one turn, with content of its own.
    fn take(&mut self, bench: &Bench, task: &Task, seed: u64) {
        if self.error.is_some() {
            return;
        }
        let words = task.prepare(bench, self.tool, seed);
        match bench.run(self.tool, &words) {
            Ok(cost) => {
                task.check(bench, self.tool, seed);
                self.costs.push(cost);
            }
            Err(error) => self.error = Some(error),
        }
    }

    /// The turn whose time is in the middle.
    fn result(mut self) -> Result<Cost, String> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.costs.sort_by_key(|cost| cost.time);
        Ok(self.costs[self.costs.len() / 2])
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
