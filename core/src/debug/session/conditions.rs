//! Conditions for stops at exceptions, which the board evaluates in the frame that raised or caught them.

use alloc::{format, string::String};

use super::{Event, Reason, Session, Stop, exchange::Expected, inspect::numbered};
use crate::{
    Instant,
    debug::{
        rewrite::Dialect,
        source::{free_names, is_expression},
        wire::quote,
    },
};

/// Expressions that must be true for the program to stop at an exception, which they call `__exception__`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExceptionConditions {
    /// Condition for exceptions that are raised.
    pub raised: Option<String>,
    /// Condition for exceptions that nothing catches.
    pub uncaught: Option<String>,
}

/// Stop at an exception whose condition is not known yet.
#[derive(Debug)]
pub(super) struct Undecided {
    stop: Stop,
    condition: String,
}

impl Session {
    /// Sets conditions for stops at exceptions. Returns false, and changes nothing, if one is not an expression.
    pub fn set_exception_conditions(&mut self, conditions: ExceptionConditions) -> bool {
        let texts = [&conditions.raised, &conditions.uncaught];
        let are_valid = texts.into_iter().flatten().all(|text| is_expression(text));
        if are_valid {
            self.conditions = conditions;
        }
        are_valid
    }

    /// Asks the board for the condition of a stop at an exception. Returns false if there is none.
    pub(super) fn decide(&mut self, now: Instant, stop: &Stop) -> bool {
        let condition = match stop.reason {
            Reason::Raised => &self.conditions.raised,
            Reason::Uncaught => &self.conditions.uncaught,
            _ => &None,
        };
        // The module's own exception has ended it, and is known by its message alone.
        let is_known = self.dialect() == Dialect::Walrus && self.final_exception.is_none();
        let Some(condition) = condition.clone().filter(|_| is_known) else {
            return false;
        };
        let Some(value) = self.condition(&condition) else {
            return false;
        };
        let reply = self.name("R");
        self.undecided = Some(Undecided {
            stop: stop.clone(),
            condition,
        });
        let command = format!("{reply}('v',[('bool',repr(bool({value})),0,0)])");
        self.ask(now, &command, Expected::Condition);
        true
    }

    /// Converts a condition to an expression of the debugger's own.
    fn condition(&self, condition: &str) -> Option<String> {
        let (module, id) = self.frame_at(0).ok()?;
        let text = &self.project.files().get(module)?.module;
        let condition = text.with_constants(condition);
        let (read, _) = free_names(&condition)?;
        let (names, numbers) = numbered(text.function(id), read.iter());
        let names: String = names.iter().map(|name| format!(",{name}")).collect();
        let function = quote(&format!("lambda __exception__{names}:({condition}\n)"));
        let [globals, frames, exception] = ["g", "L", "E"].map(|letter| self.name(letter));
        let numbers = super::breakpoints::tuple(numbers);
        Some(format!(
            "eval({function},{globals}[{module}])({exception},*[{frames}[0].g(i)for i in{numbers}])"
        ))
    }

    pub(super) fn decided(&mut self, now: Instant, is_wanted: bool) {
        let Some(Undecided { stop, .. }) = self.undecided.take() else {
            return;
        };
        match is_wanted || self.asked.pause {
            true => self.stop_there(now, stop),
            false => self.type_line(now, "c"),
        }
    }

    /// Stops where a condition has no value, and tells why.
    pub(super) fn undecidable(&mut self, now: Instant, why: &str) {
        let Some(Undecided { stop, condition }) = self.undecided.take() else {
            return;
        };
        if let Some(frame) = stop.frames.first() {
            self.tell(Event::Log {
                module: frame.module,
                line: frame.line,
                text: format!("{condition}: {why}"),
            });
        }
        self.stop_there(now, stop);
    }
}
