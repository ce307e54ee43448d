//! Threads for long evaluations, so that the tasks that read and answer sockets are never blocked.

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

/// Pool with as many threads as processors, which take turns with all long evaluations. The threads end once no more
/// work can be submitted.
#[derive(Clone)]
pub(super) struct Pool(Arc<Queue>);

/// Queue of tasks, which take turns.
struct Queue {
    jobs: Mutex<VecDeque<Arc<Job>>>,
    /// Signal that a job has arrived, or that the pool is gone.
    changed: Condvar,
    /// Notified when work ends.
    activity: watch::Sender<()>,
}

impl Pool {
    /// Starts the pool's threads. `activity` is notified when an evaluator has rested for a while.
    pub(super) fn start(activity: watch::Sender<()>) -> Self {
        let queue = Arc::new(Queue {
            jobs: Mutex::default(),
            changed: Condvar::new(),
            activity,
        });
        let count = thread::available_parallelism().map_or(1, NonZero::get);
        for number in 0..count {
            let queue = Arc::downgrade(&queue);
            // A system that is out of threads evaluates with the existing ones.
            let _ = thread::Builder::new()
                .name(format!("zylisp {number}"))
                .stack_size(STACK_BYTES)
                .spawn(move || work(&queue));
        }
        Self(queue)
    }

    /// Returns a factory that makes an evaluator of the built-in language for each session, all of them within one
    /// budget.
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
        // Nothing that can panic runs while the lock is held.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next job; `None` if no job arrives for a while.
    fn next(&self) -> Option<Arc<Job>> {
        let mut jobs = self.lock();
        if jobs.is_empty() {
            let waited = self.changed.wait_timeout(jobs, LOOK_AGAIN);
            jobs = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        jobs.pop_front()
    }
}

/// Runs one thread: a slice of each job in turn, until the pool is gone.
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

/// Lowers the thread's priority, so that tasks that answer at once go first on a busy machine.
fn step_back() {
    #[cfg(target_os = "linux")]
    {
        // On Linux, niceness belongs to a thread (setpriority(2), "C library/kernel differences"). If this fails, all
        // threads are equal.
        let _ = rustix::process::setpriority_process(None, NICENESS);
    }
}

/// Stack of a thread, in bytes: the interpreter does not use the machine's stack.
const STACK_BYTES: usize = 256 << 10;
/// Interval at which an idle thread checks that the pool still exists.
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_secs(1);
/// The lowest priority: a client that only asks for a value is answered between two slices of the others.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 19;
