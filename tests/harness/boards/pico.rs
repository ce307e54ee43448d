//! The makers' own firmware of the Raspberry Pi Pico, on an emulated RP2040 with flash and USB.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use flylead_core::to_hexadecimal;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::{
    leash::{Leash, wait_for},
    setup::{need, venv},
    tty::Tty,
};

/// A Pico: raw-paste mode, a file system in flash, 192 kB of memory.
///
/// The emulator takes some twenty seconds of processor time for one of the board's, so it shows what a board has to do, and
/// not how long a person waits.
#[derive(Debug)]
pub struct Pico {
    path: PathBuf,
    _process: Leash,
    _home: TempDir,
}

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
pub const FIRMWARE: [Firmware; 2] = [
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

impl Firmware {
    /// The image of a version.
    #[must_use]
    pub fn of(version: &str) -> Option<Self> {
        FIRMWARE.into_iter().find(|it| it.version == version)
    }

    /// Finds the image by its hash, under any name, in the folder `FLYLEAD_FIRMWARE` or the user's cache.
    #[must_use]
    pub fn find(self) -> Option<PathBuf> {
        let files = folders()
            .into_iter()
            .filter_map(|folder| fs::read_dir(folder).ok());
        let mut images = files.flatten().filter_map(|file| Some(file.ok()?.path()));
        images.find(|path| {
            let is_image = path.extension().is_some_and(|end| end == "uf2");
            is_image && fs::read(path).is_ok_and(|bytes| self.is(&bytes))
        })
    }

    fn is(self, bytes: &[u8]) -> bool {
        to_hexadecimal(&Sha256::digest(bytes)) == self.sha256
    }
}

fn folders() -> Vec<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")));
    let cache = cache.map(|cache| cache.join("flylead/firmware"));
    let named = env::var_os("FLYLEAD_FIRMWARE").map(PathBuf::from);
    named.into_iter().chain(cache).collect()
}

impl Pico {
    /// Starts one with an empty file system.
    ///
    /// # Panics
    ///
    /// When it does not come up within half a minute.
    #[must_use]
    pub fn start(image: &Path) -> Self {
        let home = tempfile::Builder::new()
            .prefix("flylead-pico-")
            .tempdir()
            .expect("there is room for temporary files");
        let log = home.path().join("log");
        let emulator = need(&venv().join("bin/rp2040py"));
        let files = home.path().join("files.img");
        let [emulator, image, files] =
            [&emulator, image, &files].map(|path| path.display().to_string());
        let arguments = [
            "micropython",
            "--image",
            &image,
            "--pty",
            "--littlefs",
            &files,
        ];
        let process = Leash::start(&emulator, &arguments, &log);
        let path = wait_for(
            || {
                let said = fs::read_to_string(&log).ok()?;
                let (_, rest) = said.split_once("PTY REPL listening on ")?;
                let (path, _) = rest.split_once(' ')?;
                Some(PathBuf::from(path))
            },
            || fs::read_to_string(&log).unwrap_or_default(),
        );
        // Its end stays open: what the first client did not read is not the next one's.
        drop(Tty::open(&path).expect("the emulator's pty can be opened"));
        Self {
            path,
            _process: process,
            _home: home,
        }
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
