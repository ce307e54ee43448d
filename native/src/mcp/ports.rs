//! Which ports may be opened, and those that are.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, PoisonError},
    time::Duration,
};

use flylead::link::{self, Address, Link};
use flylead_core::export::Config;
use globset::{GlobBuilder, GlobMatcher};
use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    time::{self, Instant},
};

use super::{
    answer::{Fault, ListedPort, PortArguments, PortList},
    worker::Worker,
};

/// How the server was started.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The folder of all runs.
    pub(crate) artifacts: PathBuf,
    /// Ports beyond those that the system lists.
    pub(crate) allowed: AllowedPorts,
    /// How long a port stays open without being used.
    pub(crate) idle_close: Duration,
    /// Whether speeds are taken that no serial line is usually run at.
    pub(crate) any_baud: bool,
}

/// Patterns such as `/dev/pts/*`. A `*` does not match a slash, and `..` never matches.
#[derive(Debug, Clone, Default)]
pub(crate) struct AllowedPorts(Vec<GlobMatcher>);

impl AllowedPorts {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, globset::Error> {
        let matcher = |pattern: &String| {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build()?;
            Ok(glob.compile_matcher())
        };
        patterns
            .iter()
            .map(matcher)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    fn allow(&self, port: &str) -> bool {
        let climbs = port.split(['/', '\\']).any(|part| part == "..");
        !climbs && self.0.iter().any(|pattern| pattern.is_match(port))
    }

    fn patterns(&self) -> Vec<String> {
        self.0
            .iter()
            .map(|pattern| pattern.glob().glob().to_owned())
            .collect()
    }
}

/// The ports, each with at most one owner.
#[derive(Debug)]
pub(super) struct Ports {
    settings: Settings,
    slots: Mutex<HashMap<String, Slot>>,
    /// The serial numbers of the boards that were at the ports when these were opened.
    boards: std::sync::Mutex<HashMap<String, String>>,
}

/// A port's place: locked while a call uses it, so that two calls never talk at once.
pub(super) type Slot = Arc<Mutex<Option<Worker>>>;

impl Ports {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            slots: Mutex::default(),
            boards: std::sync::Mutex::default(),
        }
    }

    pub(super) fn list(&self) -> Result<PortList, Fault> {
        let ports = link::ports().map_err(|error| Fault::new("ports", error, true))?;
        let listed = ports.iter().map(|port| ListedPort {
            port: port.path.clone(),
            usb: port.usb.as_ref().map(ToString::to_string),
        });
        Ok(PortList {
            ok: true,
            ports: listed.collect(),
            allowed: self.settings.allowed.patterns(),
            error: None,
        })
    }

    /// The place of a port that may be opened. Nothing is opened.
    pub(super) async fn slot(&self, port: &str) -> Result<OwnedMutexGuard<Option<Worker>>, Fault> {
        self.check(port)?;
        let slot = self
            .slots
            .lock()
            .await
            .entry(port.to_owned())
            .or_default()
            .clone();
        Ok(slot.lock_owned().await)
    }

    /// The worker that owns a port, started if need be.
    pub(super) async fn worker(
        &self,
        port: &PortArguments,
    ) -> Result<OwnedMutexGuard<Option<Worker>>, Fault> {
        let baud = self.baud(port)?;
        let mut slot = self.slot(&port.port).await?;
        if slot
            .as_ref()
            .is_none_or(|worker| worker.is_closed() || worker.baud != baud)
        {
            if let Some(worker) = slot.as_ref() {
                worker.check_free()?;
            }
            let is_known = self.boards().contains_key(&port.port);
            let was_lost = is_known || slot.as_ref().is_some_and(Worker::is_closed);
            let before = slot
                .as_ref()
                .filter(|worker| !worker.is_closed())
                .map(|worker| worker.baud);
            if let Some(worker) = slot.take() {
                worker.close().await;
            }
            let mut config = Config::default();
            config.baud = baud;
            let (link, path) = match was_lost {
                true => self.open_again(&port.port, baud).await?,
                false => (open(&port.port, baud).await?, port.port.clone()),
            };
            self.remember(&port.port, &path);
            let moved = (path != port.port).then(|| format!("the device is at {path} now"));
            let worker = Worker::spawn(link, config, baud, &self.settings);
            *slot = Some(worker.instead_of(before, moved));
        }
        Ok(slot)
    }

    /// Waits a moment for a device that was pulled out, at any port of this computer: its serial number says that it is
    /// the same.
    async fn open_again(&self, port: &str, baud: u32) -> Result<(Link, String), Fault> {
        let end = Instant::now() + RETURN_TIMEOUT;
        loop {
            let path = self.whereabouts(port);
            match open(&path, baud).await {
                Ok(link) => return Ok((link, path)),
                Err(fault) if Instant::now() > end => return Err(fault),
                Err(_) => time::sleep(RETURN_PAUSE).await,
            }
        }
    }

    /// Where the device is now that was opened by this name.
    fn whereabouts(&self, port: &str) -> String {
        let id = self.boards().get(port).cloned();
        let ports = link::ports().unwrap_or_default();
        let now = link::same_board(&ports, port, id.as_deref());
        now.map_or(port, |now| &now.path).to_owned()
    }

    fn remember(&self, port: &str, path: &str) {
        let ports = link::ports().unwrap_or_default();
        let board = ports.iter().find(|listed| listed.path == path);
        match board.and_then(link::Port::id) {
            Some(id) => self.boards().insert(port.to_owned(), id.to_owned()),
            None => self.boards().remove(port),
        };
    }

    fn boards(&self) -> std::sync::MutexGuard<'_, HashMap<String, String>> {
        self.boards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worker that has this export.
    pub(super) async fn with_export(
        &self,
        export_id: &str,
    ) -> Result<OwnedMutexGuard<Option<Worker>>, Fault> {
        let slots: Vec<Slot> = self.slots.lock().await.values().cloned().collect();
        for slot in slots {
            let slot = slot.lock_owned().await;
            if slot
                .as_ref()
                .is_some_and(|worker| worker.has_export(export_id))
            {
                return Ok(slot);
            }
        }
        Err(Fault::argument(format!(
            "there is no export {export_id}; the newest on its port is kept"
        )))
    }

    pub(super) fn baud(&self, port: &PortArguments) -> Result<u32, Fault> {
        let baud = port.baud.unwrap_or(Address::DEFAULT_BAUD);
        match self.settings.any_baud || USUAL_BAUDS.contains(&baud) {
            true => Ok(baud),
            false => Err(Fault::argument(format!(
                "{baud} baud is unusual; use one of {USUAL_BAUDS:?}, or start the server with --any-baud"
            ))),
        }
    }

    fn check(&self, port: &str) -> Result<(), Fault> {
        let is_listed =
            || link::ports().is_ok_and(|ports| ports.iter().any(|listed| listed.path == port));
        let was_open = || self.boards().contains_key(port);
        match self.settings.allowed.allow(port) || is_listed() || was_open() {
            true => Ok(()),
            false => Err(Fault::new(
                "port_refused",
                "this is not a port of this computer; serial.list_ports names them, and --allow-port PATTERN allows others",
                false,
            )),
        }
    }
}

