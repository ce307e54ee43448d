//! Boards with an ESP chip, which are flashed through a serial port.

use std::time::Duration;

use flylead_native::{
    flash::{EspChip, EspError, EspWrite, Firmware, Format, Started, esp_board, write_esp},
    link::{self, Address},
};

use super::{
    Common, Exit, Failure, Interrupts,
    before::{self, Before},
    in_thread,
    written::{Written, follow},
};

/// Finds the serial port of the board: the named one, or the only one on USB.
pub(super) fn port(common: &Common) -> Result<String, Failure> {
    let named = link::resolve(&common.port)?;
    match link::find(&named)? {
        Address::Serial { path, .. } => Ok(path),
        other => {
            let message = format!(
                "an ESP32 gets its firmware through a serial port of this computer, and {other} is not one; name the port with -p PORT"
            );
            Err(Failure::new(Exit::Usage, message))
        }
    }
}

/// Asks the boot ROM at a port for its chip and the chip's network address.
pub(super) async fn board(port: String) -> Result<(EspChip, String), Failure> {
    let asked = in_thread(move || Ok(esp_board(&port))).await?;
    asked.map_err(unwritten)
}

/// Treatment of the chip's current content.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) erases: bool,
    pub(super) saves: bool,
    /// Network address of the only chip that may be written.
    pub(super) board: Option<String>,
}

/// Writes an image to the board at a port, which no other program has open meanwhile. The replaced content is saved
/// first.
pub(super) async fn write(
    common: &Common,
    interrupts: &mut Interrupts,
    port: String,
    firmware: &Firmware,
    options: Options,
) -> Result<(Written, Option<Before>), Failure> {
    let Format::Esp(image) = firmware.format else {
        return Err(Failure::new(Exit::Usage, "the firmware is not for an ESP"));
    };
    common.let_go().await;
    let saves = before::flashes().filter(|_| options.saves);
    if saves.is_some() {
        // A writing that is cut can be taken back, too.
        Before::Esp.keep()?;
        common.note("saving the chip's current content, for `flylead flash --back`");
    }
    let (at, bytes) = (port.clone(), firmware.bytes.clone());
    let writing = move |tell: &mut dyn FnMut(u64)| {
        let write = EspWrite {
            bytes: &bytes,
            image,
            erases: options.erases,
            saves: saves.as_ref(),
            board: options.board.as_deref(),
        };
        write_esp(&at, &write, tell)
    };
    let started = follow(common, interrupts, firmware, SILENCE, writing).await?;
    let (started, saved) = started.map_err(unwritten)?;
    let written = Written {
        model: format!("the {} at {port}", image.chip.name),
        board_id: image.chip.name.to_owned(),
        is_restarted: started == Started::ByItself,
        next: match started {
            Started::ByItself => "it starts the new firmware",
            Started::ByButton => "press its RESET button to start the new firmware",
        },
    };
    Ok((written, saved.map(|_| Before::Esp)))
}

fn unwritten(error: EspError) -> Failure {
    match error {
        EspError::Open(error) => error.into(),
        EspError::Silent | EspError::Stopped { .. } => Failure::new(Exit::Lost, error),
        _ => Failure::new(Exit::Refused, error),
    }
}

/// Time after which a chip that confirms nothing is given up; erasing 16 MB takes two minutes.
const SILENCE: Duration = Duration::from_secs(240);
