//! Threads with stacks for deep recursion.

use std::{panic::resume_unwind, thread};

/// Runs work on the syntax trees of a Python source of this many bytes. The parser's types are visited and dropped with a
/// call for each level: `----…1` of 100,000 signs would overflow a usual stack and end the process. Returns `None` if the
/// system has no memory for the thread.
pub fn on_deep_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let stack = bytes.saturating_mul(BYTES_PER_LEVEL);
        let thread = thread::Builder::new().stack_size(stack.clamp(LEAST_STACK, MOST_STACK));
        let done = thread.spawn_scoped(scope, work).ok()?.join();
        Some(done.unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Stack for each byte of a source, which may be a level. The system provides only the part that is used.
const BYTES_PER_LEVEL: usize = 2 << 10;
/// Stack for a short source and the modules that it imports.
const LEAST_STACK: usize = 64 << 20;
/// Stack for 256 Ki levels. A longer source has fewer, unless somebody wrote it to overflow the stack.
const MOST_STACK: usize = 512 << 20;