/// Opens a port by its name, and nothing else by any other.
pub(super) async fn open(port: &str, baud: u32) -> Result<Link, Fault> {
    let address = Address::Serial {
        path: port.to_owned(),
        baud: Some(baud),
    };
    link::open(&address)
        .await
        .map_err(|error| Fault::new("port", error, true))
}

/// How long a device that was pulled out is waited for when it is asked for again.
const RETURN_TIMEOUT: Duration = Duration::from_secs(3);
const RETURN_PAUSE: Duration = Duration::from_millis(200);
const USUAL_BAUDS: [u32; 12] = [
    1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 1_000_000,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f19_a_hundred_hostile_ports_are_refused() {
        let allowed =
            AllowedPorts::new(&["/dev/pts/*".to_owned(), "/dev/ttyUSB?".to_owned()]).unwrap();
        let ports = Ports::new(Settings {
            artifacts: "artifacts".into(),
            allowed,
            idle_close: Duration::from_secs(1),
            any_baud: false,
        });
        assert!(ports.check("/dev/pts/3").is_ok());
        assert!(ports.check("/dev/ttyUSB0").is_ok());
        let shapes: [fn(u32) -> String; 10] = [
            |n| format!("/etc/passwd{n}"),
            |n| format!("/dev/pts/../sd{n}"),
            |n| format!("/dev/pts/{n}/x"),
            |n| format!("process:sh -c {n}"),
            |n| format!("tcp://host:{n}"),
            |n| format!("unix:///run/{n}"),
            |n| format!("/dev/ttyUSB{n}0"),
            |n| format!("-{n}"),
            |n| format!("/dev/pts{n}"),
            |n| format!("../dev/pts/{n}"),
        ];
        for shape in shapes {
            for n in 0..10 {
                assert!(ports.check(&shape(n)).is_err(), "{}", shape(n));
            }
        }
        assert!(ports.check("").is_err());
    }
}
