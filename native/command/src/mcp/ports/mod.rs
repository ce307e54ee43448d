//! Ports of this computer, and the state of those that were used.

pub(crate) mod allowed;
mod terminal;

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use flylead_core::export::Config;
use flylead_native::link::{
    self, Address, Link, OpenError, Options,
    names::Names,
    turn::{Ask, News},
};
use tokio::time::{self, Instant};

use super::{
    answer::{Fault, ListedPort, PortList},
    arguments::PortArguments,
    outputs::Outputs,
    port::{
        Port, address_of,
        turn::{Held, Turn},
        worker::Worker,
    },
    server::settings::Settings,
};

/// The ports, each with at most one owner.
#[derive(Debug)]
pub(super) struct Ports {
    pub(super) settings: Settings,
    pub(super) outputs: Outputs,
    known: Mutex<BTreeMap<String, Known>>,
    /// Serial numbers of the boards at the ports when these were opened.
    boards: Mutex<HashMap<String, String>>,
}

/// A port that a call has named, and the turn to use it.
#[derive(Debug, Clone)]
struct Known {
    port: Arc<Port>,
    turn: Turn,
}

impl Ports {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            outputs: Outputs::default(),
            known: Mutex::default(),
            boards: Mutex::default(),
        }
    }

    pub(super) fn list(&self) -> Result<PortList, Fault> {
        let ports = link::ports().map_err(|error| Fault::new("ports", error, true))?;
        let names = Names::load().map_err(|error| Fault::new("ports", error, false))?;
        let listed = ports.iter().map(|port| ListedPort {
            port: port.path.clone(),
            names: names.of(port).map(str::to_owned).collect(),
            usb: port.usb.as_ref().map(ToString::to_string),
        });
        Ok(PortList {
            ok: true,
            ports: listed.collect(),
            boot_loaders: link::boot_loaders()
                .iter()
                .map(ToString::to_string)
                .collect(),
            allowed: self.settings.allowed.patterns(),
            error: None,
        })
    }

    /// Returns a port that may be opened, without opening it.
    pub(super) fn port(&self, name: &str) -> Result<Arc<Port>, Fault> {
        Ok(self.look_up(name)?.port)
    }

    /// Returns a port that may be opened, once it is this call's turn to use it.
    pub(super) async fn take(&self, name: &str) -> Result<(Arc<Port>, Held), Fault> {
        let Known { port, turn } = self.look_up(name)?;
        let held = turn.take(&port).await?;
        Ok((port, held))
    }

    fn look_up(&self, name: &str) -> Result<Known, Fault> {
        let name = &*path_of(name)?;
        self.check(name)?;
        let mut known = self.known();
        if known.len() >= LONGEST_KNOWN && !known.contains_key(name) {
            return Err(Fault::busy("too many ports were used; restart the server"));
        }
        let known = known.entry(name.to_owned()).or_insert_with(|| Known {
            port: Arc::new(Port::new(name)),
            turn: Turn::default(),
        });
        known.port.touch();
        Ok(known.clone())
    }

    /// Returns the port of this export.
    pub(super) fn with_export(&self, export_id: &str) -> Result<Arc<Port>, Fault> {
        let known = self.known();
        let mut has = known
            .values()
            .map(|known| &known.port)
            .filter(|port| port.export(export_id).is_some());
        let port = has.next().ok_or_else(|| {
            Fault::argument(format!(
                "there is no export {export_id}; the last ones of each port are remembered"
            ))
        })?;
        port.touch();
        Ok(Arc::clone(port))
    }

    /// Waits for a few seconds until all ports are unused, and closes them.
    pub(super) async fn close(&self) {
        let all: Vec<_> = self.known().values().cloned().collect();
        let closing = async {
            for Known { port, turn } in all {
                port.cancel();
                if let Some(worker) = turn.wait().await.take() {
                    worker.close().await;
                }
            }
        };
        // A port that hangs must not keep the server from ending.
        let _ = time::timeout(CLOSE_TIMEOUT, closing).await;
    }

    /// Returns the turn to use a port, and the worker that owns it, started if necessary.
    pub(super) async fn worker(
        &self,
        arguments: &PortArguments,
    ) -> Result<(Arc<Port>, Held), Fault> {
        let baud = self.baud(arguments)?;
        let (port, mut held) = self.take(&arguments.port).await?;
        let is_right = |worker: &Worker| !worker.is_closed() && worker.baud == baud;
        if !held.as_ref().is_some_and(is_right) {
            // A change of speed reopens the port, which may restart a board.
            if held.as_ref().is_some_and(|worker| !worker.is_closed()) {
                port.check_not_recording()?;
            }
            let worker = self.start(&port, held.take(), baud).await?;
            *held = Some(worker);
        }
        Ok((port, held))
    }

    /// Opens a port in place of its previous worker.
    pub(super) async fn start(
        &self,
        port: &Arc<Port>,
        before: Option<Worker>,
        baud: u32,
    ) -> Result<Worker, Fault> {
        let is_known = self.boards().contains_key(&port.name);
        let was_lost = is_known || before.as_ref().is_some_and(Worker::is_closed);
        let old = before.as_ref().filter(|worker| !worker.is_closed());
        let old = old.map(|worker| worker.baud);
        if let Some(worker) = before {
            worker.close().await;
        }
        let (link, path) = match was_lost {
            true => self.open_again(port, baud).await?,
            false => (open(port, &port.name, baud).await?, port.name.clone()),
        };
        self.remember(&port.name, &path);
        let moved = (path != port.name).then(|| format!("the device is at {path} now"));
        let faster = old.filter(|old| *old != baud).map(|old| {
            format!(
                "the port was reopened at {baud} instead of {old} baud, which may have restarted the board"
            )
        });
        port.opened(faster.or(moved));
        let trace = self.settings.trace.clone();
        Ok(Worker::spawn(
            port,
            link,
            baud,
            self.config(),
            trace,
            &self.settings,
        ))
    }

    fn config(&self) -> Config {
        let mut config = Config::default();
        config.timeout = self.settings.timeout.unwrap_or(config.timeout);
        config.idle_timeout = self.settings.timeout.unwrap_or(config.idle_timeout);
        config
    }

    /// Waits a moment for an unplugged device to return, at any port of this computer: its serial number identifies it.
    async fn open_again(&self, port: &Arc<Port>, baud: u32) -> Result<(Link, String), Fault> {
        let end = Instant::now() + RETURN_TIMEOUT;
        loop {
            let path = self.whereabouts(&port.name);
            match open(port, &path, baud).await {
                Ok(link) => return Ok((link, path)),
                Err(fault) if Instant::now() > end => {
                    port.closed("the device has not come back");
                    return Err(fault);
                }
                Err(_) => {
                    port.reconnecting();
                    time::sleep(RETURN_PAUSE).await;
                }
            }
        }
    }

    /// Returns the current path of the device that was opened by this name.
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

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn boards(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.boards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn baud(&self, port: &PortArguments) -> Result<u32, Fault> {
        let baud = port.baud.unwrap_or(self.settings.baud);
        match self.settings.any_baud || USUAL_BAUDS.contains(&baud) || baud == self.settings.baud {
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
            false => Err(refused(
                "this is not a port of this computer; serial.list_ports names them, and --allow-port PATTERN allows others",
            )),
        }
    }
}

