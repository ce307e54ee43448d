//! A write in progress, and its end.

use std::time::Duration;

use flylead_core::board::Progress;
use flylead_native::flash::Firmware;
use serde_json::json;
use tokio::sync::mpsc;

use super::{Common, Exit, Failure, Interrupts};
use crate::{
    files::fs::{Bar, in_thread},
    terminal::{print_line, say},
};

/// Board that has received its firmware.
#[derive(Debug)]
pub(super) struct Written {
    /// The board in a few words.
    pub(super) model: String,
    /// Identification that its boot loader reports.
    pub(super) board_id: String,
    /// True if the board was seen to restart.
    pub(super) is_restarted: bool,
    /// End of the sentence about the board.
    pub(super) next: &'static str,
}

impl Written {
    pub(super) fn report(&self, common: &Common, firmware: &Firmware) -> Result<Exit, Failure> {
        let bytes = firmware.bytes.len();
        let Self { model, next, .. } = self;
        print_line(match common.json {
            true => json!({
                "written": firmware.name, "bytes": bytes, "sha256": firmware.sha256(), "model": model,
                "board_id": self.board_id, "restarted": self.is_restarted,
            })
            .to_string(),
            false => format!("{bytes} bytes written to {model}; {next}"),
        })?;
        if !common.json {
            say(
                "Next: `flylead ports` lists the board in a moment, and `flylead repl` opens its prompt.",
            );
        }
        Ok(Exit::Done)
    }
}

/// Writes in a separate thread, because a board may block its writer for any time, and shows the progress.
pub(super) async fn follow<T: Send + 'static, E: Send + 'static>(
    common: &Common,
    interrupts: &mut Interrupts,
    firmware: &Firmware,
    silence: Duration,
    write: impl FnOnce(&mut dyn FnMut(u64)) -> Result<T, E> + Send + 'static,
) -> Result<Result<T, E>, Failure> {
    let bar = Bar::new(common, &firmware.name, Some(firmware.bytes.len() as u64));
    let (tell, mut told) = mpsc::unbounded_channel();
    let writing = in_thread(move || {
        Ok(write(&mut |done| {
            let _ = tell.send(done);
        }))
    });
    tokio::pin!(writing);
    let mut taken = 0;
    let total = firmware.bytes.len() as u64;
    loop {
        let late = tokio::time::sleep(silence);
        tokio::select! {
            biased;
            Some(done) = told.recv() => {
                taken = done;
                bar.set(Progress { done, total: None, entries: 0 });
            }
            ended = &mut writing => return Ok(ended?),
            () = late => {
                let why = format!("the board has accepted no data for {} s", silence.as_secs());
                return Err(stopped(Exit::Lost, &why, taken, total));
            }
            () = interrupts.next() => return Err(stopped(Exit::Interrupted, "interrupted", taken, total)),
        }
    }
}

/// Describes the board after this many bytes, as far as it is known: unconfirmed bytes may have arrived as well.
fn stopped(exit: Exit, why: &str, taken: u64, total: u64) -> Failure {
    let state = match taken {
        0 => "the board may have no complete firmware now",
        _ if taken == total => {
            "the board received all of the firmware, but was not seen to start it"
        }
        _ => "the board has no complete firmware now",
    };
    let message = format!(
        "{why} after {taken} of {total} bytes; {state}. It can be flashed again: unplug it, put it into its boot loader, and run \
         this command again"
    );
    Failure::new(exit, message)
}
