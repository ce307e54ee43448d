//! Child processes of this program, one for each board of `flylead each`: Ctrl-C reaches them only through their
//! parent, and on Linux they end with it, however it ends.

use tokio::process::{Child, Command};

/// Prepares the start of a child; the argument has to reach [`watch_parent`] there.
pub(crate) fn die_with_parent(command: &mut Command) {
    command.arg(format!("--started-by={}", std::process::id()));
    // A terminal sends Ctrl-C to all processes of its foreground group (termios(3), ISIG): children get it once,
    // from us.
    #[cfg(unix)]
    command.process_group(0);
}

/// Makes this process end as if by Ctrl-C once its parent has ended. Only on Linux: elsewhere it finishes its command
/// if its parent is killed.
#[cfg(target_os = "linux")]
pub(crate) fn watch_parent(parent: u32) {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};

    // If the kernel refuses, the child behaves as on other systems.
    let _ = set_parent_process_death_signal(Some(Signal::INT));
    // The parent may have ended before we asked (prctl(2), PR_SET_PDEATHSIG).
    let now = getppid().map(|now| now.as_raw_nonzero().get());
    if now.and_then(|now| u32::try_from(now).ok()) != Some(parent) {
        std::process::exit(130);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn watch_parent(_parent: u32) {}

/// Ends a process as Ctrl-C at its terminal would.
pub(crate) fn press_ctrl_c(child: &mut Child) {
    #[cfg(unix)]
    if let Some(pid) = child
        .id()
        .and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?))
    {
        // The process may have ended meanwhile.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
    }
    // Windows has no such signal for a single process.
    #[cfg(not(unix))]
    let _ = child.start_kill();
}
