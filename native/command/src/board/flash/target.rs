//! The board that gets the firmware: in its boot loader, or running MicroPython.

use std::{fmt, path::Path, time::Duration};

use flylead_core::raw_repl::Peer;
use flylead_native::{
    flash::{DfuDevice, Drive, EspChip, Firmware, Format, Kind, NoDrive, Plug},
    link::Address,
    literal::Literal,
};

use super::{super::reset, Common, Exit, Failure, before::Before, dance, dfu, esp, refused};
use crate::files::fs::in_thread;

/// The board that gets the firmware.
#[derive(Debug)]
pub(super) enum Target {
    /// The board is in its boot loader.
    Drive(Drive),
    /// The board runs MicroPython, and is at this address.
    Board {
        address: Address,
        machine: String,
        build: String,
        version: String,
    },
    /// The board has an STM32 in its DFU mode.
    Dfu(DfuDevice),
    /// The board has an ESP chip, and is at a serial port.
    Esp {
        port: String,
        /// The chip, if its boot ROM was queried.
        chip: Option<EspChip>,
    },
}

impl Target {
    /// Finds the board: the named drive, the board at `--port`, the only drive that takes the firmware, or the only board.
    pub(super) async fn find(
        common: &Common,
        drive: Option<&Path>,
        firmware: Option<&Firmware>,
    ) -> Result<Self, Failure> {
        if let Some(path) = drive {
            let named = path.to_owned();
            let (found, is_folder) = look(move || (Drive::at(&named), named.exists())).await?;
            return match found {
                Some(drive) => Ok(Self::Drive(drive)),
                None if is_folder => Err(no_drive(path)),
                // The board may show this drive later.
                None => Self::board(common).await,
            };
        }
        let format = firmware.map(|firmware| &firmware.format);
        if let Some(Format::Esp(_) | Format::EspProgram(_)) = format {
            let port = esp::port(common)?;
            return Ok(Self::Esp { port, chip: None });
        }
        if let Some(Format::Dfu(_)) = format
            && let Some(device) = dfu::find().await?
        {
            return Ok(Self::Dfu(device));
        }
        let mut drives = look(Drive::find).await?;
        drives.retain(|drive| format.map_or(drive.kind == Kind::Uf2, |it| drive.takes(it)));
        let is_hex = matches!(format, Some(Format::Hex(_)));
        // A micro:bit is flashed through its drive alone, whatever port it has.
        if common.port != Address::Auto && !is_hex {
            return Self::board(common)
                .await
                .map_err(|failure| match failure.exit() {
                    Exit::NoLink if !drives.is_empty() => failure.advising(waiting(&drives)),
                    _ => failure,
                });
        }
        match drives.len() {
            0 if is_hex => Err(no_microbit()),
            0 => Self::board(common).await,
            1 => Ok(Self::Drive(drives.remove(0))),
            _ => Err(several(&drives)),
        }
    }

    /// Finds a board that runs MicroPython, or an ESP chip that does not.
    pub(super) async fn board(common: &Common) -> Result<Self, Failure> {
        let [mut machine, mut build, mut version] = [(); 3].map(|()| String::new());
        let ask = async |board: &mut flylead_native::Board| {
            board.capabilities().await?;
            let questions = [
                (MACHINE, &mut machine),
                (BUILD, &mut build),
                (VERSION, &mut version),
            ];
            for (question, answer) in questions {
                let text = Literal::parse(&board.eval_own(question).await?);
                answer.push_str(text.as_text().unwrap_or_default());
            }
            Ok(Exit::Done)
        };
        match common.with_board(ask).await {
            Ok(_) => {}
            Err(failure)
                if matches!(
                    failure.peer(),
                    Some(Peer::EspDownload | Peer::EspNoFirmware)
                ) =>
            {
                let port = esp::port(common)?;
                let (chip, _) = esp::board(port.clone()).await?;
                let chip = Some(chip);
                return Ok(Self::Esp { port, chip });
            }
            Err(failure) => return Err(failure.advising(dance::of_any(None))),
        }
        Ok(Self::Board {
            address: common.address(),
            machine,
            build,
            version,
        })
    }

    /// Returns the firmware that the board runs now, if its makers' list has it.
    pub(super) fn before(&self) -> Option<Before> {
        match self {
            Self::Board { build, version, .. } => Before::of(build, version),
            _ => None,
        }
    }

    /// Returns the name under which its makers list the firmware of a board that runs MicroPython now.
    pub(super) fn own_name(&self) -> Result<String, Failure> {
        match self {
            // Set since MicroPython 1.21 (py/modsys.c, `_build`): the board's folder there, and a variant.
            Self::Board { build, .. } if !build.is_empty() => Ok(build.clone()),
            Self::Esp {
                chip: Some(chip), ..
            } => Ok(chip.generic_board()),
            _ => {
                let message = format!(
                    "{self} does not say which firmware is its own; name the board, as in `flylead flash pico`, or a file"
                );
                Err(Failure::new(Exit::Usage, message))
            }
        }
    }

    /// Returns the name of the chip, if it is known before the board is in its boot loader.
    fn chip(&self) -> Option<&str> {
        let Self::Board { machine, .. } = self else {
            return None;
        };
        // Each port of MicroPython formats it in this way (py/mpconfig.h, MICROPY_BANNER_MACHINE).
        machine.rsplit_once(" with ").map(|(_, chip)| chip)
    }

