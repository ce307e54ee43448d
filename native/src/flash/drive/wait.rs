//! Waits for the drive that a board provides after a restart in its boot loader.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::device;
use crate::{
    flash::{Drive, Kind},
    link::Address,
};

/// USB port at which a board was plugged in while it had a serial port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plug {
    port: PathBuf,
    place: String,
}

/// Reason why the drive of a board is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoDrive {
    /// No drive appeared in time.
    Late,
    /// Several drives appeared, and the system does not tell which one is the board's.
    Several(Vec<Drive>),
}

impl Plug {
    /// Returns the place of a board at a serial port; `None` if the system does not report it.
    #[must_use]
    pub fn of(address: &Address) -> Option<Self> {
        let Address::Serial { path, .. } = address else {
            return None;
        };
        let port = device::of_port(path)?;
        let place = device::usb_place(&port)?.to_owned();
        Some(Self { port, place })
    }

    /// Returns true if the port has gone: it was then the board's own. An adapter's port stays.
    fn has_left(&self) -> bool {
        !self.port.exists()
    }
}

impl Drive {
    /// Waits for a boot loader's drive that was not there before: at `path`, or anywhere. Among several, it is the one
    /// plugged in where the board was.
    ///
    /// # Errors
    /// No drive appeared in time, or several that cannot be told apart.
    pub async fn wait(
        path: Option<&Path>,
        before: &[Self],
        plug: Option<&Plug>,
        limit: Duration,
    ) -> Result<Self, NoDrive> {
        let look = async {
            loop {
                let path = path.map(Path::to_owned);
                let found = tokio::task::spawn_blocking(move || match path {
                    Some(path) => Self::at(&path).into_iter().collect(),
                    None => Self::find(),
                });
                let mut new = found.await.unwrap_or_default();
                new.retain(|it| it.kind == Kind::Uf2 && !before.contains(it));
                let place = plug.map(|plug| plug.place.as_str());
                let has_left = plug.is_some_and(Plug::has_left);
                if let Some(drive) = choose(new, place, has_left)? {
                    return Ok(drive);
                }
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        let waited = tokio::time::timeout(limit, look).await;
        waited.unwrap_or(Err(NoDrive::Late))
    }
}

/// Chooses the board's drive among new ones. A board whose own port has gone comes back at its place; one behind an
/// adapter may have its drive at another place.
fn choose(new: Vec<Drive>, place: Option<&str>, has_left: bool) -> Result<Option<Drive>, NoDrive> {
    let of = |drive: &Drive| {
        let place = drive.device.as_deref().and_then(device::usb_place);
        place.map(str::to_owned)
    };
    let is_at_place = |drive: &Drive| place.is_some() && of(drive).as_deref() == place;
    let (own, others): (Vec<_>, Vec<_>) = new.into_iter().partition(is_at_place);
    let mut candidates = match own.is_empty() {
        false => own,
        true => others,
    };
    candidates.retain(|it| !has_left || is_at_place(it) || of(it).is_none());
    match candidates.len() {
        0 | 1 => Ok(candidates.pop()),
        _ => Err(NoDrive::Several(candidates)),
    }
}

const LOOK_AGAIN: Duration = Duration::from_millis(200);

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(place: Option<&str>, name: &str) -> Drive {
        let device = |place| {
            PathBuf::from(format!(
                "/sys/devices/usb1/{place}/{place}:1.0/host6/block/{name}"
            ))
        };
        Drive {
            path: PathBuf::from(format!("/media/{name}")),
            model: "Raspberry Pi RP2".to_owned(),
            board_id: "RPI-RP2".to_owned(),
            kind: Kind::Uf2,
            device: place.map(device),
        }
    }

    #[test]
    fn the_drive_of_a_board_is_where_its_port_was() {
        let (own, other) = (drive(Some("1-2"), "sdb"), drive(Some("1-3"), "sdc"));
        let both = vec![other.clone(), own.clone()];
        assert_eq!(choose(both, Some("1-2"), true), Ok(Some(own)));
        // Someone else's drive is no reason to stop waiting.
        assert_eq!(choose(vec![other.clone()], Some("1-2"), true), Ok(None));
        // The port is an adapter's and stays, or the system does not report it.
        let only = vec![other.clone()];
        assert_eq!(
            choose(only.clone(), Some("1-2"), false),
            Ok(Some(other.clone()))
        );
        assert_eq!(choose(only, None, false), Ok(Some(other)));
        let unknown = drive(None, "sdd");
        let chosen = choose(vec![unknown.clone()], Some("1-2"), true);
        assert_eq!(chosen, Ok(Some(unknown)));
        assert_eq!(choose(Vec::new(), None, true), Ok(None));
    }

    #[test]
    fn drives_that_cannot_be_told_apart_are_not_written_to() {
        let both = vec![drive(Some("1-2"), "sdb"), drive(Some("1-3"), "sdc")];
        for (place, has_left) in [(None, false), (Some("1-4"), false)] {
            let chosen = choose(both.clone(), place, has_left);
            assert_eq!(chosen, Err(NoDrive::Several(both.clone())));
        }
        let unknown = vec![drive(None, "sdb"), drive(None, "sdc")];
        assert!(choose(unknown, Some("1-2"), true).is_err());
    }
}
