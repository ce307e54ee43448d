//! Decompressed files of the page, for clients without brotli, each in memory once.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, LazyLock, Weak},
};

use axum::body::Bytes;
use tokio::{sync::Mutex, task::spawn_blocking};

use super::coding::{Coding, unpack};

/// Cache of this process.
pub(super) static UNPACKED: LazyLock<Unpacked> = LazyLock::new(Unpacked::default);

/// Files for clients without brotli. They are decompressed on a separate thread, one at a time. All clients share a
/// file's bytes, which are kept while any client takes them; a few megabytes of the last files are kept longer.
#[derive(Debug, Default)]
pub(super) struct Unpacked(Mutex<Files>);

#[derive(Debug, Default)]
struct Files {
    in_use: HashMap<Key, Weak<Vec<u8>>>,
    /// Files kept beyond their use, oldest first.
    kept: VecDeque<Arc<Vec<u8>>>,
}

/// File, by its place in the binary, and its coding.
type Key = (usize, Coding);

/// Bytes that stay in memory while anybody holds them.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Unpacked {
    /// Returns a file in this coding; never `None` while the binary is intact.
    pub(super) async fn get(&self, brotli: &'static [u8], coding: Coding) -> Option<Bytes> {
        let key = (brotli.as_ptr().addr(), coding);
        let mut files = self.0.lock().await;
        let known = files.in_use.get(&key).and_then(Weak::upgrade);
        let bytes = match known {
            Some(bytes) => bytes,
            None => {
                let unpacked = spawn_blocking(move || unpack(brotli, coding)).await;
                let bytes = Arc::new(unpacked.ok()?.ok()?);
                files.in_use.insert(key, Arc::downgrade(&bytes));
                bytes
            }
        };
        files.keep(&bytes);
        Some(Bytes::from_owner(Shared(bytes)))
    }
}

impl Files {
    fn keep(&mut self, bytes: &Arc<Vec<u8>>) {
        self.kept.retain(|it| !Arc::ptr_eq(it, bytes));
        self.kept.push_back(Arc::clone(bytes));
        let size = |files: &Self| files.kept.iter().map(|it| it.len()).sum::<usize>();
        while size(self) > KEPT_LIMIT {
            self.kept.pop_front();
        }
    }
}

/// Size limit of unused cached files, in bytes: enough for the page's own scripts, but not for the large ones of its
/// checks.
const KEPT_LIMIT: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::page::tests::{LARGE, LARGE_SIZE};

    #[tokio::test]
    async fn clients_share_one_copy_which_goes_with_the_last_of_them_when_it_is_large() {
        let unpacked = Unpacked::default();
        let get = || async { unpacked.get(LARGE, Coding::Identity).await.unwrap() };
        let (first, second) = tokio::join!(get(), get());
        assert_eq!(first.len(), LARGE_SIZE);
        assert_eq!(first.as_ptr(), second.as_ptr());
        drop((first, second));
        let files = unpacked.0.lock().await;
        assert!(files.in_use.values().all(|it| it.strong_count() == 0));
        assert!(LARGE_SIZE > KEPT_LIMIT && files.kept.is_empty());
    }

    #[tokio::test]
    async fn the_last_small_files_are_kept() {
        let unpacked = Unpacked::default();
        let first = unpacked.get(LARGE, Coding::Gzip).await.unwrap();
        let place = first.as_ptr();
        drop(first);
        let again = unpacked.get(LARGE, Coding::Gzip).await.unwrap();
        assert_eq!(again.as_ptr(), place);
        assert_eq!(unpacked.0.lock().await.kept.len(), 1);
    }
}
