//! Ends a session and removes everything that it left on the board.

use alloc::{format, string::ToString};

use super::{
    End, Event, Exceptions, Note, Phase, Session,
    outcome::{Hooked, translate},
};
use crate::{
    debug::{
        rewrite::{Dialect, LETTERS},
        source::FunctionId,
        wire::quote,
    },
    raw_repl::Traceback,
};

impl Session {
    /// Handles the end of the program by an exception.
    pub(super) fn raised(&mut self, traceback: &Traceback) {
        let traceback = self.translated(traceback);
        let is_end = self.asked.terminate && traceback.is_interrupt();
        if is_end {
            self.clean(End::Terminated);
        } else if self.is_news(&traceback) {
            self.look_at(&traceback);
            self.ending = Some(End::Raised(traceback));
        } else {
            self.clean(End::Raised(traceback));
        }
    }

    /// Returns true for an exception that should have stopped the program but did not: the module's own statements
    /// raised it, and all their variables still exist.
    fn is_news(&self, traceback: &Traceback) -> bool {
        let Exceptions { raised, uncaught } = self.launch.exceptions;
        let is_known = self.last_exception.as_ref() == Some(&traceback.exception);
        let is_pause = self.asked.pause && traceback.is_interrupt();
        (raised || uncaught || is_pause) && !is_known && !self.asked.terminate
    }

    /// Stops once more, in the module's own frame, after the program has ended with an exception.
    fn look_at(&mut self, traceback: &Traceback) {
        let line = traceback.frames.first().map_or(0, |frame| frame.line);
        let stop = match self.dialect() {
            Dialect::Walrus => {
                let [dictionary, stop, frame] = ["D", "s", "f0"].map(|letter| self.name(letter));
                let note = self.names.line();
                format!("{note}={line}\n{dictionary}['{stop}']({frame},'x',0)\n")
            }
            Dialect::Old => {
                let [frame, hook] = ["f", "d"].map(|letter| self.name(letter));
                format!("{frame}.l={line}\n{hook}({frame},Exception())\n")
            }
        };
        let message = traceback.text.lines().last().unwrap_or_default();
        self.final_exception = Some(message.to_string());
        self.is_between = true;
        self.exec(stop);
    }

    pub(super) fn translated(&self, traceback: &Traceback) -> Traceback {
        let files = self.project.files();
        let name = |at: &(usize, FunctionId)| files[at.0].module.function(at.1).name.as_str();
        let hooked = Hooked {
            prefix: self.names.prefix(),
            dialect: self.dialect(),
            functions: self.hooked.iter().map(name).collect(),
        };
        translate(traceback, &self.project, &self.map, &hooked)
    }

    /// Removes everything of this crate from the board.
    pub(super) fn clean(&mut self, end: End) {
        self.phase = Phase::Cleaning;
        self.ending = Some(end);
        let dictionary = self.name("D");
        let program = match self.dialect() {
            Dialect::Walrus => {
                let unload = self.name("U");
                let unload = format!("if'{unload}'in globals():{unload}()\n");
                format!(
                    "try:exec({},{dictionary})\nexcept Exception:pass\ntry:del __import__('builtins').{dictionary}\nexcept Exception:globals().pop('{dictionary}',0)\n",
                    quote(&(unload + &self.runtime().leave()))
                )
            }
            Dialect::Old => {
                let letter = self.name("T");
                format!(
                    "for {letter} in'{LETTERS}':globals().pop('{}'+{letter},0)\ndel {letter}\n",
                    self.names.prefix()
                )
            }
        };
        self.exec(program);
    }

    /// Cleans up after the inspection of the final exception.
    pub(super) fn clean_at_last(&mut self) {
        let end = self.ending.take().filter(|_| !self.asked.terminate);
        self.clean(end.unwrap_or(End::Terminated));
    }

    pub(super) fn cleaned(&mut self) {
        let end = self.ending.take().unwrap_or(End::Completed);
        self.end(end);
    }

    pub(super) fn end(&mut self, end: End) {
        if self.phase == Phase::Over {
            return;
        }
        self.forget_stop();
        self.phase = Phase::Over;
        self.deadline = None;
        let end = match (self.ending.take(), end) {
            // The program has said why it ended, and a board that is lost afterwards does not change that.
            (Some(raised @ End::Raised(_)), End::Lost(reason)) => {
                self.tell(Event::Note(Note::NotCleaned { reason }));
                raised
            }
            (None, end) | (Some(_), end @ End::Lost(_)) => end,
            (Some(ending), _) => ending,
        };
        self.tell(Event::Ended(end));
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::{
        Instant,
        debug::{Launch, Project, Reach, session::Action},
        raw_repl::{self, LostReason},
    };

    /// Returns the events of a session whose program ended like this, on a board that is lost before it is cleaned.
    fn lost_after(end: End) -> Vec<Event> {
        let project = Project::new("main.py", "x = 1\n").expect("it is Python");
        let launch = Launch {
            stop_on_entry: false,
            exceptions: Exceptions::default(),
            reach: Reach::default(),
            parts: false,
            arguments: Vec::new(),
            token: "5a17c0de".into(),
        };
        let mut session = Session::new(project, launch);
        session.clean(end);
        let reason = LostReason::Closed;
        session.handle_event(Instant::START, &raw_repl::Event::Lost { reason });
        let events = core::iter::from_fn(|| session.poll_action());
        let told = |action| match action {
            Action::Tell(event) => Some(event),
            _ => None,
        };
        events.filter_map(told).collect()
    }

    #[test]
    fn the_exception_of_a_program_outlives_its_board() {
        let raised = End::Raised(Traceback::parse(b"ValueError: closed\n"));
        let reason = LostReason::Closed;
        let note = Event::Note(Note::NotCleaned { reason });
        let expected = [note, Event::Ended(raised.clone())];
        assert_eq!(lost_after(raised), expected);
        let lost = [Event::Ended(End::Lost(LostReason::Closed))];
        assert_eq!(lost_after(End::Completed), lost);
    }
}
