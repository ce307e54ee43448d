//! Queries to folders that may never answer: the file system of a disconnected board can block its readers forever.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

/// Runs a query in a thread of its own, and returns its answer if it arrives within a second. Each folder has at most
/// one thread: while one query to it hangs, no other is made.
pub(super) fn in_time<T: Send + 'static>(
    folder: &Path,
    question: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let give_up = Instant::now() + LIMIT;
    let turn = Turn::take(folder, give_up)?;
    let (tell, answer) = mpsc::channel();
    thread::spawn(move || {
        let found = question();
        drop(turn);
        let _ = tell.send(found);
    });
    answer.recv_timeout(left(give_up)).ok()
}

/// Turn at a folder, held until dropped.
struct Turn(PathBuf);

impl Turn {
    fn take(folder: &Path, give_up: Instant) -> Option<Self> {
        let is_asked = |asked: &mut BTreeSet<PathBuf>| asked.contains(folder);
        let waited = FREE.wait_timeout_while(asked(), left(give_up), is_asked);
        let (mut asked, _) = waited.unwrap_or_else(PoisonError::into_inner);
        asked
            .insert(folder.to_owned())
            .then(|| Self(folder.to_owned()))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        asked().remove(&self.0);
        FREE.notify_all();
    }
}

fn asked() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    ASKED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn left(give_up: Instant) -> Duration {
    give_up.saturating_duration_since(Instant::now())
}

/// Folders with a thread that waits for them.
static ASKED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
static FREE: Condvar = Condvar::new();
/// Time limit of an answer.
pub(super) const LIMIT: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    #[test]
    fn a_folder_that_does_not_answer_keeps_one_thread_and_no_more() {
        let folder = Path::new("/hung");
        let asked = Arc::new(AtomicUsize::new(0));
        let (never, answers) = mpsc::channel::<()>();
        let answers = Arc::new(Mutex::new(answers));
        let began = Instant::now();
        for _ in 0..3 {
            let (asked, answers) = (Arc::clone(&asked), Arc::clone(&answers));
            let waits = move || {
                asked.fetch_add(1, Ordering::Relaxed);
                let _ = answers.lock().unwrap().recv();
            };
            assert_eq!(in_time(folder, waits), None);
        }
        assert!(began.elapsed() < LIMIT * 10);
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert_eq!(in_time(Path::new("/other"), || 1), Some(1));
        // The folder answers at last, and may be queried again.
        drop(never);
        assert_eq!(in_time(folder, || 2), Some(2));
    }
}
