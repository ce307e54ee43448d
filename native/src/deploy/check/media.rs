//! File systems of a board, and instructions for recreating a damaged one.

use crate::{
    Board, BoardError,
    link::doctor::{Area, Finding},
    literal::Literal,
};

/// File systems of a board.
#[derive(Debug, Default)]
pub(super) struct Media {
    /// The board's `sys.platform`.
    pub(super) platform: String,
    /// Paths at which something is mounted beside the root; `None` where the root cannot be listed.
    mounts: Option<Vec<String>>,
}

impl Media {
    /// Asks the board for its platform and its mounts.
    pub(super) async fn of(board: &mut Board) -> Result<Self, BoardError> {
        let platform = board.value_of_own("__import__('sys').platform").await?;
        let platform = platform.as_ref().and_then(Literal::as_text);
        let mounts = board.value_of_own(MOUNTS).await?;
        let paths = |names: Literal| {
            let names = names.items().iter().filter_map(Literal::as_text);
            names.map(|name| format!("/{name}")).collect()
        };
        Ok(Self {
            platform: platform.unwrap_or_default().to_owned(),
            mounts: mounts.map(paths),
        })
    }

    /// Returns the path at which the file system of a path is mounted; `None` where it is unknown.
    fn mount(&self, path: &str) -> Option<&str> {
        let inside = |mount: &&String| {
            let rest = path.strip_prefix(mount.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match &self.mounts {
            // A board without directories has one file system.
            None => (path == "/" || !path.starts_with('/')).then_some("/"),
            Some(mounts) => Some(mounts.iter().find(inside).map_or("/", String::as_str)),
        }
    }

    /// Returns a finding about damage at a path. It explains how to create a new file system only for the one from
    /// which the board starts.
    pub(super) fn damaged(&self, path: &str, text: String) -> Finding {
        let next = match self.mount(path) {
            Some("/" | "/flash") => remake(&self.platform).to_owned(),
            Some(mount) => format!(
                "check or replace what is mounted at {mount}, such as a card: it is not the board's own flash"
            ),
            None => "check what is mounted there".to_owned(),
        };
        let advice = format!("save what can be read by `flylead cp`; then {next}");
        Area::Files.fault(text).advising(advice)
    }
}

/// Returns instructions for a new file system (MicroPython v1.28, `ports/rp2/modules/_boot.py`,
/// `ports/esp32/modules/inisetup.py`).
fn remake(platform: &str) -> &'static str {
    match platform {
        "rp2" => {
            "make a new file system, which erases everything: `flylead exec \"import os, rp2; b = rp2.Flash(); \
                  os.VfsLfs2.mkfs(b, progsize=256)\"`, then `flylead reset --hard`"
        }
        "esp32" | "esp8266" => {
            "make a new file system, which erases everything: `flylead exec \"import inisetup; \
                                inisetup.setup()\"`, then `flylead reset --hard`"
        }
        _ => {
            "make a new file system, as the board's documentation describes it; writing its firmware again does so on many"
        }
    }
}

/// Expression for the names mounted beside the root: MicroPython v1.28 lists them with three values each
/// (`extmod/vfs.c`), and files and folders of flash and cards with four.
const MOUNTS: &str = "[e[0] for e in __import__('os').ilistdir('/') if len(e)==3 and e[1]==16384]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_file_system_that_the_board_starts_from_is_to_be_erased() {
        let media = Media {
            platform: "rp2".to_owned(),
            mounts: Some(vec!["/sd".to_owned(), "/rom".to_owned()]),
        };
        let erases = |media: &Media, path| {
            let advice = media.damaged(path, String::new()).advice.unwrap();
            advice.contains("erases")
        };
        for path in ["/", "/main.py", "/lib/a.py", "/sdx/a"] {
            assert!(erases(&media, path), "{path}");
        }
        for path in ["/sd", "/sd/main.py", "/rom/a"] {
            assert!(!erases(&media, path), "{path}");
        }
        let unlisted = Media {
            mounts: None,
            ..media
        };
        assert!(erases(&unlisted, "/") && !erases(&unlisted, "/sd"));
    }
}
