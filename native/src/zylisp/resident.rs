//! Memory of a server that waits.

#[cfg(target_os = "linux")]
use std::{ffi::c_void, fs};

/// Gives the program's own pages back to the system, which reads those that are needed again from the file.
///
/// Starting and serving run through parts of a large program that waiting never comes to. On Linux they are most of what a
/// server that waits holds: it calls this when it [has come to rest](super::Server::rested). Elsewhere this does nothing.
pub fn release_pages() {
    #[cfg(target_os = "linux")]
    if let Ok(maps) = fs::read_to_string("/proc/self/smaps") {
        mappings(&maps)
            .filter(Mapping::is_unchanged)
            .for_each(|mapping| mapping.release());
    }
}

/// A part of this process's memory (proc_pid_smaps(5)).
#[cfg(target_os = "linux")]
#[derive(Debug, Default, PartialEq)]
struct Mapping {
    start: usize,
    end: usize,
    /// True if it is a file's content that nothing can write to.
    is_constant: bool,
    /// Size of what is not the file's, in kB.
    changed: u64,
}

#[cfg(target_os = "linux")]
impl Mapping {
    /// `55d0…-55d1… r-xp 00000000 fe:00 1234 /usr/bin/flylead`.
    fn of_line(line: &str) -> Option<Self> {
        let mut fields = line.split_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let (start, end) = (
            usize::from_str_radix(start, 16),
            usize::from_str_radix(end, 16),
        );
        let access = fields.next()?;
        let path = fields.nth(3).unwrap_or_default();
        Some(Self {
            start: start.ok()?,
            end: end.ok()?,
            is_constant: matches!(access, "r-xp" | "r--p") && path.starts_with('/'),
            changed: 0,
        })
    }

    fn is_unchanged(&self) -> bool {
        self.is_constant && self.changed == 0
    }

    #[expect(unsafe_code, reason = "there is no safe way to give pages back")]
    fn release(self) {
        let start = std::ptr::with_exposed_provenance_mut::<c_void>(self.start);
        let advice = rustix::mm::Advice::LinuxDontNeed;
        // SAFETY: the pages are those of a file, nothing in them was changed and nothing can be: what is read there next is
        // the same. An error leaves everything as it is.
        let _ = unsafe { rustix::mm::madvise(start, self.end - self.start, advice) };
    }
}

/// All mappings of a `smaps` file.
#[cfg(target_os = "linux")]
fn mappings(smaps: &str) -> impl Iterator<Item = Mapping> {
    let mut found: Vec<Mapping> = Vec::new();
    for line in smaps.lines() {
        if let Some(mapping) = Mapping::of_line(line) {
            found.push(mapping);
        } else if let Some(last) = found.last_mut()
            && let Some((field, size)) = line.split_once(':')
            // Dirty pages may be the file's, which was written a moment ago.
            && field == "Anonymous"
        {
            let size = size.trim().trim_end_matches(" kB");
            last.changed += size.parse().unwrap_or(1);
        }
    }
    found.into_iter()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const SMAPS: &str = "\
55d000000000-55d000200000 r--p 00000000 fe:00 1234                       /usr/bin/flylead
Size:               2048 kB
Rss:                1024 kB
Private_Dirty:      1024 kB
Anonymous:             0 kB
55d000200000-55d000400000 r-xp 00200000 fe:00 1234                       /usr/bin/flylead
Anonymous:             0 kB
55d000400000-55d000500000 r--p 00400000 fe:00 1234                       /usr/bin/flylead
Anonymous:           512 kB
55d000500000-55d000600000 rw-p 00500000 fe:00 1234                       /usr/bin/flylead
Anonymous:             0 kB
7f0000000000-7f0000001000 r-xp 00000000 00:00 0                          [vdso]
Anonymous:             0 kB
";

    #[test]
    fn what_is_not_as_it_is_in_a_file_is_kept() {
        let released = mappings(SMAPS).filter(Mapping::is_unchanged);
        let starts: Vec<_> = released.map(|mapping| mapping.start).collect();
        assert_eq!(starts, [0x55d0_0000_0000, 0x55d0_0020_0000]);
        assert_eq!(mappings(SMAPS).count(), 5);
    }

    #[test]
    fn a_program_goes_on_when_its_pages_were_given_back() {
        for _ in 0..3 {
            release_pages();
            let text = format!("{:?}", mappings(SMAPS).last());
            assert!(text.contains("Mapping"), "{text}");
        }
    }
}
