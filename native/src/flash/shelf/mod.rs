//! Sources of firmware: a folder, or a maker's site with a cache before it.
//!
//! ```text
//!   folder ────────────────────────────┐
//!   site ──► pages ──► catalogue.json ─┼──► Catalogue ──► Entry ──► Firmware, with its SHA-256
//!                      (in the cache) ─┘
//! ```

pub(crate) mod catalogue;
mod kept;
mod page;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{Catalogue, Entry, FIRMWARE_LIMIT, Firmware, NotFirmware};
use crate::{
    deploy::install::{self, Fetcher, Source},
    os::{disk, state},
};
use kept::{Kept, now};
use page::{is_downgrade, pages_of_board};

/// Download page of MicroPython's makers.
pub const MAKERS: &str = "https://micropython.org/download/";

/// Folder or site with firmware.
#[derive(Debug, Clone)]
pub struct Shelf {
    place: String,
    cache: Option<PathBuf>,
    fetcher: Fetcher,
}

/// Reason why firmware is unavailable.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShelfError {
    /// The folder or the cache cannot be read or written.
    Folder(PathBuf, io::Error),
    /// The site or the file cannot be fetched.
    Fetch(install::Error),
    /// The site's own list is invalid.
    List(String, serde_json::Error),
    /// The list of an https site names a file without https, and gives no hash of it.
    Insecure(String),
    /// The file's SHA-256 differs from the listed one.
    Changed {
        /// Name of the file.
        file: String,
        /// SHA-256 of the file.
        sha256: String,
    },
    /// The file is not firmware.
    NotFirmware(String, NotFirmware),
}

impl Shelf {
    /// Creates a shelf for a folder, or for a site by its address.
    #[must_use]
    pub fn new(place: &str) -> Self {
        let cache = state::cache_folder().map(|folder| folder.join("flylead"));
        let (place, fetcher) = (place.to_owned(), Fetcher::default());
        Self {
            place,
            cache,
            fetcher,
        }
    }

    fn is_site(&self) -> bool {
        self.place.starts_with("https://") || self.place.starts_with("http://")
    }

    /// Lists the firmware of a board, or all firmware that the first page leads to. Pages read less than a day ago are
    /// not fetched again, unless `renew` is set.
    ///
    /// # Errors
    /// The folder cannot be read, or the site is unreachable or invalid and no older list of it exists.
    pub async fn list(&self, name: Option<&str>, renew: bool) -> Result<Catalogue, ShelfError> {
        if !self.is_site() {
            let folder = Path::new(&self.place);
            let listed = Catalogue::of_folder(folder);
            return listed.map_err(|error| ShelfError::Folder(folder.to_owned(), error));
        }
        let mut kept = self.kept_list().unwrap_or_default();
        if !renew && kept.is_fresh(name, now()) {
            return Ok(kept.list);
        }
        match self.fetch_list(name).await {
            Ok(fetched) => {
                kept.update(fetched, name, renew, now());
                // A list that cannot be stored is fetched again.
                let _ = self.keep(&kept);
                Ok(kept.list)
            }
            Err(error) => {
                let has_it = match name {
                    Some(name) => !kept.list.of_board(name).is_empty(),
                    None => kept.list != Catalogue::default(),
                };
                match has_it && !renew {
                    true => Ok(kept.list),
                    false => Err(error),
                }
            }
        }
    }

    async fn fetch_list(&self, name: Option<&str>) -> Result<Catalogue, ShelfError> {
        let base = self.place.trim_end_matches('/');
        let file = format!("{base}/catalogue.json");
        match self.text(&file).await {
            Ok(json) => {
                return serde_json::from_str(&json).map_err(|error| ShelfError::List(file, error));
            }
            Err(ShelfError::Fetch(install::Error::NotFound { .. })) => {}
            // The page has no hashes, so it cannot replace an unavailable list.
            Err(error) => return Err(error),
        }
        let page = self.text(&self.place).await?;
        let mut list = Catalogue::of_page(&self.place, &page);
        let Some(name) = name else {
            return Ok(list);
        };
        if list.of_board(name).is_empty() {
            for url in pages_of_board(&self.place, &page, name).iter().take(PAGES) {
                let page = self.text(url).await?;
                list.firmware
                    .extend(Catalogue::of_page(url, &page).firmware);
            }
        }
        Ok(list)
    }

    async fn text(&self, url: &str) -> Result<String, ShelfError> {
        let fetched = self.bytes(url, PAGE_LIMIT).await?;
        Ok(String::from_utf8_lossy(&fetched).into_owned())
    }

    async fn bytes(&self, url: &str, limit: u64) -> Result<Vec<u8>, ShelfError> {
        let source = Source::Url(url.to_owned());
        let fetched = self.fetcher.fetch(&source, limit).await;
        fetched.map_err(ShelfError::Fetch)
    }

