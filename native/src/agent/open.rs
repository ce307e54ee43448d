//! The workspace of a session, opened when it is first needed.

use std::{io, path::Path};

use super::AgentError;
use crate::{
    agent::workspace::{Accept, BoardFiles, Confinement, Folder, Review, Rights, Workspace},
    link::Address,
};

/// Permissions of shell commands. They have no effect on a board.
#[derive(Debug, Clone, Copy, Default)]
pub struct Access {
    /// Confinement of the commands.
    pub confinement: Confinement,
    /// True to allow access to the network.
    pub network: bool,
    /// Review of the files that git will obey; if set, commands may change repositories that it agrees to.
    pub git: Option<Review>,
    /// Filter for the changes of a command. `None` accepts all but those to files that a program obeys at once.
    pub accept: Option<Accept>,
}

/// Prefix of a board's address that names a workspace.
const BOARD: &str = "board:";

/// Returns the address of the board that a workspace names, if any.
pub(super) fn board(workspace: &str) -> Option<&str> {
    workspace.strip_prefix(BOARD)
}

/// Returns the name of a workspace in a session: an absolute path, or a board.
pub(super) fn name(workspace: &str) -> Result<String, AgentError> {
    match board(workspace) {
        Some(address) => address_of(address).map(|_| workspace.to_owned()),
        None => {
            let path = Path::new(workspace).canonicalize()?;
            Ok(path.to_string_lossy().into_owned())
        }
    }
}

/// Opens a workspace. Caches of its commands are kept in `own`.
pub(super) fn open(
    name: &str,
    own: &Path,
    access: Access,
) -> Result<Box<dyn Workspace>, AgentError> {
    if let Some(address) = board(name) {
        return Ok(Box::new(BoardFiles::connect(&address_of(address)?)?));
    }
    let folder = Folder::open(Path::new(name))?;
    Ok(Box::new(folder.with_rights(Rights {
        confinement: access.confinement,
        network: access.network,
        git: access.git,
        accept: access.accept,
        own: Some(own.to_owned()),
    })))
}

/// Returns the absolute path of a workspace's root, as its commands see it.
pub(super) fn root(name: &str) -> &str {
    match board(name) {
        Some(_) => "/",
        None => name,
    }
}

fn address_of(address: &str) -> Result<Address, AgentError> {
    let invalid =
        |error| io::Error::new(io::ErrorKind::InvalidInput, format!("{address}: {error}"));
    Ok(address.parse().map_err(invalid)?)
}
