//! Boards with an ESP chip, which are flashed through a serial port.

use std::time::Duration;

use flylead::{
    flash::{EspChip, EspError, EspImage, Firmware, Started, esp_chip, write_esp},
    link::{self, Address},
};

use super::{
    Common, Exit, Failure, Interrupts, in_thread,
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

/// Asks the boot ROM at a port for its chip.
pub(super) async fn chip(port: String) -> Result<EspChip, Failure> {
    let asked = in_thread(move || Ok(esp_chip(&port))).await?;
    asked.map_err(unwritten)
}

/// Writes an image to the board at a port, which no other program has open meanwhile.
pub(super) async fn write(
    common: &Common,
    interrupts: &mut Interrupts,
    port: String,
    firmware: &Firmware,
    image: EspImage,
    erases: bool,
) -> Result<Written, Failure> {
    common.let_go().await;
    let (at, bytes) = (port.clone(), firmware.bytes.clone());
    let writing = move |tell: &mut dyn FnMut(u64)| write_esp(&at, &bytes, image, erases, tell);
    let started = follow(common, interrupts, firmware, SILENCE, writing).await?;
    let started = started.map_err(unwritten)?;
    Ok(Written {
        model: format!("the {} at {port}", image.chip.name),
        board_id: image.chip.name.to_owned(),
        is_restarted: started == Started::ByItself,
        next: match started {
            Started::ByItself => "it starts the new firmware",
            Started::ByButton => "press its RESET button to start the new firmware",
        },
    })
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
