//! Parses requests for packages: names with versions, addresses, paths.

use super::Source;

/// Splits a version off a name. URLs and paths have no version of their own, and may contain an `@` anywhere.
pub(super) fn split_version(request: &str) -> (&str, Option<&str>) {
    if request.starts_with("http://") || request.starts_with("https://") {
        return (request, None);
    }
    let is_remote = Source::remote(&as_file(request), None).is_ok_and(|source| source.is_some());
    match request.rsplit_once('@') {
        Some((name, version)) if is_remote || !is_path(name) => (name, Some(version)),
        _ => (request, None),
    }
}

/// Returns the path of a package.json: the name itself if it is a file, or else the one in that folder.
pub(super) fn as_file(name: &str) -> String {
    match is_code(name) || name.ends_with(".json") {
        true => name.to_owned(),
        false => format!("{}/package.json", name.trim_end_matches('/')),
    }
}

pub(super) fn is_code(name: &str) -> bool {
    name.ends_with(".py") || name.ends_with(".mpy")
}

/// Returns true for a place on this computer, and false for a name in an index.
pub(super) fn is_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name.starts_with('.') || is_code(name) || name.ends_with(".json")
}

/// Returns true for a valid component of an index's paths.
pub(super) fn is_word(text: &str) -> bool {
    let is_plain =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-' | '+');
    !text.is_empty() && !text.starts_with('.') && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_follows_a_name_or_a_repository_and_nothing_else() {
        for (request, name, version) in [
            ("aioble", "aioble", None),
            ("aioble@0.4", "aioble", Some("0.4")),
            ("github:a/b@v1", "github:a/b", Some("v1")),
            ("github:a/b/c.py@v1", "github:a/b/c.py", Some("v1")),
            ("http://me@host/x@1", "http://me@host/x@1", None),
            ("./a@b/package.json", "./a@b/package.json", None),
        ] {
            assert_eq!(split_version(request), (name, version));
        }
    }

    #[test]
    fn a_folder_stands_for_its_package() {
        for (name, file) in [
            ("./a/", "./a/package.json"),
            ("http://host/a", "http://host/a/package.json"),
            ("./a/other.json", "./a/other.json"),
            ("./a.mpy", "./a.mpy"),
        ] {
            assert_eq!(as_file(name), file);
        }
    }
}
