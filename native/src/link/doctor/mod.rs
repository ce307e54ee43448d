//! Diagnoses why a board cannot be reached, without opening a port.
//!
//! ```text
//!   versions, settings ──┐
//!   ports, permissions ──┤
//!   drivers, services ───┼──► findings, each with its next step
//!   processes ───────────┤
//!   hubs, their network ─┘
//! ```
//!
//! Nothing is opened, sent or changed: files of the system are read, and hubs of this user report whose turn it is.
//! Serial numbers, passwords and arguments of programs are left out, because the findings are meant to be published.

mod hubs;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod processes;
mod settings;
#[cfg(target_os = "linux")]
mod usb;

use serde::Serialize;

use crate::link::{self, Address, Port};

/// Observation about this computer or a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Part of the system that the finding is about.
    pub area: Area,
    /// Severity.
    pub level: Level,
    /// The observation in one line.
    pub text: String,
    /// Next step, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// Part of the way from a person to a board, in the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Area {
    /// Flylead and the operating system.
    Versions,
    /// Environment variables, names of boards, folders.
    Settings,
    /// Drivers and services of the system.
    System,
    /// Serial ports, their permissions and their users.
    Ports,
    /// Hubs of this user and the addresses at which they listen.
    Hub,
    /// One board.
    Board,
    /// The files of a board.
    Files,
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// No fault.
    Ok,
    /// Worth knowing when something fails.
    Note,
    /// Prevents access to a board.
    Fault,
}

impl Area {
    /// Returns the area's title in reports.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Versions => "versions",
            Self::Settings => "settings",
            Self::System => "drivers and services",
            Self::Ports => "ports",
            Self::Hub => "hub",
            Self::Board => "board",
            Self::Files => "files",
        }
    }

    /// Creates a finding that all is well.
    #[must_use]
    pub fn ok(self, text: impl Into<String>) -> Finding {
        self.finding(Level::Ok, text)
    }

    /// Creates a finding that is worth knowing.
    #[must_use]
    pub fn note(self, text: impl Into<String>) -> Finding {
        self.finding(Level::Note, text)
    }

    /// Creates a finding about a fault that prevents access to a board.
    #[must_use]
    pub fn fault(self, text: impl Into<String>) -> Finding {
        self.finding(Level::Fault, text)
    }

    fn finding(self, level: Level, text: impl Into<String>) -> Finding {
        let (area, text, advice) = (self, text.into(), None);
        Finding {
            area,
            level,
            text,
            advice,
        }
    }
}

impl Finding {
    /// Adds a next step.
    #[must_use]
    pub fn advising(self, advice: impl Into<String>) -> Self {
        let advice = Some(advice.into());
        Self { advice, ..self }
    }
}

/// Examines this computer, its serial ports and the hubs of this user; `named` is a port to examine even if the system
/// does not list it. No port is opened. It takes two seconds at most for each hub.
pub async fn examine(named: Option<&Address>) -> Vec<Finding> {
    let mut findings = settings::examine();
    let listed = link::ports();
    if let Err(error) = &listed {
        findings.push(Area::Ports.fault(error.to_string()));
    }
    let mut ports = listed.unwrap_or_default();
    ports.extend(named.and_then(|address| unlisted(address, &ports)));
    #[cfg(target_os = "linux")]
    findings.extend(linux::examine(&ports));
    #[cfg(not(target_os = "linux"))]
    findings.extend(elsewhere(&ports));
    findings.extend(hubs::examine(&ports).await);
    findings
}

/// Returns the names of the processes that have a serial port open, except this one. Processes of other users are
/// invisible; on systems other than Linux, all processes are.
#[must_use]
pub fn users_of(path: &str) -> Vec<String> {
    #[cfg(target_os = "linux")]
    {
        let processes = processes::Processes::read(std::path::Path::new("/"));
        let users = processes.users_of(std::path::Path::new(path));
        users.map(ToString::to_string).collect()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        Vec::new()
    }
}

/// Returns the serial port of an address that the system does not list, such as a pseudo-terminal.
fn unlisted(address: &Address, ports: &[Port]) -> Option<Port> {
    let Ok(Address::Serial { path, .. }) = link::find(address) else {
        return None;
    };
    let real = std::fs::canonicalize(&path).ok();
    let path = real.and_then(|real| real.to_str().map(str::to_owned));
    let path = path?;
    let is_listed = ports.iter().any(|port| port.path == path);
    (!is_listed).then_some(Port { path, usb: None })
}

#[cfg(not(target_os = "linux"))]
fn elsewhere(ports: &[Port]) -> Vec<Finding> {
    let mut findings: Vec<_> = ports
        .iter()
        .map(|port| Area::Ports.ok(described(port)))
        .collect();
    if findings.is_empty() {
        findings.push(no_port());
    }
    findings.push(
        Area::Ports.note(
            "permissions, drivers and the programs that use a port are examined only on Linux",
        ),
    );
    findings
}

fn no_port() -> Finding {
    Area::Ports
        .note("there is no serial port")
        .advising("use a USB cable that carries data, and check that the board's light is on")
}

/// Describes a port in one line, without its serial number.
fn described(port: &Port) -> String {
    let Some(usb) = &port.usb else {
        return port.path.clone();
    };
    let words = [&usb.manufacturer, &usb.name];
    let words: Vec<_> = words.into_iter().flatten().map(String::as_str).collect();
    let numbers = format!("{:04x}:{:04x}", usb.vendor, usb.product);
    let line = format!("{}  {numbers}  {}", port.path, words.join(" "));
    line.trim_end().to_owned()
}
