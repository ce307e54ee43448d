//! Prepares a new process before it becomes the command.

use std::{
    io,
    os::{
        fd::{AsRawFd, OwnedFd, RawFd},
        unix::process::CommandExt,
    },
    process::Command,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::bounds::Bounds;

/// Passes on only these descriptors besides standard input and outputs: any other one that this program inherited may
/// lead anywhere. From then on the bounds apply, and a crash leaves no core dump.
#[expect(
    unsafe_code,
    reason = "there is no safe way to work in the new process"
)]
pub(super) fn prepare(command: &mut Command, kept: &[&OwnedFd], bounds: Bounds) {
    let kept: Vec<RawFd> = kept.iter().map(|fd| fd.as_raw_fd()).collect();
    // SAFETY: between fork and exec only system calls are made; nothing is allocated and no lock is taken.
    unsafe {
        command.pre_exec(move || {
            close_at_exec(FIRST_OTHER);
            for &fd in &kept {
                if libc::fcntl(fd, libc::F_SETFD, 0) == -1 {
                    return Err(io::Error::last_os_error());
                }
            }
            limit(bounds)
        });
    }
}

fn limit(bounds: Bounds) -> io::Result<()> {
    for (resource, most) in [
        (Resource::Core, 0),
        (Resource::Fsize, bounds.file),
        // The limit is per process; their total is watched elsewhere.
        (Resource::Data, bounds.memory),
    ] {
        // A limit that is lower already stays.
        let known = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let most = Some(most.min(known));
        setrlimit(
            resource,
            Rlimit {
                current: most,
                maximum: most,
            },
        )?;
    }
    Ok(())
}

#[expect(unsafe_code, reason = "descriptors that nobody owns here are meant")]
fn close_at_exec(first: RawFd) {
    let flag = libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: these calls only set a flag of descriptors, and are ignored where there is none.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, flag) == -1 {
            // Fallback for kernels before Linux 5.11.
            for fd in first..MOST_DESCRIPTORS {
                libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}

/// First descriptor after standard input and both outputs.
const FIRST_OTHER: RawFd = 3;
const MOST_DESCRIPTORS: RawFd = 4096;
