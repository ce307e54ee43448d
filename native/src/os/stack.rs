//! Threads with stacks for deep recursion.

use std::thread;

/// Runs work on the syntax trees of a Python source of this many bytes. The parser's types are visited and dropped with a
/// call for each level: `----…1` of 100,000 signs would overflow a usual stack and end the process. Returns `None` if the
/// system gives no such thread.
pub(crate) fn on_deep_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let stack = bytes.saturating_mul(BYTES_PER_LEVEL).max(LEAST_STACK);
        let thread = thread::Builder::new().stack_size(stack);
        thread.spawn_scoped(scope, work).ok()?.join().ok()
    })
}

/// Stack for each byte of a source, which may be a level; the system provides what is used of it.
const BYTES_PER_LEVEL: usize = 8 << 10;
/// Stack for everything else.
const LEAST_STACK: usize = 2 << 20;
