//! An evaluation that continues in the pool.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Waker,
    thread,
};

use flylead_core::zylisp::{Evaluator, Outcome, Progress, Zylisp};

/// An evaluator that a thread of the pool runs slice by slice. Between two slices, other callers may query it.
pub(super) struct Job {
    state: Mutex<State>,
    /// Number of callers that want the evaluator before its next slice.
    asking: AtomicUsize,
    interrupted: AtomicBool,
}

struct State {
    /// The evaluator, until its task is done and it has been fetched.
    zylisp: Option<Box<Zylisp>>,
    /// Result, until it is fetched.
    progress: Option<Progress>,
    /// Waker to call once the result is ready.
    waker: Waker,
}

impl Job {
    pub(super) fn new(zylisp: Box<Zylisp>, waker: &Waker) -> Self {
        Self {
            state: Mutex::new(State {
                zylisp: Some(zylisp),
                progress: None,
                waker: waker.clone(),
            }),
            asking: AtomicUsize::new(0),
            interrupted: AtomicBool::new(false),
        }
    }

    /// Evaluates for a slice. Returns true if there is more to do.
    pub(super) fn go_on(&self) -> bool {
        while self.asking.load(Ordering::Acquire) > 0 {
            thread::yield_now();
        }
        let progress = catch_unwind(AssertUnwindSafe(|| self.slice()));
        if let Ok(Some(Progress::OutOfFuel)) = progress {
            return true;
        }
        let mut state = self.lock();
        state.progress = Some(match progress {
            Ok(Some(done)) => done,
            _ => {
                state.zylisp = None;
                Progress::Done(Outcome::Failed("the evaluator failed".into()))
            }
        });
        let waker = state.waker.clone();
        // The task that is woken looks at once.
        drop(state);
        waker.wake();
        false
    }

    fn slice(&self) -> Option<Progress> {
        let mut state = self.lock();
        let zylisp = state.zylisp.as_mut()?;
        if self.interrupted.swap(false, Ordering::AcqRel) {
            zylisp.interrupt();
        }
        Some(zylisp.run(&mut { FUEL }, Waker::noop()))
    }

    pub(super) fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Release);
    }

    /// Queries the evaluator while it has a task. Waits for the end of the current slice.
    pub(super) fn ask<R>(&self, question: impl FnOnce(&mut Zylisp) -> R) -> Option<R> {
        self.asking.fetch_add(1, Ordering::AcqRel);
        let mut state = self.lock();
        self.asking.fetch_sub(1, Ordering::AcqRel);
        state.zylisp.as_deref_mut().map(question)
    }

    /// Returns the evaluator, unless it has failed, and the result of its task; `None` until the task is done.
    pub(super) fn fetch(&self) -> Option<(Option<Box<Zylisp>>, Progress)> {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            // The task is not done while a slice runs.
            Err(TryLockError::WouldBlock) => return None,
        };
        let progress = state.progress.take()?;
        Some((state.zylisp.take(), progress))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // After a panic the evaluator is discarded.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Number of operations in a slice, which takes fractions of a millisecond.
const FUEL: u64 = 50_000;
