//! Memory of an idle server.

#[cfg(target_os = "linux")]
use std::{ffi::c_void, fs};

/// Returns the program's own pages to the system, which reads needed pages again from the file.
///
/// Starting and serving use parts of a large program that waiting never reaches. On Linux, these parts are most of the
/// memory of an idle server, which calls this when it [has come to rest](super::Server::rested). Elsewhere this does
/// nothing.
pub fn release_pages() {
    #[cfg(target_os = "linux")]
    if let Ok(maps) = fs::read_to_string("/proc/self/smaps") {
        mappings(&maps)
            .filter(Mapping::is_unchanged)
            .for_each(|mapping| mapping.release());
    }
}

/// A mapping in this process's memory (proc_pid_smaps(5)).
#[cfg(target_os = "linux")]
#[derive(Debug, Default, PartialEq)]
struct Mapping {
    start: usize,
    end: usize,
    /// True for the content of a file that nothing can write to.
    is_constant: bool,
    /// Size of the memory that does not come from the file, in kB.
    changed: u64,
}

#[cfg(target_os = "linux")]
impl Mapping {
    /// Parses a line such as `55d0…-55d1… r-xp 00000000 fe:00 1234 /usr/bin/flylead`.
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
        // SAFETY: the pages belong to a file, and nothing in them was or can be changed, so later reads return the same
        // bytes. An error leaves everything unchanged.
        let _ = unsafe { rustix::mm::madvise(start, self.end - self.start, advice) };
    }
}

/// Returns all mappings of a `smaps` file.
#[cfg(target_os = "linux")]
fn mappings(smaps: &str) -> impl Iterator<Item = Mapping> {
    let mut found: Vec<Mapping> = Vec::new();
    for line in smaps.lines() {
        if let Some(mapping) = Mapping::of_line(line) {
            found.push(mapping);
        } else if let Some(last) = found.last_mut()
            && let Some((field, size)) = line.split_once(':')
            // Dirty pages may belong to a file that was written a moment ago.
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