    /// Gets a listed firmware from the folder, the cache or the site. A file from the site is kept in the cache, and
    /// its SHA-256 in the list, so that later downloads are compared with it.
    ///
    /// # Errors
    /// The file is unavailable, differs from the listed one, or is not firmware.
    pub async fn get(&self, entry: &Entry) -> Result<Firmware, ShelfError> {
        let firmware = match self.kept_file(entry) {
            Some(firmware) => firmware,
            None => self.fetch(entry).await?,
        };
        match &entry.sha256 {
            Some(expected) if !firmware.sha256().eq_ignore_ascii_case(expected) => {
                let (file, sha256) = (entry.file.clone(), firmware.sha256());
                Err(ShelfError::Changed { file, sha256 })
            }
            _ => Ok(firmware),
        }
    }

    /// Returns the cached file, if it matches the listed one.
    fn kept_file(&self, entry: &Entry) -> Option<Firmware> {
        let expected = entry.sha256.as_ref().filter(|_| self.is_site())?;
        let path = self.cache.as_ref()?.join("firmware").join(&entry.file);
        let bytes = disk::read(&path, FIRMWARE_LIMIT).ok()?;
        let firmware = Firmware::read(&entry.file, bytes).ok()?;
        firmware
            .sha256()
            .eq_ignore_ascii_case(expected)
            .then_some(firmware)
    }

    async fn fetch(&self, entry: &Entry) -> Result<Firmware, ShelfError> {
        let of_file = |error| ShelfError::NotFirmware(entry.file.clone(), error);
        if !self.is_site() {
            let path = Path::new(&entry.place);
            let read = disk::read(path, FIRMWARE_LIMIT);
            let bytes = read.map_err(|error| ShelfError::Folder(path.to_owned(), error))?;
            return Firmware::read(&entry.file, bytes).map_err(of_file);
        }
        if entry.sha256.is_none() && is_downgrade(&self.place, &entry.place) {
            return Err(ShelfError::Insecure(entry.place.clone()));
        }
        let bytes = self.bytes(&entry.place, FIRMWARE_LIMIT).await?;
        let firmware = Firmware::read(&entry.file, bytes).map_err(of_file)?;
        if entry.sha256.is_none() {
            // A file that cannot be stored is fetched again.
            let _ = self.remember(entry, &firmware);
        }
        Ok(firmware)
    }

    fn remember(&self, entry: &Entry, firmware: &Firmware) -> io::Result<()> {
        let Some(cache) = &self.cache else {
            return Ok(());
        };
        let folder = cache.join("firmware");
        fs::create_dir_all(&folder)?;
        disk::replace(&folder.join(&firmware.name), &firmware.bytes)?;
        let mut list = self.kept_list().unwrap_or_default();
        list.remember(&entry.place, &firmware.sha256());
        self.keep(&list)
    }

    /// Returns the path of the site's list in the cache.
    fn list_file(&self) -> Option<PathBuf> {
        let letters = |char: char| {
            if char.is_ascii_alphanumeric() {
                char
            } else {
                '-'
            }
        };
        let name: String = self.place.chars().map(letters).collect();
        let cache = self.cache.as_ref()?;
        Some(cache.join("catalogues").join(format!("{name}.json")))
    }

    /// Reads the site's list from the cache.
    fn kept_list(&self) -> Option<Kept> {
        let text = disk::read_text(&self.list_file()?, PAGE_LIMIT).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn keep(&self, list: &Kept) -> io::Result<()> {
        let Some(path) = self.list_file() else {
            return Ok(());
        };
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        disk::replace(&path, &serde_json::to_vec_pretty(list)?)
    }
}

impl std::fmt::Display for ShelfError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Fetch(error) => write!(
                f,
                "{error}\nWithout a network, name a file, or a folder of firmware with --firmware DIR"
            ),
            Self::List(file, error) => write!(
                f,
                "{file} is not a valid firmware list: {error}. Its publisher must fix it; meanwhile, name a file, or another place with --firmware"
            ),
            Self::Insecure(place) => write!(
                f,
                "{place} is listed without https and without a SHA-256, so it could be changed in transit; nothing was read. Name \
                 the file's address with https, or its --sha256"
            ),
            Self::Changed { file, sha256 } => write!(
                f,
                "{file} differs from the one that is listed: its SHA-256 is {sha256}. Nothing was written; `--renew` reads the list again"
            ),
            Self::NotFirmware(file, error) => write!(f, "{file}: {error}; nothing was written"),
        }
    }
}

impl std::error::Error for ShelfError {}

/// Size limit of a page and of a list, in bytes.
const PAGE_LIMIT: u64 = 8 << 20;
/// Limit of the pages read for one name.
const PAGES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_without_https_needs_the_hash_of_the_list() {
        let shelf = Shelf::new("https://makers.example/download/");
        let listed = "http://makers.example/RPI_PICO-20260406-v1.28.0.uf2";
        let entry = Entry::of_file(listed).unwrap();
        let refused = shelf.get(&entry).await.unwrap_err();
        assert!(
            matches!(&refused, ShelfError::Insecure(it) if it == listed),
            "{refused}"
        );
    }
}
