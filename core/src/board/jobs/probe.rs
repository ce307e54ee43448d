//! Determines a board's capabilities, once for each connection.
//!
//! The full probe takes a board as long as half a kilobyte of content. If an earlier connection has stored its answer,
//! the board reports only its build and its free memory; if the build differs or is missing, the full probe follows.

use alloc::{format, string::String, vec::Vec};

use super::{Job, JobContext, Step, keep};
use crate::{
    board::{Answer, Capabilities, Error},
    raw_repl::Outcome,
};

/// Program of the full probe.
const PROBE: &str = include_str!("../python/probe.py");
/// Program that reports the build and the free memory.
const IDENTIFY: &str = include_str!("../python/identify.py");
/// Unmounts the file system that a killed `mpremote mount` left behind, whose peer is gone. Each access to it, such as an
/// `import`, would wait for an answer with Ctrl-C off (mpremote v1.29 `transport_serial.py`, `RemoteCommand`).
const RELEASE: &str = include_str!("../python/release.py");
/// Size limit of the answer, in bytes; a real one has 200.
const ANSWER_LIMIT: usize = 4096;

/// Returns the line that ends a program where such a file system is still mounted: it has no `statvfs`. The class alone,
/// which mpremote always leaves behind, is harmless. The program has `builtins` as `b`, and `os` stands for its module.
/// A board's `dir` returns the global names inside a function, too (MicroPython v1.28 `py/modbuiltins.c`, `mp_builtin_dir`).
pub(super) fn guard(os: &str) -> String {
    format!("'RemoteFS'in b.dir()and {os}.statvfs('/remote')\n")
}

/// Queries the board's capabilities.
#[derive(Debug, Default)]
pub(in crate::board) struct Probe {
    /// Answer of an earlier connection, until the board turns out to differ.
    remembered: Option<Capabilities>,
    /// True once a file system that mpremote left behind is to be unmounted first.
    releases: bool,
    output: Vec<u8>,
}

/// Result of one of the probe's programs.
#[derive(Debug, PartialEq, Eq)]
enum Learned {
    Known(Capabilities),
    /// The next question follows.
    AskAgain,
    Nothing,
}

impl Probe {
    pub(in crate::board) fn new(remembered: Option<Capabilities>) -> Self {
        Self {
            remembered,
            ..Self::default()
        }
    }

    /// Handles the end of the program.
    fn end(&mut self, is_completed: bool) -> Learned {
        let said = Capabilities::parse(&core::mem::take(&mut self.output));
        let releases = core::mem::replace(&mut self.releases, !is_completed);
        match (self.remembered.take(), said.filter(|_| is_completed)) {
            (Some(remembered), Some(said)) if is_same(&remembered, &said) => {
                Learned::Known(Capabilities {
                    free_memory: said.free_memory,
                    ..remembered
                })
            }
            (Some(_), _) => Learned::AskAgain,
            (None, Some(said)) => Learned::Known(said),
            (None, None) if releases => Learned::Nothing,
            (None, None) => Learned::AskAgain,
        }
    }
}

fn is_same(remembered: &Capabilities, said: &Capabilities) -> bool {
    !said.build.is_empty() && said.build == remembered.build
}

impl Job for Probe {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        let before = match self.releases {
            true => RELEASE.into(),
            false => ["import builtins as b\n", &guard("b.__import__('uos')")].concat(),
        };
        let question = match self.remembered {
            Some(_) => IDENTIFY,
            None => PROBE,
        };
        Step::RunShort([&before, question].concat())
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        keep(&mut self.output, &bytes, ANSWER_LIMIT);
        Step::Wait
    }

    fn on_end(&mut self, outcome: Outcome, context: &JobContext<'_>) -> Step {
        let failed = Error::from_outcome(&outcome);
        if let Some(Error::Restarted | Error::Cancelled | Error::Stalled) = failed {
            return Step::Done(Err(failed.unwrap_or(Error::BadAnswer)));
        }
        match self.end(failed.is_none()) {
            Learned::Known(known) => Step::Done(Ok(Answer::Capabilities(known))),
            Learned::AskAgain => self.start(context),
            Learned::Nothing => Step::Done(Err(failed.unwrap_or(Error::BadAnswer))),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::Instant;

    #[test]
    fn a_board_that_talks_without_end_fills_no_memory() {
        let capabilities = Capabilities::default();
        let context = JobContext {
            now: Instant::START,
            capabilities: &capabilities,
            link_rate: None,
        };
        let mut probe = Probe::default();
        for _ in 0..1000 {
            probe.on_stdout(vec![b'x'; 1000], &context);
        }
        assert_eq!(probe.output.len(), ANSWER_LIMIT);
        // Data beyond the limit is dropped, so the answer is the part before it.
        let step = probe.on_end(Outcome::Completed, &context);
        assert!(matches!(step, Step::Done(Ok(_))), "{step:?}");
    }
}
