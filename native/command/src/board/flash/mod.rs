//! `flylead flash`

mod before;
mod confirm;
mod dance;
mod dfu;
mod esp;
mod files;
mod ota;
mod source;
mod target;
mod turn;
mod written;

use std::path::PathBuf;

use clap::Args;
use flylead_native::flash::{Ended, Firmware, Format, WriteError, write};
use serde_json::json;

use crate::{
    Common, Exit, Failure, boxed,
    files::fs::in_thread,
    terminal::{interrupts::Interrupts, print_line, visible_line},
};
use before::Before;
use target::Target;
use turn::Turn;
use written::{Written, follow};

/// Put MicroPython, or other firmware, on a board
///
/// A board that runs MicroPython is restarted in its boot loader; for any other board, this command tells you which
/// buttons to press. The firmware is written to the boot loader's drive, to an ESP32 at its serial port or to an STM32
/// in its DFU mode, but only if it is for the board's chip and you confirm it. Without a name, the newest firmware for
/// the connected MicroPython board is used. The makers' list and files are cached with their hashes; --firmware names a
/// mirror, or a folder for use without a network.
///
/// The files of a board survive if its old and its new firmware keep them in the same place; --keep-files makes sure of
/// it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead flash pico
  flylead flash pico --version 1.28.0 --keep-files
  flylead -p /dev/ttyUSB0 flash esp32 --erase
  flylead flash --dry-run firmware.uf2
  flylead flash firmware.hex --drive /media/me/MICROBIT
  flylead flash --back
  flylead flash --ota ESP32_GENERIC-OTA.app-bin
  flylead flash --list pico")]
pub(crate) struct Cmd {
    /// Board, file or URL: pico, firmware.uf2, https://… [default: the board's own]
    #[arg(value_name = "FIRMWARE")]
    firmware: Option<String>,
    /// Version of MicroPython, such as 1.28.0 [default: the newest]
    #[arg(long)]
    version: Option<String>,
    /// Restore what the board had before: the previous version, or its saved content
    #[arg(long, conflicts_with_all = ["firmware", "version", "sha256", "list", "erase"])]
    back: bool,
    /// Do not save the current firmware
    #[arg(long)]
    no_save: bool,
    /// List the firmware of a board, or all boards
    #[arg(long)]
    list: bool,
    /// Drive of the board's boot loader [default: the only one]
    #[arg(long, value_name = "DIR")]
    drive: Option<PathBuf>,
    /// Update a running ESP32 with two partitions for programs; with --back, start the program in the other one
    #[arg(long, conflicts_with_all = ["list", "drive", "erase", "keep_files", "no_save"])]
    ota: bool,
    /// Erase the whole flash first, for an ESP32
    #[arg(long, conflicts_with = "keep_files")]
    erase: bool,
    /// Save the board's files first, put them back afterwards, and compare
    #[arg(long)]
    keep_files: bool,
    /// Folder or site to take firmware from [default: the makers' own]
    #[arg(
        id = "from",
        long = "firmware",
        value_name = "DIR|URL",
        env = "FLYLEAD_FIRMWARE",
        hide_env_values = true
    )]
    from: Option<String>,
    /// Read the list of firmware again, even if it is less than a day old
    #[arg(long)]
    renew: bool,
    /// SHA-256 that the firmware must have, in hexadecimal digits
    #[arg(long, value_name = "DIGITS")]
    sha256: Option<String>,
    /// Show what would be written where, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Do not ask before writing
    #[arg(short, long)]
    yes: bool,
}

impl Cmd {
    pub(crate) async fn run(mut self, common: &Common) -> Result<Exit, Failure> {
        let mut interrupts = Interrupts::new()?;
        if self.ota && self.back {
            return boxed(|| self.ota_back(common, &mut interrupts)).await;
        }
        let mut before = self.back.then(Before::load).transpose()?;
        if let Some(Before::Listed { board, version }) = before.take_if(|it| it.is_listed()) {
            (self.firmware, self.version) = (Some(board), Some(version));
        }
        if self.list {
            return interrupts.or(source::list(&self, common)).await;
        }
        // A named firmware is checked first: that involves neither the board nor a turn.
        let named = interrupts.or(self.named(common)).await?;
        let turn = match self.dry_run {
            true => None,
            false => Some(interrupts.or(Turn::take(common)).await?),
        };
        let Plan {
            firmware,
            target,
            esp,
        } = match &before {
            Some(before) => {
                interrupts
                    .or(boxed(|| self.find_saved(common, before)))
                    .await?
            }
            None => interrupts.or(boxed(|| self.find(common, named))).await?,
        };
        self.check_erase(&firmware)?;
        if self.dry_run {
            return would_write(common, &firmware, &target);
        }
        common.note(format_args!("{}", described(&firmware)));
        if !self.yes {
            interrupts.or(confirm::ask(&firmware, &target)).await?;
        }
        if self.ota {
            return interrupts
                .or(boxed(|| ota::update(common, &firmware)))
                .await;
        }
        let files = match self.keep_files {
            true => Some(boxed(|| files::save(common, &target)).await?),
            false => None,
        };
        let before = target.before();
        let written = boxed(|| self.write(common, &mut interrupts, target, &firmware, esp));
        let written = written.await.map_err(|failure| match &files {
            Some(files) => failure.advising(files.advice()),
            None => failure,
        });
        drop(turn);
        let (written, saved) = written?;
        if let Some(before) = saved.or(before) {
            before.keep()?;
            common.note(format_args!(
                "`flylead flash --back` writes {} again",
                visible_line(before.described())
            ));
        }
        if let Some(files) = files {
            boxed(|| files.put_back(common)).await?;
        }
        written.report(common, &firmware)
    }

