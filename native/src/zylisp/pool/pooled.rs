//! An evaluator that starts where it is called, and continues in the pool if it takes long.

use std::{sync::Arc, task::Waker};

use flylead_core::zylisp::{
    Abilities, BoxedEvaluator, Evaluator, Help, Outcome, Progress, Question, Task, Zylisp,
};

use super::{Pool, job::Job};

/// The built-in language, with evaluations that block no task.
pub(super) struct Pooled {
    place: Place,
    pool: Pool,
    /// Operations of the task so far.
    spent: u64,
}

enum Place {
    Here(Box<Zylisp>),
    InPool(Arc<Job>),
    /// The evaluator has panicked.
    Lost,
}

impl Pooled {
    pub(super) fn new(zylisp: Zylisp, pool: Pool) -> Self {
        Self {
            place: Place::Here(Box::new(zylisp)),
            pool,
            spent: 0,
        }
    }

    /// Evaluates for a slice in the caller's thread.
    fn run_here(&mut self, mut zylisp: Box<Zylisp>, fuel: &mut u64, waker: &Waker) -> Progress {
        let before = *fuel;
        let progress = zylisp.run(fuel, waker);
        self.spent += before - *fuel;
        if progress == Progress::OutOfFuel && self.spent >= SHORT {
            let job = Arc::new(Job::new(zylisp, waker));
            self.pool.submit(Arc::clone(&job));
            self.place = Place::InPool(job);
            return Progress::Waiting;
        }
        self.place = Place::Here(zylisp);
        progress
    }

    /// Queries the evaluator, wherever it is.
    fn ask<R>(&mut self, question: impl FnOnce(&mut Zylisp) -> R) -> Option<R> {
        match &mut self.place {
            Place::Here(zylisp) => Some(question(zylisp)),
            Place::InPool(job) => job.ask(question),
            Place::Lost => None,
        }
    }
}

impl Evaluator for Pooled {
    fn begin(&mut self, task: Task) {
        self.spent = 0;
        self.ask(|zylisp| zylisp.begin(task));
    }

    fn run(&mut self, fuel: &mut u64, waker: &Waker) -> Progress {
        match std::mem::replace(&mut self.place, Place::Lost) {
            Place::Here(zylisp) => self.run_here(zylisp, fuel, waker),
            Place::InPool(job) => match job.fetch() {
                Some((zylisp, progress)) => {
                    self.place = zylisp.map_or(Place::Lost, Place::Here);
                    progress
                }
                None => {
                    self.place = Place::InPool(job);
                    Progress::Waiting
                }
            },
            Place::Lost => Progress::Done(Outcome::Failed(
                "the evaluator has failed; reconnect".into(),
            )),
        }
    }

    fn interrupt(&mut self) {
        match &mut self.place {
            Place::Here(zylisp) => zylisp.interrupt(),
            Place::InPool(job) => job.interrupt(),
            Place::Lost => {}
        }
    }

    fn take_output(&mut self) -> (String, usize) {
        self.ask(Zylisp::take_output).unwrap_or_default()
    }

    fn input(&mut self, text: &str) -> Result<(), String> {
        self.ask(|zylisp| zylisp.input(text)).unwrap_or(Ok(()))
    }

    fn help(&mut self, question: &Question) -> Option<Help> {
        self.ask(|zylisp| zylisp.help(question))?
    }

    fn fork(&mut self) -> Result<BoxedEvaluator, String> {
        let fork = self.ask(|zylisp| zylisp.copy());
        let fork = fork.ok_or("this session has ended")??;
        Ok(Box::new(Self::new(fork, self.pool.clone())))
    }

    fn tidy(&mut self) {
        self.ask(Zylisp::tidy);
        self.pool.rests();
    }

    fn abilities(&self) -> Abilities {
        Abilities::ALL
    }
}

/// Ends all work with the session.
impl Drop for Pooled {
    fn drop(&mut self) {
        self.interrupt();
    }
}

/// Number of operations after which a task continues in the pool: shorter ones are not worth the
/// move.
const SHORT: u64 = 10_000;
