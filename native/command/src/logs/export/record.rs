//! `flylead export run`: a recording that is watched, and ended whatever happens.

use std::time::Duration;

use flylead_core::export::RunId;
use flylead_native::export::{Device, Error};

use super::{
    Cmd, Common, Exit, Stops, exit_of,
    show::{Live, report, show_error, show_reply},
};

/// Records, watches, ends the recording, and fetches the log.
pub(super) async fn run(
    cmd: &Cmd,
    device: &mut Device,
    run_id: &RunId,
    length: Duration,
    common: &Common,
    stops: &mut Stops,
) -> Result<Exit, Error> {
    let recorded = tokio::select! {
        recorded = record(device, run_id, length, cmd.return_within, common) => Some(recorded),
        () = stops.next() => None,
    };
    let trouble = match recorded {
        // The device refused to record: if it records for another program, that is not ours to end.
        Some(Err(error @ Error::Failed { .. })) => return Err(error),
        // The device is gone, so nothing can be stopped.
        Some(Err(Error::Gone)) => return Err(Error::Gone),
        Some(recorded) => recorded.err(),
        None => {
            stop(cmd, device, common).await;
            common.note(format_args!(
                "interrupted; `flylead export fetch {run_id}` fetches what was recorded"
            ));
            return Ok(Exit::Interrupted);
        }
    };
    if let Some(error) = &trouble {
        show_error(error, common);
        common.note(error);
    }
    let stopped = stop(cmd, device, common).await;
    let fetched = tokio::select! {
        fetched = cmd.fetch(device, run_id, common) => fetched,
        () = stops.next() => return Ok(Exit::Interrupted),
    };
    report(&fetched?, common);
    // The error of the recording has been reported.
    Ok(match trouble {
        Some(error) => exit_of(&error),
        None if stopped => Exit::Done,
        None => Exit::Refused,
    })
}

/// Starts a recording, and watches it until the time is over.
async fn record(
    device: &mut Device,
    run_id: &RunId,
    length: Duration,
    return_within: Duration,
    common: &Common,
) -> Result<(), Error> {
    show_reply(common, &device.start(run_id).await?.text);
    let live = Live::new(length, common);
    let recorded = tokio::select! {
        recorded = device.watch(length, return_within, |watched| live.watched(watched)) => recorded,
        never = live.count_down() => never,
    };
    live.clear();
    recorded
}

/// Tells the device to end its recording. Returns false if it refuses.
async fn stop(cmd: &Cmd, device: &mut Device, common: &Common) -> bool {
    let mut stopped = device.stop().await;
    if let Err(Error::Gone) = stopped
        && device.reopen(cmd.return_within).await.is_ok()
    {
        stopped = device.stop().await;
    }
    match &stopped {
        Ok(reply) => show_reply(common, &reply.text),
        Err(error) => common.note(format_args!("STOP was sent: {error}")),
    }
    stopped.is_ok()
}
