//! Names that something else than the command obeys, as soon as they are there.

use super::super::runs;
pub(super) use super::super::runs::{GIT, Kept};

/// Returns why a name is kept from commands, if it is.
pub(super) fn kept(name: &[u8]) -> Option<Kept> {
    std::str::from_utf8(name).ok().and_then(runs::kept)
}

/// Whether settings in such a folder are of no use: it is full of other people's projects, and none is opened there.
pub(super) fn is_library(name: &[u8]) -> bool {
    LIBRARIES.iter().any(|library| name == library.as_bytes())
}

/// An empty folder stands in for those at the top that are not there, while a command runs: git, an editor or an assistant
/// of the person's would use what a command makes of that name at once.
pub(super) const STAND_INS: [&str; 7] = [
    ".git", ".flylead", ".vscode", ".idea", ".husky", ".github", ".claude",
];

const LIBRARIES: [&str; 4] = ["node_modules", "site-packages", "vendor", "third_party"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_in_any_case_and_their_likes_are_not() {
        assert_eq!(kept(b".GiT"), Some(Kept::Git));
        assert_eq!(kept(b".Vscode"), Some(Kept::Settings));
        assert_eq!(kept(b"lefthook.yml"), Some(Kept::Top));
        for name in [
            "git",
            ".gitignore",
            ".git2",
            "src",
            ".vscode-test",
            "lib",
            "",
        ] {
            assert_eq!(kept(name.as_bytes()), None, "{name}");
        }
    }
}
