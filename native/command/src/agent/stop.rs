//! Ctrl-C while a reply is carried out: the running command is ended, and the rest of the reply is skipped.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use flylead_native::shell;

use crate::terminal::interrupts::Interrupts;

static STOPPED: AtomicBool = AtomicBool::new(false);
static CARRIES_OUT: AtomicBool = AtomicBool::new(false);

/// Returns true if the person stopped the reply.
pub(super) fn is_stopped() -> bool {
    STOPPED.load(Ordering::SeqCst)
}

/// Notes that the person stopped the reply with a key.
pub(super) fn stop() {
    STOPPED.store(true, Ordering::SeqCst);
}

/// Runs work that Ctrl-C stops in an orderly way, reporting what was not done.
pub(super) fn while_stoppable<T>(work: impl FnOnce() -> T) -> T {
    CARRIES_OUT.store(true, Ordering::SeqCst);
    let done = work();
    CARRIES_OUT.store(false, Ordering::SeqCst);
    done
}

/// Handles Ctrl-C from now on: it ends the running shell command with all of its processes, and no other step of the
/// reply begins. If no reply is being carried out, or at the second press, it ends this program.
pub(super) fn listen() {
    let (ready, is_ready) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let Ok(mut interrupts) = Interrupts::new() else {
                return;
            };
            let _ = ready.send(());
            loop {
                interrupts.next().await;
                shell::interrupt();
                if STOPPED.swap(true, Ordering::SeqCst) || !CARRIES_OUT.load(Ordering::SeqCst) {
                    std::process::exit(130);
                }
            }
        });
    });
    // Nothing is done before Ctrl-C is handled. If it cannot be handled, it ends this program as usual.
    let _ = is_ready.recv();
}