/// Returns the path of the port that a call names, either directly or by the name of the board there.
fn path_of(name: &str) -> Result<Cow<'_, str>, Fault> {
    let meant = Address::Named(name.to_owned());
    if link::resolve(&meant).is_err() {
        return Ok(Cow::Borrowed(name));
    }
    match link::find(&meant) {
        Ok(Address::Serial { path, .. }) => Ok(Cow::Owned(path)),
        Ok(_) => Err(refused("the board with this name is not at a serial port")),
        Err(error) => Err(Fault::new("port", error, true)),
    }
}

fn refused(message: &str) -> Fault {
    Fault::new("port_refused", message, false)
}

/// Opens a port by its own name only.
pub(super) async fn open(port: &Arc<Port>, path: &str, baud: u32) -> Result<Link, Fault> {
    if terminal::is_somebodys(path) {
        return Err(refused(
            "this is the terminal of a session on this computer, not a device; serial.list_ports names the ports",
        ));
    }
    let address = address_of(path, baud);
    port.set_wanted(false);
    let mut options = Options::default();
    options.ask = Ask::turn(format!("flylead mcp (process {})", std::process::id()));
    let told = Arc::downgrade(port);
    options.news = Some(Arc::new(move |news| {
        if let (News::Wanted(_), Some(port)) = (news, told.upgrade()) {
            port.set_wanted(true);
        }
    }));
    link::open_with(&address, &options).await.map_err(|error| {
        // No other error goes away by itself.
        let is_passing = matches!(
            error,
            OpenError::Busy { .. } | OpenError::InUse { .. } | OpenError::TimedOut { .. }
        );
        Fault::new("port", error, is_passing)
    })
}

/// Time to wait for an unplugged device when it is requested again.
const RETURN_TIMEOUT: Duration = Duration::from_secs(10);
const RETURN_PAUSE: Duration = Duration::from_millis(100);
/// Time that calls have to end when the server ends.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// Limit of remembered ports.
const LONGEST_KNOWN: usize = 256;
const USUAL_BAUDS: [u32; 12] = [
    1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 1_000_000,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::ports::allowed::AllowedPorts;

    #[test]
    fn f19_a_hundred_hostile_ports_are_refused() {
        let allowed =
            AllowedPorts::new(&["/dev/rfcomm*".to_owned(), "/dev/ttyUSB?".to_owned()]).unwrap();
        let ports = Ports::new(Settings {
            artifacts: "/artifacts".into(),
            files: None,
            allowed,
            idle_close: Duration::from_secs(1),
            any_baud: false,
            baud: 115_200,
            timeout: None,
            trace: None,
            confirm: false,
        });
        assert!(ports.check("/dev/rfcomm3").is_ok());
        assert!(ports.check("/dev/ttyUSB0").is_ok());
        let shapes: [fn(u32) -> String; 10] = [
            |n| format!("/etc/passwd{n}"),
            |n| format!("/dev/rfcomm/../sd{n}"),
            |n| format!("/dev/rfcomm{n}/x"),
            |n| format!("process:sh -c {n}"),
            |n| format!("tcp://host:{n}"),
            |n| format!("unix:///run/{n}"),
            |n| format!("/dev/ttyUSB{n}0"),
            |n| format!("-{n}"),
            |n| format!("/dev/pts{n}"),
            |n| format!("../dev/rfcomm{n}"),
        ];
        for shape in shapes {
            for n in 0..10 {
                assert!(ports.check(&shape(n)).is_err(), "{}", shape(n));
            }
        }
        assert!(ports.check("").is_err());
    }
}
