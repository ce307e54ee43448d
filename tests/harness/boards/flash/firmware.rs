//! Firmware images of the makers, each known by its hash; none is part of this repository.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use flylead_core::to_hexadecimal;
use flylead_native::install::{Fetcher, Source};
use sha2::{Digest as _, Sha256};
use tokio::runtime;

/// A firmware image, by its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Firmware {
    /// Version of MicroPython.
    pub version: &'static str,
    /// Name of the image at the makers' download site.
    pub image: &'static str,
    sha256: &'static str,
}

/// The images that the tests know: an old one, and a new one.
const FIRMWARE: [Firmware; 2] = [
    Firmware {
        version: "v1.19",
        image: "rp2-pico-20220618-v1.19.1.uf2",
        sha256: "958ad98a21a036a529c0b17bad1e0223e80cdd4b089cd5596d14966760ab3c3f",
    },
    Firmware {
        version: "v1.28",
        image: "SEEED_XIAO_RP2040-20260406-v1.28.0.uf2",
        sha256: "27b41295467267c923ff5014ed622962d693f415e8a1089dc87f5c6731c9e3ec",
    },
];

/// The makers' download site.
const SITE: &str = "https://micropython.org/resources/firmware";

/// Limit in bytes, about three times the size of an image.
const LARGEST: u64 = 2 << 20;

impl Firmware {
    /// The image of a version.
    #[must_use]
    pub fn of(version: &str) -> Option<Self> {
        FIRMWARE.into_iter().find(|it| it.version == version)
    }

    /// Images that can be had. The others are named in a line that `cargo xtask test` shows.
    pub fn present() -> impl Iterator<Item = Self> {
        let present = FIRMWARE
            .into_iter()
            .map(|firmware| (firmware, firmware.obtain()));
        present.filter_map(|(firmware, image)| match image {
            Ok(_) => Some(firmware),
            Err(why) => {
                println!("\nskipped: {why}");
                None
            }
        })
    }

    /// Finds the image by its hash, under any name, in the folder `FLYLEAD_FIRMWARE` or the user's cache.
    #[must_use]
    pub fn find(self) -> Option<PathBuf> {
        let files = folders().into_iter();
        let files = files.filter_map(|folder| fs::read_dir(folder).ok());
        let mut images = files.flatten().filter_map(|file| Some(file.ok()?.path()));
        images.find(|path| {
            let is_image = path.extension().is_some_and(|end| end == "uf2");
            is_image && fs::read(path).is_ok_and(|bytes| self.is(&bytes))
        })
    }

    /// Finds the image, or fetches it from the makers' download site, once in a process, and keeps it in the user's cache.
    ///
    /// # Errors
    ///
    /// It is not there and cannot be fetched, as a line that begins with `NOT RUN: pico`.
    pub fn obtain(self) -> Result<PathBuf, String> {
        if let Some(image) = self.find() {
            return Ok(image);
        }
        static ATTEMPTS: [OnceLock<Result<PathBuf, String>>; FIRMWARE.len()] =
            [const { OnceLock::new() }; FIRMWARE.len()];
        let number = FIRMWARE.iter().position(|it| *it == self);
        let attempt = &ATTEMPTS[number.expect("all are in the list")];
        let fetch = || {
            let folder = cache().ok_or("there is no cache folder")?;
            self.fetch(SITE, &folder)
        };
        attempt.get_or_init(fetch).clone().map_err(|why| {
            let Self { version, image, .. } = self;
            format!("NOT RUN: pico {version}: {image} is neither in FLYLEAD_FIRMWARE nor in the cache, and {why}")
        })
    }

    /// Fetches the image from a site into a folder, where it appears whole or not at all.
    ///
    /// # Errors
    ///
    /// There is no network, the site has no such image, or it is not the one that was meant.
    pub fn fetch(self, site: &str, folder: &Path) -> Result<PathBuf, String> {
        let url = format!("{site}/{}", self.image);
        let runtime = runtime::Builder::new_current_thread().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let fetcher = Fetcher::without_redirections();
        let source = Source::Url(url.clone());
        let fetched = runtime.block_on(fetcher.fetch(&source, LARGEST));
        let bytes = fetched.map_err(|error| format!("it cannot be fetched: {error}"))?;
        if !self.is(&bytes) {
            return Err(format!("{url} has another hash"));
        }
        self.keep(folder, &bytes)
            .map_err(|error| format!("{}: {error}", folder.display()))
    }

    fn keep(self, folder: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        let path = folder.join(self.image);
        let part = tempfile::NamedTempFile::new_in(folder)?;
        fs::write(part.path(), bytes)?;
        part.persist(&path)?;
        Ok(path)
    }

    fn is(self, bytes: &[u8]) -> bool {
        to_hexadecimal(&Sha256::digest(bytes)) == self.sha256
    }
}

fn cache() -> Option<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")));
    cache.map(|cache| cache.join("flylead/firmware"))
}

fn folders() -> Vec<PathBuf> {
    let named = env::var_os("FLYLEAD_FIRMWARE").map(PathBuf::from);
    named.into_iter().chain(cache()).collect()
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpListener,
        thread,
    };

    use super::*;

    /// The hash is that of `image`.
    const MEANT: Firmware = Firmware {
        version: "v0",
        image: "board.uf2",
        sha256: "6105d6cc76af400325e94d588ce511be5bfdbb73b437dc51eca43917d7a43e3d",
    };

    /// A site on this computer that gives this answer to one question.
    fn site(status: &'static str, body: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback is there");
        let url = format!("http://{}", listener.local_addr().expect("it has one"));
        thread::spawn(move || {
            let (mut client, _) = listener.accept().expect("the test asks");
            let _ = client.read(&mut [0; 1024]);
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            let _ = client.write_all(answer.as_bytes());
        });
        url
    }

    #[test]
    fn an_image_is_kept_if_it_is_the_one_that_was_meant() {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let cache = folder.path().join("cache");
        let image = MEANT.fetch(&site("200 OK", "image"), &cache);
        assert_eq!(image, Ok(cache.join("board.uf2")));
        assert_eq!(
            fs::read(cache.join("board.uf2")).expect("it is kept"),
            b"image"
        );
        for (status, body, why) in [
            ("200 OK", "another", "another hash"),
            ("404 Not Found", "image", "cannot be fetched"),
        ] {
            let empty = folder.path().join(why);
            let error = MEANT.fetch(&site(status, body), &empty).expect_err(why);
            assert!(error.contains(why), "{error}");
            assert!(!empty.join("board.uf2").exists(), "{error}");
        }
        let error = MEANT
            .fetch("http://127.0.0.1:9", &cache)
            .expect_err("nobody listens");
        assert!(error.starts_with("it cannot be fetched: "), "{error}");
    }
}
