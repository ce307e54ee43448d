//! Boards that a hub takes when they are plugged in, and releases when they are gone.

use std::{collections::HashSet, time::Duration};

use flylead_native::{
    hub::Hub,
    link::{self, Address, OpenError, Port},
};
use tokio::time::sleep;

use crate::{
    Common, Failure,
    board::each::pattern::{Pattern, is_pattern},
    files::fs::in_thread,
};

/// Selection of boards.
#[derive(Debug)]
pub(super) struct Attached(Vec<Pattern>);

/// Returns true for a selector of boards that come and go.
pub(super) fn is_meant(address: &str) -> bool {
    address == "all" || is_pattern(address)
}

impl Attached {
    /// Selects the words that are not addresses.
    pub(super) fn of(words: &[String]) -> Result<Self, Failure> {
        let words = words.iter().filter(|it| is_meant(it));
        let patterns = words.map(|it| Pattern::of(it)).collect::<Result<_, _>>()?;
        Ok(Self(patterns))
    }

    /// Takes and releases boards, forever.
    pub(super) async fn share(mut self, hub: Hub, common: &Common) -> Failure {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        let mut taken = Taken {
            hub,
            common,
            addresses: Vec::new(),
        };
        loop {
            let looking = in_thread(move || Ok((present(&self.0), self.0)));
            let (found, patterns) = match looking.await {
                Ok(looked) => looked,
                Err(error) => return error.into(),
            };
            self.0 = patterns;
            // A system that reports no ports now may do so the next time.
            if let Ok(found) = found {
                found.iter().for_each(|board| taken.add(board));
                taken.let_go(&found);
            }
            sleep(LOOK_AGAIN).await;
        }
    }
}

/// Boards that were taken.
struct Taken<'a> {
    hub: Hub,
    common: &'a Common,
    addresses: Vec<Address>,
}

impl Taken<'_> {
    /// Takes a board, unless it is shared already.
    fn add(&mut self, Found { address, path }: &Found) {
        let names = [address.to_string(), path.clone()];
        if self.hub.find(&names).is_none() {
            self.hub.add(address.clone());
            self.addresses.push(address.clone());
            self.common
                .note(format_args!("{path} was plugged in and is now shared"));
        }
    }

    /// Releases the boards that are gone, except those that a tool waits for: they are the same boards when they are
    /// back.
    fn let_go(&mut self, found: &[Found]) {
        self.addresses.retain(|address| {
            let is_there = found.iter().any(|board| board.address == *address);
            let is_kept = is_there || !self.hub.remove(address);
            if !is_kept {
                self.common.note(format_args!("{address} is gone"));
            }
            is_kept
        });
    }
}

/// A connected board.
struct Found {
    /// Address at which the board can be found again.
    address: Address,
    /// Current path.
    path: String,
}

/// Returns the connected boards, each once.
fn present(patterns: &[Pattern]) -> Result<Vec<Found>, OpenError> {
    let ports = link::ports()?;
    let is_meant = |port: &&Port| patterns.iter().any(|pattern| pattern.is_of(port));
    let ports = ports.iter().filter(is_meant).map(|it| it.path.clone());
    let files = patterns.iter().flat_map(Pattern::files);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for path in ports.chain(files) {
        let serial = Address::Serial {
            path: path.clone(),
            baud: None,
        };
        // The board may have gone meanwhile.
        if let Ok(address) = link::lasting(&serial)
            && seen.insert(link::find(&address).map_or(path.clone(), |it| it.to_string()))
        {
            found.push(Found { address, path });
        }
    }
    Ok(found)
}

/// Interval between checks for boards.
const LOOK_AGAIN: Duration = Duration::from_millis(300);
