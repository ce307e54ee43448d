//! Finds the board behind an address.

use super::Names;
use crate::link::{
    address::Address,
    error::OpenError,
    ports::{only_board, own_id, port::Port, ports, same_board, with_id},
};

/// Place of a board, for finding it again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// Path of the port, or the whole address of anything but a serial port.
    pub path: String,
    /// The USB serial number.
    pub id: Option<String>,
}

impl Place {
    /// Returns the place of the board that is currently at this address.
    pub(in crate::link) fn of(at: &Address) -> Self {
        let Address::Serial { path, .. } = at else {
            let path = at.to_string();
            return Self { path, id: None };
        };
        let ports = ports().unwrap_or_default();
        let port = ports.iter().find(|port| port.path == *path);
        let id = port.and_then(Port::id).map(str::to_owned);
        let path = real(path);
        Self { path, id }
    }

    /// Returns true if `id:…` selects this board.
    pub(crate) fn has_id(&self, address: &str) -> bool {
        let id = self.id.as_deref().zip(address.strip_prefix("id:"));
        id.is_some_and(|(own, asked)| own.eq_ignore_ascii_case(asked))
    }
}

/// Resolves a name that the user has stored to the address it stands for; other addresses are unchanged.
///
/// # Errors
/// No board has this name, or the names cannot be read.
pub fn resolve(address: &Address) -> Result<Address, OpenError> {
    let Address::Named(name) = address else {
        return Ok(address.clone());
    };
    let names = Names::load().map_err(OpenError::Names)?;
    names.address(name).cloned().ok_or_else(|| {
        let all = names.iter();
        OpenError::UnknownName {
            name: name.clone(),
            names: all
                .map(|(name, address)| (name.to_owned(), address.clone()))
                .collect(),
        }
    })
}

/// Returns the current place of a board, if it is known.
pub(crate) fn place_of(address: &Address) -> Option<Place> {
    let at = whereabouts(address, None).ok()?;
    Some(Place::of(&at))
}

/// Returns the serial port to which the board with a name, a serial number or the address `auto` is currently
/// connected; other addresses stand for themselves.
///
/// # Errors
/// The board is not connected, or unknown.
pub fn find(address: &Address) -> Result<Address, OpenError> {
    whereabouts(address, None)
}

/// Sets this speed, if the address is a serial port without a speed. A speed belongs to a port, so the board of `auto`
/// or of a serial number is looked up first; a missing board is reported when it is opened.
#[must_use]
pub fn at_baud(address: Address, baud: Option<u32>) -> Address {
    at_baud_among(address, baud, &ports)
}

pub(in crate::link) fn at_baud_among(
    address: Address,
    baud: Option<u32>,
    ports: &Listing<'_>,
) -> Address {
    let found = match (&address, baud) {
        (Address::Auto | Address::Id(_), Some(_)) => whereabouts_among(&address, None, ports),
        _ => return address.or_baud(baud),
    };
    found.unwrap_or(address).or_baud(baud)
}

/// Returns an address that finds the board again wherever it is plugged in: its USB serial number, if that is unique;
/// else the port or other name.
///
/// # Errors
/// The board is not connected, or unknown.
pub fn lasting(address: &Address) -> Result<Address, OpenError> {
    let (path, baud) = match find(address)? {
        Address::Serial { path, baud } => (path, baud),
        Address::WebSocket { url, .. } => {
            let password = None;
            return Ok(Address::WebSocket { url, password });
        }
        other @ (Address::Auto
        | Address::Named(_)
        | Address::Id(_)
        | Address::Labgrid(_)
        | Address::Tcp(_)
        | Address::Rfc2217 { .. }
        | Address::Unix(_)
        | Address::Process(_)) => return Ok(other),
    };
    let ports = ports()?;
    let path = real(&path);
    if std::fs::metadata(&path).is_err() && !ports.iter().any(|port| port.path == path) {
        let address = Address::Serial { path, baud };
        return Err(OpenError::NotFound { address });
    }
    Ok(match own_id(&ports, &path) {
        Some(id) => Address::Id(id.to_owned()),
        None => Address::Serial { path, baud },
    })
}

/// Returns the current serial port of a board that may have been at another one before; other addresses stand for
/// themselves.
pub(in crate::link) fn whereabouts(
    address: &Address,
    before: Option<&Place>,
) -> Result<Address, OpenError> {
    whereabouts_among(address, before, &ports)
}

pub(in crate::link) fn whereabouts_among(
    address: &Address,
    before: Option<&Place>,
    ports: &Listing<'_>,
) -> Result<Address, OpenError> {
    let serial = |path: &str, baud| Address::Serial {
        path: path.to_owned(),
        baud,
    };
    let id = before.and_then(|before| before.id.as_deref());
    Ok(match (address, id) {
        (Address::Named(_), _) => whereabouts_among(&resolve(address)?, before, ports)?,
        (Address::Serial { path, baud }, Some(id)) => {
            let ports = ports()?;
            let now = same_board(&ports, path, Some(id));
            serial(now.map_or(path, |now| &now.path), *baud)
        }
        (Address::Auto, None) => serial(&only_board(&ports()?)?.path, None),
        (Address::Auto, Some(id)) => serial(&with_id(&ports()?, id)?.path, None),
        (Address::Id(id), _) => serial(&with_id(&ports()?, id)?.path, None),
        (other, _) => other.clone(),
    })
}

/// Lists the serial ports.
pub(in crate::link) type Listing<'a> = dyn Fn() -> Result<Vec<Port>, OpenError> + 'a;

/// Returns the names by which a hub may know a board.
pub(in crate::link) fn names_of(address: &Address) -> Vec<String> {
    let mut names = match address {
        Address::Named(name) => {
            let mut names = resolve(address).map_or_else(|_| Vec::new(), |meant| names_of(&meant));
            names.push(name.clone());
            return names;
        }
        Address::Serial { path, .. } => vec![path.clone()],
        Address::Auto
        | Address::Id(_)
        | Address::Labgrid(_)
        | Address::Tcp(_)
        | Address::Rfc2217 { .. }
        | Address::WebSocket { .. }
        | Address::Unix(_)
        | Address::Process(_) => vec![address.to_string()],
    };
    if let Ok(Address::Serial { path, .. }) = whereabouts(address, None) {
        names.push(real(&path));
    }
    names
}

/// Returns a port's own path, if it was named by a link such as those in `/dev/serial/by-id`.
fn real(path: &str) -> String {
    let real = std::fs::canonicalize(path).ok();
    let real = real.and_then(|path| path.to_str().map(str::to_owned));
    real.unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_is_not_there_is_asked_for_as_it_was() {
        let none = || Ok(Vec::new());
        let address = at_baud_among(Address::Id("E66".into()), Some(9600), &none);
        assert_eq!(address, Address::Id("E66".into()));
    }
}
