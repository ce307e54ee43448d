//! The thread behind a line, which ends with its owner.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

/// A thread that is told to end, and waited for, when this is dropped.
#[derive(Debug)]
pub(in crate::boards) struct Worker {
    end: End,
    thread: Option<JoinHandle<()>>,
}

/// Signal by which a [`Worker`] learns that its time is over.
#[derive(Debug, Clone, Default)]
pub(in crate::boards) struct End(Arc<AtomicBool>);

impl Worker {
    /// Starts a thread that looks at the signal between two pieces of its work.
    pub(in crate::boards) fn start(work: impl FnOnce(End) + Send + 'static) -> Self {
        let end = End::default();
        let thread = thread::spawn({
            let end = end.clone();
            move || work(end)
        });
        Self {
            end,
            thread: Some(thread),
        }
    }

    /// Ends the thread, unless that was done before. A panic of it has been printed by then.
    pub(in crate::boards) fn end(&mut self) {
        self.end.0.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

impl End {
    /// Returns true once the worker has to end.
    pub(in crate::boards) fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
