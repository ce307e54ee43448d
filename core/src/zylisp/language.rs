//! The built-in language as an evaluator.

use alloc::{boxed::Box, format, string::String, sync::Arc};
use core::{mem, task::Waker};

use zylisp_lang::{Budget, Interpreter, Limits, Step};

use super::{
    answer::{Answer, Building},
    evaluator::{
        Abilities, BoxedEvaluator, Evaluator, EvaluatorFactory, Help, Outcome, Progress, Question,
        Task,
    },
};

/// The built-in language.
#[derive(Debug)]
pub struct Zylisp {
    interpreter: Interpreter,
    doing: Doing,
    interrupted: bool,
    /// True if the last answer was not the whole value.
    has_more: bool,
}

#[derive(Debug)]
enum Doing {
    Nothing,
    Running {
        page: usize,
        each_form: bool,
    },
    /// The value of a form is being prepared for sending; then the next form runs, if any.
    Answering {
        building: Building,
        page: usize,
        each_form: bool,
        ended: bool,
    },
    Told(Outcome),
}

impl Zylisp {
    /// Creates an evaluator with this environment.
    #[must_use]
    pub const fn new(interpreter: Interpreter) -> Self {
        Self {
            interpreter,
            doing: Doing::Nothing,
            interrupted: false,
            has_more: false,
        }
    }

    /// Creates evaluators with a separate environment for each session, all within one budget.
    #[must_use]
    pub fn factory(limits: Limits, budget: Budget) -> EvaluatorFactory {
        let interpreter = Interpreter::many(limits, &budget);
        Arc::new(move || Box::new(Self::new(interpreter())))
    }

    /// Creates another evaluator with everything defined in this one.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn copy(&self) -> Result<Self, String> {
        let copy = self.interpreter.fork().map_err(|error| error.message)?;
        Ok(Self::new(copy))
    }

    fn advance(&mut self, fuel: &mut u64) -> Progress {
        loop {
            let progress = match mem::replace(&mut self.doing, Doing::Nothing) {
                Doing::Nothing => Progress::Done(Outcome::Completed),
                Doing::Told(outcome) => Progress::Done(outcome),
                Doing::Running { page, each_form } => match self.execute(fuel, page, each_form) {
                    Some(progress) => progress,
                    None => continue,
                },
                Doing::Answering {
                    building,
                    page,
                    each_form,
                    ended,
                } => self.answer(building, fuel, page, each_form, ended),
            };
            return progress;
        }
    }

    /// Runs the program; `None` if there is a value to prepare.
    fn execute(&mut self, fuel: &mut u64, page: usize, each_form: bool) -> Option<Progress> {
        let step = self.interpreter.run_for(fuel);
        let (progress, ended) = match step {
            Step::OutOfFuel => (Progress::OutOfFuel, false),
            Step::NeedsInput => (Progress::NeedsInput, false),
            Step::Form => return self.begin_answer(page, each_form, false),
            Step::Done(Ok(())) if each_form => (Progress::Done(Outcome::Completed), true),
            Step::Done(Ok(())) => return self.begin_answer(page, each_form, true),
            Step::Done(Err(error)) => (Progress::Done(Outcome::Error(error.into())), true),
        };
        if !ended {
            self.doing = Doing::Running { page, each_form };
        }
        Some(progress)
    }

    fn begin_answer(&mut self, page: usize, each_form: bool, ended: bool) -> Option<Progress> {
        self.doing = Doing::Answering {
            building: Building::begin(&mut self.interpreter, page),
            page,
            each_form,
            ended,
        };
        None
    }

    fn answer(
        &mut self,
        mut building: Building,
        fuel: &mut u64,
        page: usize,
        each_form: bool,
        ended: bool,
    ) -> Progress {
        match building.step(&mut self.interpreter, fuel) {
            None => {
                self.doing = Doing::Answering {
                    building,
                    page,
                    each_form,
                    ended,
                };
                Progress::OutOfFuel
            }
            Some(answer) => {
                self.has_more = answer.more;
                if ended {
                    return Progress::Done(Outcome::Value(answer));
                }
                self.doing = Doing::Running { page, each_form };
                Progress::Form(answer)
            }
        }
    }

    fn next_page(&mut self, length: usize) -> Outcome {
        if !self.has_more {
            return Outcome::Failed("the last value has no further pages".into());
        }
        let text = self.interpreter.next_page(length);
        self.has_more = self.interpreter.has_page();
        Outcome::Value(Answer {
            value: text.clone().into(),
            text: Some(text),
            more: self.has_more,
        })
    }
}

impl Evaluator for Zylisp {
    fn begin(&mut self, task: Task) {
        self.interrupted = false;
        self.doing = match task {
            Task::Eval { source, page } => {
                let each_form = source.each_form;
                self.has_more = false;
                self.interpreter.begin(source);
                Doing::Running { page, each_form }
            }
            Task::Page { length } => Doing::Told(self.next_page(length)),
            Task::Help(question) => {
                let help = self.help(&question);
                Doing::Told(Outcome::Help(help.unwrap_or_else(|| question.unanswered())))
            }
        };
    }

    fn run(&mut self, fuel: &mut u64, _waker: &Waker) -> Progress {
        if mem::take(&mut self.interrupted) {
            self.interpreter.stop();
            self.doing = Doing::Nothing;
            return Progress::Done(Outcome::Interrupted);
        }
        self.advance(fuel)
    }

    fn interrupt(&mut self) {
        self.interrupted = true;
    }

    fn take_output(&mut self) -> (String, usize) {
        self.interpreter.take_output()
    }

    fn input(&mut self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            self.interpreter.end_input();
        } else if self.interpreter.unread_input() + text.len() > INPUT_LIMIT {
            return Err(format!(
                "more than {INPUT_LIMIT} bytes of input are waiting to be read"
            ));
        }
        self.interpreter.input(text);
        Ok(())
    }

    fn help(&mut self, question: &Question) -> Option<Help> {
        Some(match question {
            Question::Complete { prefix } => {
                Help::Names(self.interpreter.complete(prefix, NAMES_LIMIT))
            }
            Question::LookUp { name } => Help::Name(self.interpreter.look_up(name).map(Box::new)),
        })
    }

    fn fork(&mut self) -> Result<BoxedEvaluator, String> {
        Ok(Box::new(self.copy()?))
    }

    fn abilities(&self) -> Abilities {
        Abilities::ALL
    }

    fn tidy(&mut self) {
        self.interpreter.tidy();
    }
}

/// Limit of unread input, in bytes.
const INPUT_LIMIT: usize = 1 << 20;

/// Limit of names offered as completions.
const NAMES_LIMIT: usize = 1_000;
