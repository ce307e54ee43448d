//! Counts the memory in use, for suites that are a process of their own with one test in it.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

/// The system's allocator, and how much of it is in use.
#[derive(Debug)]
pub struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe to write; this one leaves all to the system's"
)]
// SAFETY: every call is passed on as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(taken(layout.size()), Ordering::Relaxed);
        // SAFETY: as of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(taken(layout.size()), Ordering::Relaxed);
        // SAFETY: as of the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Returns the number of bytes in use, if the process allocates by [`Counting`].
#[must_use]
pub fn in_use() -> usize {
    IN_USE.load(Ordering::Relaxed)
}

/// Bytes that glibc takes for so many (malloc/malloc.c, request2size): eight more, in sixteens, and 32 at least.
const fn taken(size: usize) -> usize {
    let size = (size + 8).next_multiple_of(16);
    if size < 32 { 32 } else { size }
}
