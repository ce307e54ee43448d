//! Sources of packages and their files.

use std::{fmt, path::PathBuf};

use super::Error;

/// Source of a package, a file or an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A path on this computer, as the user named it.
    Path(PathBuf),
    /// A path below a folder of this computer that the user named; links that lead out of the folder are not followed.
    Below {
        /// The folder.
        folder: PathBuf,
        /// Path below the folder, with slashes.
        path: String,
    },
    /// An address on the network, over `http:` or `https:`.
    Url(String),
}

impl Source {
    /// Parses an address: a URL, `github:OWNER/REPOSITORY/PATH` or `gitlab:…` at a branch or tag, or else a local path.
    ///
    /// # Errors
    /// The address of a forge lacks an owner, a repository or a path, or its path leads out of the repository.
    pub fn parse(text: &str, branch: Option<&str>) -> Result<Self, Error> {
        Ok(Self::remote(text, branch)?.unwrap_or_else(|| Self::Path(PathBuf::from(text))))
    }

    /// Parses a remote address; `None` for anything else.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn remote(text: &str, branch: Option<&str>) -> Result<Option<Self>, Error> {
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Some(Self::Url(text.to_owned())));
        }
        let Some((forge, path)) = FORGES
            .iter()
            .find_map(|forge| Some((forge, text.strip_prefix(forge.scheme)?)))
        else {
            return Ok(None);
        };
        let bad = || Error::BadName {
            name: text.to_owned(),
        };
        let branch = branch.unwrap_or("HEAD");
        let (owner, rest) = path.split_once('/').ok_or_else(bad)?;
        let (repository, file) = rest.split_once('/').ok_or_else(bad)?;
        if !is_inside(branch) || !is_inside(&format!("{owner}/{repository}/{file}")) {
            return Err(bad());
        }
        // One after the other, because a name may equal a word of the pattern.
        let words = [
            ("OWNER", owner),
            ("REPOSITORY", repository),
            ("BRANCH", branch),
            ("FILE", file),
        ];
        let mut url = String::new();
        let mut rest = forge.address;
        while let Some((at, word, value)) = words
            .iter()
            .filter_map(|(word, value)| Some((rest.find(word)?, word, value)))
            .min()
        {
            url.extend([&rest[..at], value]);
            rest = &rest[at + word.len()..];
        }
        Ok(Some(Self::Url(url + rest)))
    }

    /// Joins a path to this one.
    #[must_use]
    pub fn join(&self, below: &str) -> Self {
        match self {
            Self::Path(path) => Self::Below {
                folder: path.clone(),
                path: below.to_owned(),
            },
            Self::Below { folder, path } => Self::Below {
                folder: folder.clone(),
                path: format!("{path}/{below}"),
            },
            Self::Url(url) => Self::Url(format!("{}/{below}", url.trim_end_matches('/'))),
        }
    }

    /// Resolves a file that a package.json names: a full address, or one relative to the package.json itself. Paths
    /// never lead out of its folder, so that a package cannot put other files of this computer onto the board.
    ///
    /// # Errors
    /// The address leads out of the folder of the package.json, or is invalid.
    pub fn of_file(&self, address: &str, branch: Option<&str>) -> Result<Self, Error> {
        if let Some(remote) = Self::remote(address, branch)? {
            return Ok(remote);
        }
        if !is_inside(address) {
            return Err(Error::Outside {
                path: address.to_owned(),
            });
        }
        Ok(self.beside(address))
    }

    /// Returns a source in the same folder.
    fn beside(&self, name: &str) -> Self {
        match self {
            Self::Path(path) => {
                Self::Path(path.parent().map(PathBuf::from).unwrap_or_default()).join(name)
            }
            Self::Below { folder, path } => Self::Below {
                folder: folder.clone(),
                path: match path.rsplit_once('/') {
                    Some((above, _)) => format!("{above}/{name}"),
                    None => name.to_owned(),
                },
            },
            Self::Url(url) => {
                let path = url.split(['?', '#']).next().unwrap_or(url);
                let folder = path.rsplit_once('/').map_or(path, |(folder, _)| folder);
                // For a forge that takes the branch there.
                let branch = url[path.len()..].strip_prefix("?ref=");
                let branch = branch.map(|branch| format!("?ref={branch}"));
                Self::Url(format!("{folder}/{name}{}", branch.unwrap_or_default()))
            }
        }
    }
}

