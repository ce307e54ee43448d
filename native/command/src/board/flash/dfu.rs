//! STM32 boards, which are flashed in their DFU mode.

use std::time::Duration;

use flylead_native::flash::{DfuDevice, DfuError, DfuFile, Firmware, write_dfu};
use tokio::{
    runtime::Handle,
    time::{Instant, sleep},
};

use super::{
    super::reset,
    Common, Exit, Failure, Interrupts, dance, in_thread,
    written::{Written, follow},
};

/// Finds the only chip in its DFU mode; `None` if there is none.
pub(super) async fn find() -> Result<Option<DfuDevice>, Failure> {
    match in_thread(|| Ok(DfuDevice::find())).await? {
        Ok(device) => Ok(Some(device)),
        Err(DfuError::None) => Ok(None),
        Err(error) => Err(failure(error)),
    }
}

/// Puts a board that runs MicroPython into its DFU mode, and waits for it there.
pub(super) async fn enter(common: &Common) -> Result<DfuDevice, Failure> {
    common.note("restarting the board in its DFU mode");
    let by_buttons = dance::of_any(Some("STM32"));
    let entered = reset::enter_boot_loader(common).await;
    entered.map_err(|failure| failure.advising(&by_buttons))?;
    let limit = Instant::now() + common.limit().unwrap_or(START_TIME);
    loop {
        match find().await? {
            Some(device) => return Ok(device),
            None if Instant::now() >= limit => {
                return Err(failure(DfuError::None).advising(&by_buttons));
            }
            None => sleep(LOOK_AGAIN).await,
        }
    }
}

/// Writes a file to a chip.
pub(super) async fn write(
    common: &Common,
    interrupts: &mut Interrupts,
    device: DfuDevice,
    firmware: &Firmware,
    file: DfuFile,
) -> Result<Written, Failure> {
    let bytes = firmware.bytes.clone();
    let runtime = Handle::current();
    let writing = move |tell: &mut dyn FnMut(u64)| {
        // The writing has a thread of its own, and its reports come back to this one.
        let (report, reports) = std::sync::mpsc::channel();
        let task = runtime.spawn(async move {
            write_dfu(&device, file, bytes, move |done| {
                let _ = report.send(done);
            })
            .await
        });
        reports.iter().for_each(tell);
        runtime.block_on(task)
    };
    let written = follow(common, interrupts, firmware, SILENCE, writing).await?;
    let written = written.map_err(|error| Failure::new(Exit::Lost, error))?;
    written.map_err(failure)?;
    Ok(Written {
        model: "the STM32 in its DFU mode".to_owned(),
        board_id: "STM32".to_owned(),
        is_restarted: true,
        next: "it starts the new firmware",
    })
}

fn failure(error: DfuError) -> Failure {
    let exit = match error {
        DfuError::None | DfuError::Several(_) => Exit::NoLink,
        DfuError::Stopped { .. } => Exit::Lost,
        _ => Exit::Refused,
    };
    Failure::new(exit, error)
}

/// Time limit for the DFU mode to appear.
const START_TIME: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(300);
/// Time after which a chip that confirms nothing is given up.
const SILENCE: Duration = Duration::from_secs(60);