    /// Refuses `--erase` for firmware that is not an ESP's.
    fn check_erase(&self, firmware: &Firmware) -> Result<(), Failure> {
        if !self.erase || matches!(firmware.format, Format::Esp(_)) {
            return Ok(());
        }
        let message = "--erase is only for the ESP32; for other boards, write their maker's .uf2 file that erases the flash, such \
                       as flash_nuke.uf2. Nothing was written";
        Err(Failure::new(Exit::Usage, message))
    }

    async fn named(&self, common: &Common) -> Result<Option<Firmware>, Failure> {
        match &self.firmware {
            Some(named) => Ok(Some(source::fetch(self, common, named).await?)),
            None => Ok(None),
        }
    }

    /// Finds the board, and its own firmware if none was named.
    async fn find(&self, common: &Common, named: Option<Firmware>) -> Result<Plan, Failure> {
        let target = match self.ota {
            true => Target::board(common).await?,
            false => Target::find(common, self.drive.as_deref(), named.as_ref()).await?,
        };
        let firmware = match named {
            Some(firmware) => firmware,
            None => source::fetch(self, common, &target.own_name()?).await?,
        };
        if !self.ota {
            target.check(&firmware)?;
        }
        Ok(Plan {
            firmware,
            target,
            esp: None,
        })
    }

    /// Starts the program in the other partition.
    async fn ota_back(
        &self,
        common: &Common,
        interrupts: &mut Interrupts,
    ) -> Result<Exit, Failure> {
        let target = interrupts.or(Target::board(common)).await?;
        if !self.yes {
            let question = format!("Start the other program of {target}?");
            interrupts.or(confirm::ask_whether(&question)).await?;
        }
        interrupts.or(ota::back(common)).await
    }

    /// Finds the board and its saved content.
    async fn find_saved(&self, common: &Common, before: &Before) -> Result<Plan, Failure> {
        if let Before::Drive { board } = before {
            let firmware = before::of_drive(board)?;
            return self.find(common, Some(firmware)).await;
        }
        let (firmware, esp) = before::of_esp(common).await?;
        let plan = self.find(common, Some(firmware)).await?;
        Ok(Plan {
            esp: Some(esp),
            ..plan
        })
    }

    async fn write(
        &self,
        common: &Common,
        interrupts: &mut Interrupts,
        target: Target,
        firmware: &Firmware,
        esp: Option<String>,
    ) -> Result<(Written, Option<Before>), Failure> {
        if let Format::Esp(_) = firmware.format {
            let port = target.into_port(common)?;
            let options = esp::Options {
                erases: self.erase,
                saves: !self.no_save,
                board: esp,
            };
            return esp::write(common, interrupts, port, firmware, options).await;
        }
        if let Format::Dfu(file) = &firmware.format {
            let device = match target {
                Target::Dfu(device) => device,
                _ => interrupts.or(dfu::enter(common)).await?,
            };
            let written = dfu::write(common, interrupts, device, firmware, file.clone()).await?;
            return Ok((written, None));
        }
        let drive = target.into_drive(common, self.drive.as_deref());
        let drive = interrupts.or(drive).await?;
        drive.check(firmware).map_err(refused)?;
        let saved = match self.no_save {
            true => None,
            false => interrupts.or(before::save_current(&drive)).await?,
        };
        if let Some(saved) = &saved {
            saved.keep()?;
        }
        let (to, file) = (drive.clone(), firmware.clone());
        let writing = move |tell: &mut dyn FnMut(u64)| write(&to, &file, tell);
        let ended = follow(common, interrupts, firmware, SILENCE, writing).await?;
        let ended = ended.map_err(unwritten)?;
        if let Some(saved) = &saved {
            saved.finish();
        }
        let written = Written {
            model: drive.model,
            board_id: drive.board_id,
            is_restarted: ended == Ended::Restarted,
            next: "it starts the new firmware",
        };
        Ok((written, saved))
    }
}

/// Firmware, and the board that gets it.
#[derive(Debug)]
struct Plan {
    firmware: Firmware,
    target: Target,
    /// Network address of the only ESP chip that may be written.
    esp: Option<String>,
}

/// Returns the firmware in a line: its name, size and chips.
fn described(firmware: &Firmware) -> String {
    let chips = firmware.format.chips();
    let chips = chips.map(|chips| format!(" for {chips}"));
    format!(
        "{}: {} bytes{}",
        visible_line(&firmware.name),
        firmware.bytes.len(),
        chips.unwrap_or_default()
    )
}

fn would_write(common: &Common, firmware: &Firmware, target: &Target) -> Result<Exit, Failure> {
    print_line(match common.json {
        true => json!({
            "would_write": firmware.name, "bytes": firmware.bytes.len(), "sha256": firmware.sha256(),
            "board": target.to_string(),
        })
        .to_string(),
        false => format!("would write {} to {target}", described(firmware)),
    })?;
    Ok(Exit::Done)
}

fn refused(error: impl ToString) -> Failure {
    Failure::new(Exit::Refused, error)
}

fn unwritten(error: WriteError) -> Failure {
    let exit = match error {
        WriteError::Vanished { .. } | WriteError::Unanswered => Exit::Lost,
        _ => Exit::Refused,
    };
    Failure::new(exit, error)
}

/// Time after which a drive that accepts nothing is given up; erasing a large flash takes half a minute.
const SILENCE: std::time::Duration = std::time::Duration::from_secs(60);
