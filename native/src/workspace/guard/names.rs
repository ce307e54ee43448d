//! Names that something else than the command obeys, as soon as they are there.

/// Why a name is kept from commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// git's folder, or the file that says where it is.
    Git,
    /// Settings of an editor, an assistant or a shell, and hooks.
    Settings,
    /// What a build server or git's hooks read from the top of a repository.
    Top,
}

/// What a name is, if it is one of them. Case is ignored, as some disks do.
pub(super) fn kept(name: &[u8]) -> Option<Kept> {
    let name = std::str::from_utf8(name).ok()?;
    let is_one = |names: &str| {
        names
            .split_whitespace()
            .any(|it| name.eq_ignore_ascii_case(it))
    };
    match name {
        _ if name.eq_ignore_ascii_case(GIT) => Some(Kept::Git),
        _ if !name.starts_with(['.', 'l', 'L']) => None,
        _ if is_one(SETTINGS) => Some(Kept::Settings),
        _ if is_one(TOP) => Some(Kept::Top),
        _ => None,
    }
}

/// Whether settings in such a folder are of no use: it is full of other people's projects, and none is opened there.
pub(super) fn is_library(name: &[u8]) -> bool {
    LIBRARIES.iter().any(|library| name == library.as_bytes())
}

pub(super) const GIT: &str = ".git";

/// Codex keeps `.git`, `.codex` and `.agents` (codex-rs/linux-sandbox/README.md), sandbox-runtime `.git`, `.vscode`,
/// `.idea`, `.gitconfig`, `.mcp.json` and shells' settings (src/sandbox/sandbox-utils.ts); these are theirs and their
/// siblings.
const SETTINGS: &str = ".flylead .vscode .idea .zed .fleet .vim .husky .githooks .envrc .claude .codex .agents .cursor \
    .gemini .windsurf .continue .roo .mcp.json .devcontainer .devcontainer.json .gitconfig .bashrc .bash_profile \
    .profile .zshrc .zshenv .zprofile .exrc .nvimrc .nvim.lua .lvimrc .dir-locals.el";

/// At the top of the workspace, or beside a `.git`.
const TOP: &str = ".github .gitlab .gitlab-ci.yml .circleci .gitea .forgejo .buildkite .woodpecker .woodpecker.yml \
    .drone.yml .travis.yml .pre-commit-config.yaml .lefthook.yml lefthook.yml";

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
