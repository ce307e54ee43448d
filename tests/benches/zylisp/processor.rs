//! Processors that threads may run on, for as long as a measurement takes.

pub(crate) use imp::share;

#[cfg(target_os = "linux")]
mod imp {
    use std::io;

    use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};

    use crate::peer::Peer;

    /// Threads on one processor; where they were before with the end of this value.
    pub(crate) struct Together(Vec<(Option<Pid>, CpuSet)>);

    /// Puts this thread and all of the server's on one of the processors that this thread may use, another one in each round.
    pub(crate) fn share(peer: &Peer, round: usize) -> io::Result<Together> {
        let ours = sched_getaffinity(None)?;
        let usable: Vec<_> = (0..CpuSet::MAX_CPU).filter(|at| ours.is_set(*at)).collect();
        let mut one = CpuSet::new();
        one.set(usable[round % usable.len()]);
        let mut together = Together(Vec::new());
        for thread in threads(peer).into_iter().map(Some).chain([None]) {
            let before = sched_getaffinity(thread)?;
            sched_setaffinity(thread, &one)?;
            together.0.push((thread, before));
        }
        Ok(together)
    }

    fn threads(peer: &Peer) -> Vec<Pid> {
        let threads = peer.threads();
        let numbers = threads.filter_map(|thread| thread.file_name()?.to_str()?.parse().ok());
        numbers.filter_map(Pid::from_raw).collect()
    }

    impl Drop for Together {
        fn drop(&mut self) {
            for (thread, before) in &self.0 {
                // A thread that has ended needs none.
                let _ = sched_setaffinity(*thread, before);
            }
        }
    }
}

/// Other systems leave threads where they are.
#[cfg(not(target_os = "linux"))]
mod imp {
    use std::io;

    use crate::peer::Peer;

    pub(crate) fn share(_: &Peer, _: usize) -> io::Result<()> {
        Ok(())
    }
}
