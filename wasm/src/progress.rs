//! How far a transfer is, on its way to whoever watches it in JavaScript.

use flylead_core::board::Progress;

use crate::mailbox::{Mailbox, Shelf};

/// The latest news of a transfer. Older news that nobody has read is worth nothing, so a slow reader misses some and
/// nothing piles up.
pub(crate) type Latest = Mailbox<News>;

#[derive(Debug, Default)]
pub(crate) struct News(Option<Progress>);

impl Shelf for News {
    type Item = Progress;

    fn take(&mut self) -> Option<Progress> {
        self.0.take()
    }
}

impl Latest {
    pub(crate) fn tell(&self, progress: Progress) {
        self.put(|news| news.0 = Some(progress));
    }
}
