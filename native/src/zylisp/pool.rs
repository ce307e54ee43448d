//! Threads for evaluations that take long, so that those who read and answer sockets never do.

mod job;
mod pooled;

use std::{
    collections::VecDeque,
    num::NonZero,
    sync::{Arc, Condvar, Mutex, PoisonError, Weak},
    thread,
};

use flylead_core::zylisp::{
    EvaluatorFactory, Zylisp,
    lang::{Budget, Interpreter, Limits},
};

use job::Job;
use pooled::Pooled;
use tokio::sync::watch;

/// Pool with as many threads as processors, which take turns with all long evaluations. They end
/// when nobody can submit work any more.
#[derive(Clone)]
pub(super) struct Pool(Arc<Queue>);

/// Queue of tasks, which take turns.
struct Queue {
    jobs: Mutex<VecDeque<Arc<Job>>>,
    /// A job has come, or the pool has gone.
    changed: Condvar,
    /// Told of the end of work.
    activity: watch::Sender<()>,
}

impl Pool {
    /// Starts its threads. `activity` is told when an evaluator has rested for a while.
    pub(super) fn start(activity: watch::Sender<()>) -> Self {
        let queue = Arc::new(Queue {
            jobs: Mutex::default(),
            changed: Condvar::new(),
            activity,
        });
        let count = thread::available_parallelism().map_or(1, NonZero::get);
        for number in 0..count {
            let queue = Arc::downgrade(&queue);
            // A system that is out of threads evaluates with those that there are.
            let _ = thread::Builder::new()
                .name(format!("zylisp {number}"))
                .stack_size(STACK_BYTES)
                .spawn(move || work(&queue));
        }
        Self(queue)
    }

    /// Makes an evaluator of the built-in language for each session, all of them within one budget.
    pub(super) fn factory(self, limits: Limits, budget: &Budget) -> EvaluatorFactory {
        let interpreter = Interpreter::many(limits, budget);
        Arc::new(move || Box::new(Pooled::new(Zylisp::new(interpreter()), self.clone())))
    }

    fn rests(&self) {
        self.0.activity.send_replace(());
    }

    fn submit(&self, job: Arc<Job>) {
        self.0.lock().push_back(job);
        self.0.changed.notify_one();
    }
}

impl Queue {
    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Arc<Job>>> {
        // Nothing that can panic is done while it is held.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; none, if there is none for a while.
    fn next(&self) -> Option<Arc<Job>> {
        let mut jobs = self.lock();
        if jobs.is_empty() {
            let waited = self.changed.wait_timeout(jobs, LOOK_AGAIN);
            jobs = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        jobs.pop_front()
    }
}

/// One thread: a slice of each job in turn, until the pool has gone.
fn work(queue: &Weak<Queue>) {
    step_back();
    while let Some(queue) = queue.upgrade() {
        if let Some(job) = queue.next()
            && job.go_on()
        {
            queue.lock().push_back(job);
        }
    }
}

/// Lets whatever answers at once go first on a busy machine.
fn step_back() {
    #[cfg(target_os = "linux")]
    {
        // On Linux, niceness is a thread's (setpriority(2), "C library/kernel differences"). Without it all is fair.
        let _ = rustix::process::setpriority_process(None, NICENESS);
    }
}

/// The interpreter needs no stack of the machine's.
const STACK_BYTES: usize = 256 << 10;
/// Interval at which an idle thread checks that the pool still exists.
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_secs(1);
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;
