//! Progress while waiting for a board.

use std::{future::Future, time::Duration};

use flylead_native::{Board, link::Address};
use tokio::time::{Instant, sleep, timeout};

use super::say;
use crate::Common;

/// Waits for a link to open, and reports if that takes long.
pub(crate) async fn of_opening<T>(
    common: &Common,
    address: &Address,
    opening: impl Future<Output = T>,
) -> T {
    tokio::pin!(opening);
    match timeout(PATIENCE, &mut opening).await {
        Ok(opened) => opened,
        Err(_) => {
            common.note(format_args!("waiting for {address}; Ctrl-C gives up"));
            opening.await
        }
    }
}

/// Reports, once each time that it takes long, that a board does not stop for a command.
pub(crate) fn of_entering(board: &Board, limit: Duration) {
    let state = board.state();
    tokio::spawn(async move {
        let mut since = Instant::now();
        let mut is_told = false;
        sleep(LOOK_AGAIN).await;
        while let Some(is_entering) = state.is_entering().await {
            if !is_entering {
                (since, is_told) = (Instant::now(), false);
            } else if !is_told && since.elapsed() > PATIENCE && limit > PATIENCE {
                is_told = true;
                say(format_args!(
                    "flylead: waiting for the board to stop its program, {}; Ctrl-C gives up",
                    Limit(limit)
                ));
            }
            sleep(LOOK_AGAIN).await;
        }
    });
}

struct Limit(Duration);

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 >= crate::common::FOR_EVER {
            true => f.write_str("without a limit"),
            false => write!(f, "at most {} s", self.0.as_secs_f32()),
        }
    }
}

/// Time after which the person gets a report.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(500);
