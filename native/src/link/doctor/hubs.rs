//! Hubs of this user, and the holders of the turns at their boards.

use std::{path::Path, time::Duration};

use tokio::time;

use super::{Area, Finding};
use crate::link::{
    Address, OpenError, Port, ask_idle,
    transport::hub::{door, folder},
};

pub(super) async fn examine(ports: &[Port]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut is_any_alive = false;
    for path in folder::doors() {
        let entered = time::timeout(HUB_TIMEOUT, door::enter(&path)).await;
        let process = process_of(&path);
        findings.push(match entered {
            Ok(Ok(_)) => {
                is_any_alive = true;
                Area::Hub.ok(format!("process {process} shares boards"))
            }
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                Area::Hub.ok(format!("process {process} shared boards, and has ended"))
            }
            Ok(Err(error)) => {
                Area::Hub.fault(format!("process {process} accepts no connection: {error}"))
            }
            Err(_) => Area::Hub
                .fault(format!("process {process} does not answer"))
                .advising("restart that `flylead serve`"),
        });
    }
    if !is_any_alive {
        findings.push(Area::Hub.ok("no `flylead serve` of this user shares boards"));
        return findings;
    }
    for port in ports {
        findings.extend(turn_at(port).await);
    }
    findings
}

/// Returns the holder of the turn at a board, if a hub owns it.
async fn turn_at(port: &Port) -> Option<Finding> {
    let address = Address::Serial {
        path: port.path.clone(),
        baud: None,
    };
    let asked = time::timeout(HUB_TIMEOUT, ask_idle(&address, WHO)).await;
    let path = &port.path;
    match asked.ok()? {
        Ok(None) => None,
        Ok(Some(_)) => Some(Area::Hub.ok(format!("{path} is shared, at its prompt and free"))),
        Err(OpenError::InUse { by, .. }) => {
            Some(Area::Hub.note(format!("{path} is shared, and in use by {by}")))
        }
        Err(error) => Some(Area::Hub.fault(error.to_string())),
    }
}

/// Returns the process behind a door, whose name is `PROCESS.hub`.
fn process_of(door: &Path) -> String {
    let stem = door.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// Name of this client as other clients see it.
const WHO: &str = "flylead doctor";
/// Time limit for a hub's answer: it answers at once, or it hangs.
const HUB_TIMEOUT: Duration = Duration::from_secs(2);