    /// Checks that the firmware fits the board, as far as that is known.
    pub(super) fn check(&self, firmware: &Firmware) -> Result<(), Failure> {
        let checked = match self {
            Self::Drive(drive) => drive.check(firmware),
            Self::Board { .. } => firmware.check_chip(&self.to_string(), self.chip()),
            Self::Dfu(_) => firmware.check_chip(&self.to_string(), Some("STM32")),
            // A boot ROM that was not queried yet will report its chip later.
            Self::Esp { chip, .. } => {
                firmware.check_chip(&self.to_string(), chip.map(|chip| chip.name))
            }
        };
        checked.map_err(refused)
    }

    /// Returns the serial port of a board with an ESP chip.
    pub(super) fn into_port(self, common: &Common) -> Result<String, Failure> {
        match self {
            Self::Esp { port, .. } => Ok(port),
            _ => esp::port(common),
        }
    }

    /// Puts the board into its boot loader, if it is not there yet, and waits for its drive.
    pub(super) async fn into_drive(
        self,
        common: &Common,
        path: Option<&Path>,
    ) -> Result<Drive, Failure> {
        let by_buttons = dance::of_any(self.chip());
        let address = match self {
            Self::Drive(drive) => return Ok(drive),
            Self::Board { address, .. } => address,
            Self::Dfu(_) => return Err(no_drive_of_stm32()),
            Self::Esp { port, .. } => Address::Serial {
                path: port,
                baud: None,
            },
        };
        let plug = look(move || Plug::of(&address)).await?;
        let before = match path {
            Some(_) => Vec::new(),
            None => look(Drive::find).await?,
        };
        common.note("restarting the board in its boot loader");
        let entered = reset::enter_boot_loader(common).await;
        entered.map_err(|failure| failure.advising(&by_buttons))?;
        let limit = common.limit().unwrap_or(DRIVE_TIME);
        let drive = Drive::wait(path, &before, plug.as_ref(), limit).await;
        drive.map_err(|why| match why {
            NoDrive::Late => not_mounted(limit),
            NoDrive::Several(drives) => several(&drives),
        })
    }
}

/// The board in a few words.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drive(drive) => drive.fmt(f),
            Self::Dfu(_) => f.write_str("the STM32 in its DFU mode"),
            Self::Esp { port, chip } => {
                write!(
                    f,
                    "the {} at {port}",
                    chip.map_or("ESP32", |chip| chip.name)
                )
            }
            Self::Board {
                address, machine, ..
            } if machine.is_empty() => {
                write!(f, "the board at {address}")
            }
            Self::Board {
                address, machine, ..
            } => write!(f, "{machine} at {address}"),
        }
    }
}

/// Examines drives in a separate thread.
async fn look<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    Ok(in_thread(move || Ok(look())).await?)
}

fn no_drive(path: &Path) -> Failure {
    let message = format!(
        "{} is not the drive of a boot loader: it has no INFO_UF2.TXT and no DETAILS.TXT. Nothing was written.\n{}",
        path.display(),
        dance::of_any(None)
    );
    Failure::new(Exit::NoLink, message)
}

fn no_drive_of_stm32() -> Failure {
    let message =
        "this is not a .dfu file, which an STM32 in its DFU mode needs; nothing was written";
    Failure::new(Exit::Refused, message)
}

fn no_microbit() -> Failure {
    let message = format!(
        "a .hex file is for a micro:bit, but no micro:bit drive was found; {}. If the drive is not mounted, mount it and name its folder with --drive DIR",
        dance::of_chip("micro:bit").unwrap_or_default()
    );
    Failure::new(Exit::NoLink, message)
}

fn not_mounted(limit: Duration) -> Failure {
    let seconds = limit.as_secs_f32();
    let message = format!(
        "the board is in its boot loader, but its drive was not mounted within {seconds} s; mount it, and name its folder with --drive DIR. Unplug the board and plug it in again to get its old firmware back"
    );
    Failure::new(Exit::Lost, message)
}

fn several(drives: &[Drive]) -> Failure {
    let is_uf2 = drives.iter().any(|drive| drive.kind == Kind::Uf2);
    let message = format!(
        "{} boards are waiting for firmware. Name one with --drive DIR{}:{}",
        drives.len(),
        match is_uf2 {
            true => ", or a board that runs MicroPython with -p PORT",
            false => "",
        },
        listed(drives)
    );
    Failure::new(Exit::NoLink, message)
}

/// Describes the drives over which the board at a named port took precedence.
fn waiting(drives: &[Drive]) -> String {
    format!(
        "A board is waiting for firmware in its boot loader; use --drive DIR to write to it:{}",
        listed(drives)
    )
}

fn listed(drives: &[Drive]) -> String {
    drives.iter().map(|drive| format!("\n  {drive}")).collect()
}

/// Expression for the name of the board and of its chip.
const MACHINE: &str =
    "getattr(__import__('sys').implementation,'_machine',None) or __import__('os').uname()[4]";
/// Expression for the name of the board in its maker's list.
const BUILD: &str = "getattr(__import__('sys').implementation,'_build','')";
/// Expression for the version in words. A firmware built by its user has a commit there, and its number elsewhere.
const VERSION: &str = "(lambda s:s.version if 'MicroPython v' in s.version else 'MicroPython v'+'.'.join(map(str,s.implementation.version[:3])))\
    (__import__('sys'))";
/// Time limit for a boot loader's drive: a system mounts one within a few seconds.
const DRIVE_TIME: Duration = Duration::from_secs(20);
