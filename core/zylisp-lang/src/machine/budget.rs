//! Memory budget shared by several interpreters.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A total amount of memory, in bytes, from which every holder takes its share. Clones share it.
///
/// It counts reported use, and allocates nothing itself.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Total>);

#[derive(Debug)]
struct Total {
    limit: usize,
    used: AtomicUsize,
}

impl Budget {
    /// Creates a budget of `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let used = AtomicUsize::new(0);
        Self(Arc::new(Total { limit, used }))
    }

    /// Creates a budget larger than any machine's memory.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::new(usize::MAX)
    }

    /// Returns the total size, used or not.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// Returns the part in use.
    #[must_use]
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Creates a share of the budget, initially empty.
    #[must_use]
    pub fn share(&self) -> Share {
        Share {
            budget: self.clone(),
            bytes: 0,
        }
    }

    fn take(&self, more: usize) -> bool {
        let Total { limit, used } = &*self.0;
        let add = |used: usize| used.checked_add(more).filter(|total| total <= limit);
        used.try_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .is_ok()
    }
}

/// Part of a [`Budget`] taken by one holder. Dropping it returns its bytes.
#[derive(Debug)]
pub struct Share {
    budget: Budget,
    bytes: usize,
}

impl Share {
    /// Changes the share to this size. Returns false, and changes nothing, if there is not enough.
    #[must_use = "memory that was refused must not be used"]
    pub fn resize(&mut self, bytes: usize) -> bool {
        if bytes > self.bytes {
            if !self.budget.take(bytes - self.bytes) {
                return false;
            }
        } else if bytes < self.bytes {
            let used = &self.budget.0.used;
            used.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        true
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the budget that it is a part of.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.budget
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        // Returning memory cannot be refused.
        let _ = self.resize(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_takes_the_others_do_not_have_until_it_is_given_back() {
        let budget = Budget::new(100);
        let (mut one, mut two) = (budget.share(), budget.share());
        assert!(one.resize(60));
        assert!(!two.resize(41));
        assert_eq!((two.bytes(), budget.used()), (0, 60));
        assert!(two.resize(40));
        assert!(!one.resize(61));
        assert!(one.resize(10));
        assert!(two.resize(90));
        drop(two);
        assert_eq!(budget.used(), 10);
        assert!(!one.resize(usize::MAX));
    }
}
