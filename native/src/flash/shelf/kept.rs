//! A site's list in the cache: its firmware with the known hashes, and the time at which each board was read.

use std::{
    collections::BTreeMap,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::catalogue::is_board;
use crate::flash::Catalogue;

/// Cached list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::flash) struct Kept {
    #[serde(flatten)]
    pub(super) list: Catalogue,
    /// Time at which a board was read from the site, in seconds since 1970, by its name; the empty name stands for the
    /// first page.
    #[serde(default)]
    read: BTreeMap<String, u64>,
}

impl Kept {
    /// Returns true if the boards with this name, or the first page, were read less than a day ago.
    pub(super) fn is_fresh(&self, name: Option<&str>, now: u64) -> bool {
        let is_young = |board: &str| {
            let read = self.read.get(board);
            // A time in the future comes from a wrong clock.
            let age = read.and_then(|read| now.checked_sub(*read));
            age.is_some_and(|age| age < LIST_AGE)
        };
        let Some(name) = name else {
            return is_young(FIRST_PAGE);
        };
        let boards = self.list.boards().into_iter();
        let mut boards = boards.filter(|board| is_board(board, name)).peekable();
        boards.peek().is_some() && boards.all(is_young)
    }

    /// Merges the entries read for a name, or for all. Entries that the site no longer lists are removed; other boards
    /// are unchanged. Known hashes are kept, unless `renew` asks for the site's own.
    pub(in crate::flash) fn update(
        &mut self,
        mut read: Catalogue,
        name: Option<&str>,
        renew: bool,
        now: u64,
    ) {
        let is_meant = |board: &str| name.is_none_or(|name| is_board(board, name));
        for new in &mut read.firmware {
            let mut known = self.list.firmware.iter();
            let known =
                known.find(|old| old.place == new.place && !(renew && is_meant(&old.board)));
            new.sha256 = new.sha256.take().or(known.and_then(|it| it.sha256.clone()));
        }
        let boards: Vec<_> = read.boards().into_iter().map(str::to_owned).collect();
        let old = std::mem::take(&mut self.list.firmware).into_iter();
        let stays = old
            .filter(|old| !(boards.contains(&old.board) || name.is_some() && is_meant(&old.board)));
        read.firmware.extend(stays);
        for board in boards {
            self.read.insert(board, now);
        }
        self.read.insert(FIRST_PAGE.to_owned(), now);
        self.list = read;
    }

    /// Stores the hash of a file.
    pub(super) fn remember(&mut self, place: &str, sha256: &str) {
        let known = self.list.firmware.iter_mut();
        for known in known.filter(|known| known.place == place) {
            known.sha256 = Some(sha256.to_owned());
        }
    }
}

/// Returns the time, in seconds since 1970.
pub(in crate::flash) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}

const FIRST_PAGE: &str = "";
/// Age in seconds after which a board is read again.
const LIST_AGE: u64 = 24 * 60 * 60;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::Entry;

    fn list(files: &[&str]) -> Catalogue {
        let firmware = files.iter().filter_map(|file| Entry::of_file(file));
        Catalogue {
            firmware: firmware.collect(),
            ..Catalogue::default()
        }
    }

    const PICO: &str = "RPI_PICO-20241129-v1.24.1.uf2";
    const PICO_W: &str = "RPI_PICO_W-20241129-v1.24.1.uf2";

    #[test]
    fn each_board_has_an_age_of_its_own() {
        let mut kept = Kept::default();
        assert!(!kept.is_fresh(Some("pico"), 0) && !kept.is_fresh(None, 0));
        kept.update(list(&[PICO]), Some("pico"), false, 100);
        let day = LIST_AGE;
        // Neither a hash nor another board makes the entry younger.
        kept.remember(PICO, "beef");
        kept.update(list(&[PICO_W]), Some("picow"), false, 100 + day - 10);
        assert!(kept.is_fresh(Some("pico"), 100 + day - 1));
        assert!(!kept.is_fresh(Some("pico"), 100 + day));
        assert!(kept.is_fresh(Some("picow"), 100 + day));
        assert!(!kept.is_fresh(Some("pico"), 99));
        let written = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<Kept>(&written).unwrap(), kept);
    }

    #[test]
    fn only_the_named_board_is_renewed() {
        let mut kept = Kept::default();
        kept.update(list(&[PICO, PICO_W]), None, false, 0);
        kept.remember(PICO, "beef");
        kept.remember(PICO_W, "cafe");
        let hashes = |kept: &Kept| {
            let of = |name| kept.list.of_board(name)[0].sha256.clone();
            [of("pico"), of("picow")]
        };
        let known = ["beef", "cafe"].map(|it| Some(it.to_owned()));
        kept.update(list(&[PICO]), Some("pico"), false, 1);
        assert_eq!(hashes(&kept), known);
        // A mirror's list has all boards, whichever one was requested.
        kept.update(list(&[PICO, PICO_W]), Some("pico"), true, 2);
        assert_eq!(hashes(&kept), [None, known[1].clone()]);
        // Entries that the site no longer lists are removed.
        kept.update(Catalogue::default(), Some("pico"), false, 3);
        assert!(kept.list.of_board("pico").is_empty());
        assert_eq!(kept.list.of_board("picow").len(), 1);
    }
}
