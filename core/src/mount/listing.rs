//! Builds answers that do not depend on the kind of folder.

use alloc::{string::String, vec::Vec};

use super::answer::{Content, Found};

/// Suffixes that an `import` tries when it looks up a path, in order; none for a path that no
/// `import` looks up (MicroPython v1.29, `py/builtinimport.c`, `stat_path` and `stat_module`).
#[must_use]
pub fn module_endings(path: &str, is_directory: bool) -> &'static [&'static str] {
    let name = path.rsplit('/').next().unwrap_or_default();
    match is_directory {
        _ if name.is_empty() || name.contains('.') => &[],
        true => &["/__init__.py", "/__init__.mpy"],
        false => &[".py", ".mpy"],
    }
}

/// Returns the entries of a folder that fit into an answer: those after the first `from`, by name, and at least one.
#[must_use]
pub fn page(mut all: Vec<(String, Found)>, from: u32, limit: u32) -> Content {
    all.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let first = all.len().min(from as usize);
    let mut room = limit as usize;
    let fits = all[first..].iter().take_while(|(name, _)| {
        let length = name.len() + ENTRY_HEADER;
        let fits = length <= room;
        room = room.saturating_sub(length);
        fits
    });
    let end = first + fits.count().max(1).min(all.len() - first);
    Content::Entries {
        next: u32::try_from(end).ok().filter(|_| end < all.len()),
        entries: all.drain(first..end).collect(),
    }
}

/// Size of an entry without its name, in bytes.
const ENTRY_HEADER: usize = 7;
/// Limit in bytes: a frame's part of a file.
pub const LONGEST_READ: u32 = 32_000;

#[cfg(test)]
mod tests {
    use alloc::{format, vec::Vec};

    use super::*;

    #[test]
    fn pages_have_every_entry_once_and_end() {
        let all: Vec<_> = (0..40)
            .map(|number| (format!("{number:02}.py"), Found::default()))
            .collect();
        for limit in [0, 1, 12, 100, 1000] {
            let (mut seen, mut from) = (Vec::new(), Some(0));
            while let Some(first) = from {
                let Content::Entries { entries, next } = page(all.clone(), first, limit) else {
                    panic!("a page has entries");
                };
                seen.extend(entries);
                from = next;
            }
            assert_eq!(seen, all, "with room for {limit} bytes");
        }
        assert_eq!(
            page(Vec::new(), 7, 100),
            Content::Entries {
                entries: Vec::new(),
                next: None
            }
        );
    }

    #[test]
    fn only_names_without_a_dot_are_modules() {
        assert_eq!(module_endings("/lib/a", false), [".py", ".mpy"]);
        assert_eq!(module_endings("/lib/a", true)[0], "/__init__.py");
        for path in ["/", "", "/a.py", "/lib/a.b"] {
            assert!(module_endings(path, false).is_empty(), "{path}");
        }
    }
}
