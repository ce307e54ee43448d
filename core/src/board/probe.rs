//! Finds out what a board can do, once for each connection.

use alloc::{string::String, vec::Vec};

use super::{
    Answer, Capabilities, Error,
    job::{Job, JobContext, Step},
};
use crate::raw_repl::Outcome;

/// It also unmounts what a killed `mpremote mount` has left: a file system whose other end is gone. Each use of it, such as
/// an `import`, would wait for an answer with Ctrl-C off (mpremote v1.29 `transport_serial.py`, `RemoteCommand`).
const PROBE: &str = include_str!("python/probe.py");
/// How many bytes of the answer are kept; it has 200.
const ANSWER_LIMIT: usize = 4096;

/// Asks what the board can do.
#[derive(Debug, Default)]
pub(super) struct Probe {
    output: Vec<u8>,
}

impl Job for Probe {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        Step::RunShort(String::from(PROBE))
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        let room = ANSWER_LIMIT - self.output.len();
        self.output
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        Step::Wait
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        Step::Done(match Error::from_outcome(&outcome) {
            Some(error) => Err(error),
            None => Capabilities::parse(&self.output)
                .map(Answer::Capabilities)
                .ok_or(Error::BadAnswer),
        })
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
        // What is beyond the limit is dropped, and so the answer is what is before it.
        let step = probe.on_end(Outcome::Completed, &context);
        assert!(matches!(step, Step::Done(Ok(_))), "{step:?}");
    }
}
