//! Sends many files to the board, with a bar.

pub(crate) mod full;

use flylead_core::board::Progress;
use flylead_native::{
    Board,
    deploy::{self, Fault, Item, Listener},
};

use super::{Bar, Common, Exit, Failure, Skipped, at, here};

/// Sends all items in this order, with one bar, and reports each one, with its size, once it is in place.
///
/// An error leaves the earlier items on the board. If items may be skipped, those that this computer cannot read or
/// that the board refuses are skipped, and the rest is sent.
pub(crate) async fn send(
    board: &mut Board,
    common: &Common,
    items: &[Item],
    skipped: Option<&mut Skipped>,
    tell: impl FnMut(&Item, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut shown = Shown::new(common, tell);
    let skipped = skipped.map(|skipped| &mut skipped.0);
    match deploy::send(board, items, skipped, &mut shown).await {
        Ok(()) => Ok(()),
        Err(fault) => Err(shown.failure(board, fault).await),
    }
}

/// Shows the progress of a transfer.
pub(crate) struct Shown<'a, T> {
    common: &'a Common,
    bar: Option<Bar>,
    tell: T,
    failure: Option<Failure>,
    /// Size of the current item, and true if it is written in place.
    at: (u64, bool),
}

impl<'a, T: FnMut(&Item, usize) -> Result<(), Failure>> Shown<'a, T> {
    pub(crate) const fn new(common: &'a Common, tell: T) -> Self {
        Self {
            common,
            bar: None,
            tell,
            failure: None,
            at: (0, false),
        }
    }

    /// Converts a fault to a failure: that of `tell` if `tell` ended the transfer.
    pub(crate) async fn failure(&mut self, board: &mut Board, fault: Fault) -> Failure {
        self.bar = None;
        match self.failure.take() {
            Some(failure) => failure,
            None => full::failure(board, fault, self.at.0, self.at.1).await,
        }
    }
}

impl<T: FnMut(&Item, usize) -> Result<(), Failure>> Listener for Shown<'_, T> {
    fn begins(&mut self, total: u64) {
        self.bar = Some(Bar::new(self.common, "", Some(total)));
    }

    fn is_at(&mut self, item: &Item, done: u64) {
        self.at = (item.size(), item.in_place);
        if let Some(bar) = &self.bar {
            bar.name(&item.path);
            bar.set(Progress {
                done,
                total: None,
                entries: 0,
            });
        }
    }

    fn sent(&mut self, item: &Item, bytes: usize) -> Result<(), Fault> {
        let told = match &self.bar {
            Some(bar) => bar.suspend(|| (self.tell)(item, bytes)),
            None => (self.tell)(item, bytes),
        };
        told.map_err(|failure| {
            self.failure = Some(failure);
            Fault::Stopped
        })
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Here(path, error) => here(&path)(error),
            Fault::Board(path, error) => at(&path)(*error),
            Fault::Collision(_) => Self::new(Exit::Usage, fault),
            Fault::Refused(_) => Self::new(Exit::Refused, fault),
            Fault::Stopped => Self::interrupted(),
        }
    }
}
