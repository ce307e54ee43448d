//! Ctrl-C while a reply is carried out: what runs is ended, and nothing else of the reply is done.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use flylead::shell;

use super::super::interrupts::Interrupts;

static STOPPED: AtomicBool = AtomicBool::new(false);
static CARRIES_OUT: AtomicBool = AtomicBool::new(false);

/// Returns true if the person stopped the reply.
pub(super) fn is_stopped() -> bool {
    STOPPED.load(Ordering::SeqCst)
}

/// The person stopped the reply with a key.
pub(super) fn stop() {
    STOPPED.store(true, Ordering::SeqCst);
}

/// While something is done that Ctrl-C is to stop in an orderly way: what was not done is told.
pub(super) fn while_stoppable<T>(work: impl FnOnce() -> T) -> T {
    CARRIES_OUT.store(true, Ordering::SeqCst);
    let done = work();
    CARRIES_OUT.store(false, Ordering::SeqCst);
    done
}

/// From now on Ctrl-C ends the shell command that runs, with all of its processes, and no other step of the reply begins.
/// When no reply is carried out, or at the second press, it ends this program.
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
    // Nothing is done before Ctrl-C is listened for. Where it cannot be, it ends this program as it always does.
    let _ = is_ready.recv();
}
