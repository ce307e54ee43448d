//! A file by each tool: the rates, and a line about them.

use super::{KIB, board::Bench, content::Kind, in_turn, median, tool::Tool};

/// Number of times that a file is sent. Fast transfers are repeated more often than those that take
/// seconds.
#[derive(Clone, Copy)]
pub(crate) struct Rounds {
    pub(crate) all: usize,
    /// A multiple of those.
    pub(crate) flylead: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Up,
    Down,
}

impl Way {
    const fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }
}

/// Times of one content for each tool.
pub(crate) struct Row {
    kind: Kind,
    way: Way,
    size: usize,
    /// In bytes a second.
    rates: Vec<(Tool, f64)>,
}

impl Row {
    pub(crate) fn measure(
        bench: &Bench,
        kind: Kind,
        way: Way,
        size: usize,
        rounds: Rounds,
    ) -> Self {
        let mut tools = Tool::ours();
        tools.push(Tool::Mpremote);
        if way == Way::Up {
            tools.push(Tool::Belay);
        }
        let mut times = vec![Vec::new(); tools.len()];
        for round in 0..rounds.flylead {
            let is_for_all = round % (rounds.flylead / rounds.all) == 0;
            let content = kind.content(round as u64, size);
            for (&tool, times) in in_turn(round, tools.iter().zip(&mut times)) {
                if matches!(tool, Tool::Mpremote | Tool::Belay) && !is_for_all {
                    continue;
                }
                times.push(match way {
                    Way::Up => bench.up(tool, &content),
                    Way::Down => bench.down(tool, &content),
                });
            }
        }
        let rates = times.into_iter().map(|times| size as f64 / median(times));
        let rates = tools.into_iter().zip(rates).collect();
        Self {
            kind,
            way,
            size,
            rates,
        }
    }

    fn rate(&self, tool: Tool) -> Option<f64> {
        let found = self.rates.iter().find(|(of, _)| *of == tool);
        found.map(|(_, rate)| *rate)
    }

    pub(crate) fn head() {
        println!(
            "{:<20} {:>12} {:>12} {:>12} {:>10} {:>10}",
            "KB/s, medians", "flylead", "mpremote", "belay", "mpremote", "belay"
        );
    }

    /// The rates and their ratios; or the share of a line's rate, if it is known.
    pub(crate) fn print(&self, line: Option<f64>) {
        let name = format!(
            "{} KiB {} {}",
            self.size / KIB,
            self.kind.name(),
            self.way.name()
        );
        let flylead = self.rate(Tool::Flylead).unwrap_or_default();
        let rate = |tool| {
            let rate = self.rate(tool);
            rate.map_or(String::new(), |rate| format!("{:.1}", rate / 1000.0))
        };
        let times = |tool| {
            let rate = self.rate(tool);
            rate.map_or(String::new(), |rate| format!("× {:.1}", flylead / rate))
        };
        println!(
            "{name:<20} {:>12} {:>12} {:>12} {:>10} {:>10}{}{}",
            rate(Tool::Flylead),
            rate(Tool::Mpremote),
            rate(Tool::Belay),
            times(Tool::Mpremote),
            times(Tool::Belay),
            line.map_or(String::new(), |line| format!(
                "   {:.1} % of the line",
                100.0 * flylead / line
            )),
            self.rate(Tool::Before).map_or(String::new(), |_| format!(
                "   before: {}",
                rate(Tool::Before)
            )),
        );
    }
}
