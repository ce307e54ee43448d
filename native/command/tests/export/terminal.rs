//! A terminal whose screen a test reads.

use std::{
    ffi::OsStr,
    fs,
    io::Read as _,
    os::unix::{ffi::OsStrExt as _, fs::OpenOptionsExt as _},
    path::Path,
    thread,
};

use rustix::{
    fs::OFlags,
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};

/// A terminal for a child, and what will have been shown on it when all who have it open are gone.
pub(crate) fn terminal() -> (thread::JoinHandle<Vec<u8>>, fs::File) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).expect("the system has a pseudo-terminal");
    grantpt(&master).expect("it is ours");
    unlockpt(&master).expect("it is ours");
    let name = ptsname(&master, Vec::new()).expect("it has a name");
    let path = Path::new(OsStr::from_bytes(name.as_bytes()));
    let terminal = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(NOCTTY)
        .open(path);
    let screen = thread::spawn(move || {
        let mut shown = Vec::new();
        // It ends with an error when nobody has the other end open any more.
        let _ = fs::File::from(master).read_to_end(&mut shown);
        shown
    });
    (screen, terminal.expect("its other end can be opened"))
}

/// A terminal that a test opens must not become the terminal that controls it.
const NOCTTY: i32 = OFlags::NOCTTY.bits().cast_signed();