/// Returns true if a path stays below its start on any system: it has no root, no drive, and no `..`.
pub(super) fn is_inside(path: &str) -> bool {
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    let is_odd = |char: char| char.is_control() || matches!(char, '\\' | ':');
    path.split('/').all(is_plain) && !path.contains(is_odd)
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Below { folder, path } => folder.join(path).display().fmt(f),
            Self::Url(url) => f.write_str(url),
        }
    }
}

/// Host of repositories with a shorthand notation.
struct Forge {
    scheme: &'static str,
    /// Pattern of a file's address.
    address: &'static str,
}

const FORGES: [Forge; 3] = [
    Forge {
        scheme: "github:",
        address: "https://raw.githubusercontent.com/OWNER/REPOSITORY/BRANCH/FILE",
    },
    Forge {
        scheme: "gitlab:",
        address: "https://gitlab.com/OWNER/REPOSITORY/-/raw/BRANCH/FILE",
    },
    Forge {
        scheme: "codeberg:",
        address: "https://codeberg.org/api/v1/repos/OWNER/REPOSITORY/raw/FILE?ref=BRANCH",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Source {
        Source::Url(text.to_owned())
    }

    #[test]
    fn short_addresses_are_a_repository_at_a_branch() {
        for (text, branch, address) in [
            (
                "github:a/b/c/d.py",
                None,
                "https://raw.githubusercontent.com/a/b/HEAD/c/d.py",
            ),
            (
                "github:a/b/d.py",
                Some("v1"),
                "https://raw.githubusercontent.com/a/b/v1/d.py",
            ),
            (
                "codeberg:a/b/c/d.py",
                Some("v1"),
                "https://codeberg.org/api/v1/repos/a/b/raw/c/d.py?ref=v1",
            ),
            (
                "gitlab:a/b/d.py",
                Some("x/y"),
                "https://gitlab.com/a/b/-/raw/x/y/d.py",
            ),
        ] {
            assert_eq!(Source::parse(text, branch), Ok(url(address)));
        }
        for text in ["github:", "github:a/b", "github:a/../x", "github:a/b/../x"] {
            assert!(Source::parse(text, None).is_err(), "{text}");
        }
        assert!(Source::parse("github:a/b/c.py", Some("../x")).is_err());
    }

    #[test]
    fn files_are_found_beside_their_package() {
        let here = Source::Path("pkg/package.json".into());
        let there = url("http://host/pkg/package.json?raw=1");
        assert_eq!(
            here.of_file("src/a.py", None),
            Ok(Source::Path("pkg".into()).join("src/a.py"))
        );
        assert_eq!(
            there.of_file("src/a.py", None),
            Ok(url("http://host/pkg/src/a.py"))
        );
        assert_eq!(
            url("https://codeberg.org/api/v1/repos/a/b/raw/p/package.json?ref=v1")
                .of_file("src/a.py", None),
            Ok(url(
                "https://codeberg.org/api/v1/repos/a/b/raw/p/src/a.py?ref=v1"
            ))
        );
        assert_eq!(
            there.of_file("http://other/a.py", None),
            Ok(url("http://other/a.py"))
        );
    }

    #[test]
    fn no_package_reaches_for_other_files_of_this_computer() {
        let here = Source::Path("pkg/package.json".into());
        for path in [
            "/etc/passwd",
            "../secret",
            "a/../../b",
            "C:\\x",
            "file:///x",
            "",
            "a//b",
            "./a",
            "a\0",
        ] {
            assert!(
                matches!(here.of_file(path, None), Err(Error::Outside { .. })),
                "{path}"
            );
        }
    }
}
