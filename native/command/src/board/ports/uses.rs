//! Users of boards, for `flylead ports --users`.

use flylead_native::link::{
    self, Port, doctor,
    names::Names,
    turn::{BoardUse, Use},
};
use serde_json::{Value, json};

use super::as_json;

/// Uses of this computer's ports, and of boards elsewhere that hubs of this user share.
pub(super) struct Uses {
    shared: Vec<BoardUse>,
    /// Programs that have a port open and share it with nobody, for each port.
    programs: Vec<Vec<String>>,
}

impl Uses {
    pub(super) async fn look(ports: &[Port]) -> Self {
        let shared = link::shared().await;
        let programs = ports.iter().map(|port| match at(&shared, port) {
            // Its hub has the port open, for all others.
            Some(board) if board.fault.is_none() => Vec::new(),
            _ if port.usb.is_none() => Vec::new(),
            _ => doctor::users_of(&port.path),
        });
        let programs = programs.collect();
        Self { shared, programs }
    }

    /// Returns the ports with their uses, and after them the shared boards that are at none of these.
    pub(super) fn as_json(&self, ports: &[Port], names: &Names) -> Value {
        let listed = ports.iter().zip(&self.programs).map(|(port, programs)| {
            let mut value = as_json(port, names);
            value["shared"] = at(&self.shared, port).map(shared).into();
            value["programs"] = programs.as_slice().into();
            value
        });
        let elsewhere = self.elsewhere(ports).map(|board| {
            let port = board.port.as_ref().unwrap_or(&board.address);
            json!({ "port": port, "usb": null, "names": [], "shared": shared(board), "programs": [] })
        });
        listed.chain(elsewhere).collect()
    }

    /// Returns a line for each board that somebody uses or shares.
    pub(super) fn as_text(&self, ports: &[Port]) -> String {
        let listed = ports
            .iter()
            .zip(&self.programs)
            .filter_map(|(port, programs)| {
                let words = match (at(&self.shared, port), &programs[..]) {
                    (None, []) => return None,
                    (Some(board), []) => words(board),
                    (_, programs) => format!("in use by {}", programs.join(", ")),
                };
                Some(format!("{}: {words}\n", port.path))
            });
        let elsewhere = self.elsewhere(ports);
        let elsewhere = elsewhere.map(|board| format!("{}: {}\n", board.address, words(board)));
        listed.chain(elsewhere).collect()
    }

    fn elsewhere<'a>(&'a self, ports: &'a [Port]) -> impl Iterator<Item = &'a BoardUse> {
        let is_elsewhere = move |board: &&BoardUse| !ports.iter().any(|port| is_at(board, port));
        self.shared.iter().filter(is_elsewhere)
    }
}

fn at<'a>(shared: &'a [BoardUse], port: &Port) -> Option<&'a BoardUse> {
    shared.iter().find(|board| is_at(board, port))
}

fn is_at(board: &BoardUse, port: &Port) -> bool {
    board.address == port.path || board.port.as_ref() == Some(&port.path)
}

fn words(board: &BoardUse) -> String {
    let words = match (&board.fault, &board.holder) {
        (Some(fault), _) => fault.clone(),
        (None, Some(holder)) => format!("in use by {holder}"),
        (None, None) => "shared, and free".to_owned(),
    };
    match board.waiting.len() {
        0 => words,
        1 => format!("{words}; 1 tool waits"),
        waiting => format!("{words}; {waiting} tools wait"),
    }
}

fn shared(board: &BoardUse) -> Value {
    json!({
        "address": board.address,
        "activity": board.activity,
        "fault": board.fault,
        "holder": board.holder.as_ref().map(used),
        "waiting": board.waiting.iter().map(used).collect::<Value>(),
    })
}

/// Returns a user of a board, and the duration of its use in seconds.
pub(crate) fn used(by: &Use) -> Value {
    json!({ "who": by.who, "seconds": by.since.as_secs() })
}
