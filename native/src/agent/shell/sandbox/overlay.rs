//! Mounts an overlay over a folder in a mount namespace of its own, in which bubblewrap then makes the sandbox.

use std::{
    ffi::{CStr, CString},
    io,
    os::unix::{ffi::OsStrExt, process::CommandExt},
    path::Path,
    process::Command,
};

/// Starts a command where `merged` shows `lower`, with all changes in `upper`.
#[expect(
    unsafe_code,
    reason = "there is no safe way to work in the new process"
)]
pub(super) fn prepare(
    command: &mut Command,
    lower: &Path,
    [upper, work, merged]: [&Path; 3],
) -> io::Result<()> {
    let path = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other);
    let paths = [path(lower)?, path(upper)?, path(work)?];
    let merged = path(merged)?;
    let parent = std::process::id();
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let maps = [
        (c"/proc/self/setgroups", "deny".to_owned()),
        (c"/proc/self/uid_map", format!("{0} {0} 1", user.as_raw())),
        (c"/proc/self/gid_map", format!("{0} {0} 1", group.as_raw())),
    ];
    // SAFETY: between fork and exec only system calls are made; nothing is allocated and no lock is taken.
    unsafe {
        command.pre_exec(move || {
            die_with(parent)?;
            enter_namespace(&maps)?;
            // A change of rights resets it.
            die_with(parent)?;
            mount(c"none", c"/", None, libc::MS_REC | libc::MS_PRIVATE, None)?;
            let mut options = Options::new();
            // Paths may contain the separator of options; the numbers of descriptors do not.
            for (name, path) in ["userxattr,lowerdir=", ",upperdir=", ",workdir="]
                .iter()
                .zip(&paths)
            {
                options.push(name);
                options.push("/proc/self/fd/");
                options.push_number(open(path)?);
            }
            mount(
                c"overlay",
                &merged,
                Some(c"overlay"),
                libc::MS_NOSUID | libc::MS_NODEV,
                Some(options.text()),
            )
        });
    }
    Ok(())
}

/// Makes this process end with the agent, whose lock it still holds: an overlay takes a while under load.
#[expect(unsafe_code, reason = "libc's functions")]
fn die_with(parent: u32) -> io::Result<()> {
    // SAFETY: these calls only take numbers.
    let is_orphan = unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        u32::try_from(libc::getppid()) != Ok(parent)
    };
    match is_orphan {
        true => Err(io::ErrorKind::Interrupted.into()),
        false => Ok(()),
    }
}

type Maps = [(&'static CStr, String); 3];

/// Enters a mount namespace. The administrator needs no user namespace for it, except in containers that refuse it
/// without one.
#[expect(unsafe_code, reason = "libc's functions")]
fn enter_namespace(maps: &Maps) -> io::Result<()> {
    // SAFETY: this process has one thread.
    if unsafe { libc::unshare(libc::CLONE_NEWNS) } == 0 {
        return Ok(());
    }
    // SAFETY: as above.
    if unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS) } != 0 {
        return Err(io::Error::last_os_error());
    }
    maps.iter().try_for_each(|(path, text)| write(path, text))
}

#[expect(unsafe_code, reason = "libc's functions")]
fn write(path: &CStr, text: &str) -> io::Result<()> {
    // SAFETY: the path ends with NUL, and the text is as long as it says.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        let written = libc::write(file, text.as_ptr().cast(), text.len());
        let error = io::Error::last_os_error();
        libc::close(file);
        if written < 0 { Err(error) } else { Ok(()) }
    }
}

#[expect(unsafe_code, reason = "libc's functions")]
fn open(path: &CStr) -> io::Result<i32> {
    // SAFETY: the path ends with NUL.
    match unsafe { libc::open(path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC) } {
        -1 => Err(io::Error::last_os_error()),
        fd => Ok(fd),
    }
}

#[expect(unsafe_code, reason = "libc's functions")]
fn mount(
    what: &CStr,
    at: &CStr,
    kind: Option<&CStr>,
    flags: libc::c_ulong,
    options: Option<&CStr>,
) -> io::Result<()> {
    let pointer = |text: Option<&CStr>| text.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: all texts end with NUL, and live until it returns.
    match unsafe {
        libc::mount(
            what.as_ptr(),
            at.as_ptr(),
            pointer(kind),
            flags,
            pointer(options).cast(),
        )
    } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Text assembled without allocation.
struct Options {
    bytes: [u8; 256],
    length: usize,
}

impl Options {
    const fn new() -> Self {
        Self {
            bytes: [0; 256],
            length: 0,
        }
    }

    /// Appends a text. The last byte stays NUL.
    fn push(&mut self, text: &str) {
        for byte in text.bytes().take(self.bytes.len() - 1 - self.length) {
            self.bytes[self.length] = byte;
            self.length += 1;
        }
    }

    fn push_number(&mut self, number: i32) {
        let mut digits = [0; 10];
        let mut rest = number.unsigned_abs();
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.push(std::str::from_utf8(&digits[at..]).unwrap_or_default());
    }

    fn text(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_put_together_and_end() {
        let mut options = Options::new();
        options.push("lowerdir=/proc/self/fd/");
        options.push_number(1207);
        options.push(",");
        options.push_number(0);
        assert_eq!(options.text(), c"lowerdir=/proc/self/fd/1207,0");
        options.push(&"x".repeat(1000));
        assert_eq!(options.text().to_bytes().len(), 255);
    }
}
