//! Boards of a lab shared by [labgrid](https://labgrid.readthedocs.io): places that people acquire, on computers that
//! export their serial ports by RFC 2217.
//!
//! Queries to the coordinator go through labgrid's own `labgrid-client` (PyPI `labgrid` 26), not through gRPC: every
//! user of a lab has it, it takes the coordinator, the user's name and ssh proxies from labgrid's own settings, and its
//! error messages name the command that helps. A second client would add a hundred crates, for a protocol that labgrid
//! does not keep stable for third parties.

use std::{collections::BTreeMap, env, fmt, io, process::Stdio, time::Duration};

use serde_json::Value;
use tokio::{process::Command, time::timeout};

use crate::literal::Literal;

/// Place, the unit that users acquire.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// Name.
    pub name: String,
    /// Tags.
    pub tags: BTreeMap<String, String>,
    /// User who has acquired the place: `HOST/USER`.
    pub acquired: Option<String>,
    /// Comment by its owner.
    pub comment: String,
}

/// A serial port of a place, served by RFC 2217.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NetworkPort {
    /// Server, as `HOST:PORT`.
    pub host: String,
    /// Speed in bits per second.
    pub baud: Option<u32>,
}

/// Reason why a place cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum LabgridError {
    /// The program `labgrid-client` is not installed.
    NoClient {
        /// Name of the program.
        program: String,
        /// Error of the system.
        source: io::Error,
    },
    /// `labgrid-client` or the coordinator does not answer.
    TimedOut,
    /// The place has not been acquired.
    NotAcquired {
        /// The place.
        place: String,
    },
    /// Another user has acquired the place.
    Taken {
        /// The place.
        place: String,
        /// Name of the user, and the remedy, in labgrid's words.
        said: String,
    },
    /// The place has no serial port, or its exporter is gone.
    NoPort {
        /// The place.
        place: String,
    },
    /// The place has several serial ports.
    SeveralPorts {
        /// The place.
        place: String,
        /// Names of the ports.
        ports: Vec<String>,
    },
    /// The port can only be reached through a proxy.
    Proxy {
        /// The place.
        place: String,
    },
    /// `labgrid-client` failed for another reason.
    Refused {
        /// Message of labgrid.
        said: String,
    },
}

/// Lists all places of the coordinator.
///
/// # Errors
/// `labgrid-client` is not installed, or there is no coordinator.
pub async fn places() -> Result<Vec<Place>, LabgridError> {
    let listed = ask(None, &["-v", "places"]).await?;
    Ok(read_places(&listed))
}

/// Returns the serial port of a place that this user has acquired.
///
/// # Errors
/// The place is unknown, not acquired or acquired by another user, or has no serial port.
pub async fn port(place: &str) -> Result<NetworkPort, LabgridError> {
    // The first describes the place, the second tells whether this user may use it.
    let (shown, checked) = tokio::join!(ask(Some(place), &["show"]), ask(Some(place), &["env"]));
    let shown = shown?;
    let is_acquired = read_places(&shown)
        .first()
        .is_some_and(|it| it.acquired.is_some());
    if !is_acquired {
        let place = place.to_owned();
        return Err(LabgridError::NotAcquired { place });
    }
    match checked {
        Err(LabgridError::Refused { said }) if said.contains(" acquired ") => {
            let place = place.to_owned();
            return Err(LabgridError::Taken { place, said });
        }
        Err(error @ LabgridError::Refused { .. }) => {
            // An exporter that is gone leaves an orphaned resource behind.
            let place = place.to_owned();
            return Err(match shown.contains("Orphaned resource") {
                true => LabgridError::NoPort { place },
                false => error,
            });
        }
        checked => drop(checked?),
    }
    read_port(place, &shown)
}

/// Acquires a place for this user; returns true if it was not theirs before.
///
/// # Errors
/// The place is unknown or acquired by another user, or one of its resources is in use.
pub async fn acquire(place: &str) -> Result<bool, LabgridError> {
    match ask(Some(place), &["acquire"]).await {
        Ok(_) => Ok(true),
        Err(LabgridError::Refused { said }) if said.contains("You have already acquired") => {
            Ok(false)
        }
        Err(LabgridError::Refused { said }) if said.contains("already acquired") => {
            let place = place.to_owned();
            Err(LabgridError::Taken { place, said })
        }
        Err(error) => Err(error),
    }
}

/// Releases a place.
///
/// # Errors
/// The place is not acquired by this user, or there is no coordinator.
pub async fn release(place: &str) -> Result<(), LabgridError> {
    ask(Some(place), &["release"]).await.map(drop)
}

/// Runs `labgrid-client` and returns its output.
async fn ask(place: Option<&str>, words: &[&str]) -> Result<String, LabgridError> {
    let program = env::var("FLYLEAD_LABGRID_CLIENT")
        .ok()
        .filter(|it| !it.is_empty());
    let program = program.unwrap_or_else(|| "labgrid-client".to_owned());
    let mut command = Command::new(&program);
    if let Some(place) = place {
        // One word, so that no name is mistaken for an option.
        command.arg(format!("--place={place}"));
    }
    command.args(words).stdin(Stdio::null()).kill_on_drop(true);
    // The output is parsed, so it has to be in UTF-8 and without colors.
    command
        .env("PYTHONIOENCODING", "utf-8")
        .env("NO_COLOR", "1");
    let done = timeout(LONGEST, command.output()).await;
    let done = done.map_err(|_| LabgridError::TimedOut)?;
    let done = done.map_err(|source| LabgridError::NoClient { program, source })?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => {
            let said = String::from_utf8_lossy(&done.stderr);
            let last = said.lines().rev().find(|line| !line.trim().is_empty());
            let last = last.unwrap_or("it says nothing");
            let said = last.strip_prefix("labgrid-client: Error: ").unwrap_or(last);
            Err(LabgridError::Refused {
                said: said.trim().to_owned(),
            })
        }
    }
}

/// Parses the places from the output of `show` and `places -v`.
fn read_places(text: &str) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("Place '") {
            let name = name.trim_end_matches(':').trim_end_matches('\'').to_owned();
            places.push(Place {
                name,
                ..Place::default()
            });
            continue;
        }
        // Fields of the place are indented by two; deeper ones belong to a field.
        let field = line
            .strip_prefix("  ")
            .filter(|rest| !rest.starts_with(' '));
        let (Some(place), Some((name, value))) = (
            places.last_mut(),
            field.and_then(|field| field.split_once(':')),
        ) else {
            continue;
        };
        let value = value.trim();
        match name {
            "tags" => place.tags = read_tags(value),
            "comment" => value.clone_into(&mut place.comment),
            "acquired" => place.acquired = Some(value.to_owned()).filter(|by| by != "None"),
            _ => {}
        }
    }
    places
}

/// Parses tags such as `a=1, b=2`.
fn read_tags(text: &str) -> BTreeMap<String, String> {
    let tags = text.split(", ").filter_map(|tag| tag.split_once('='));
    tags.map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// Parses the single serial port among the resources printed by `show`, each formatted as a Python dictionary.
fn read_port(place: &str, text: &str) -> Result<NetworkPort, LabgridError> {
    let mut ports = Vec::new();
    for section in text.split("\nAcquired resource '").skip(1) {
        let Some((head, body)) = section.split_once('\n') else {
            continue;
        };
        let body = body.lines().take_while(|line| line.starts_with("  "));
        let body: Vec<_> = body.map(str::trim).collect();
        let resource = Literal::parse(&body.join(" ")).to_json();
        if resource["cls"] == "NetworkSerialPort" {
            let name = head.split('\'').next().unwrap_or(head);
            ports.push((name.to_owned(), resource));
        }
    }
    let place = place.to_owned();
    match &ports[..] {
        [] => Err(LabgridError::NoPort { place }),
        [(_, resource)] => reachable(place, resource),
        _ => Err(LabgridError::SeveralPorts {
            place,
            ports: ports.into_iter().map(|(name, _)| name).collect(),
        }),
    }
}

fn reachable(place: String, resource: &Value) -> Result<NetworkPort, LabgridError> {
    let params = &resource["params"];
    if params["extra"]["proxy_required"] == true {
        return Err(LabgridError::Proxy { place });
    }
    let port = params["port"]
        .as_u64()
        .and_then(|port| u16::try_from(port).ok());
    match (resource["avail"] == true, params["host"].as_str(), port) {
        (true, Some(host), Some(port)) => {
            let host = match host.contains(':') {
                true => format!("[{host}]"),
                false => host.to_owned(),
            };
            Ok(NetworkPort {
                host: format!("{host}:{port}"),
                baud: params["speed"]
                    .as_u64()
                    .and_then(|baud| u32::try_from(baud).ok()),
            })
        }
        _ => Err(LabgridError::NoPort { place }),
    }
}

impl fmt::Display for LabgridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoClient { program, source } => write!(
                f,
                "a lab is reached through labgrid's own command, but {program} cannot be started ({source}): run `pip install labgrid`, or set FLYLEAD_LABGRID_CLIENT to its path"
            ),
            Self::TimedOut => {
                f.write_str("labgrid's coordinator did not answer; LG_COORDINATOR says where it is")
            }
            Self::NotAcquired { place } => write!(
                f,
                "the place {place} is not acquired: use --acquire, or run `labgrid-client -p {place} acquire`"
            ),
            Self::Taken { place, said } => write!(f, "the place {place} is not yours: {said}"),
            Self::NoPort { place } => write!(
                f,
                "the place {place} has no serial port now; is its exporter running? `labgrid-client -p {place} show` lists what it has"
            ),
            Self::SeveralPorts { place, ports } => write!(
                f,
                "the place {place} has several serial ports ({}); create a place for each of them",
                ports.join(", ")
            ),
            Self::Proxy { place } => write!(
                f,
                "the place {place} can only be reached through a proxy; `labgrid-client -p {place} forward` makes a port here for --port tcp://"
            ),
            Self::Refused { said } => write!(f, "labgrid refused: {said}"),
        }
    }
}

impl std::error::Error for LabgridError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let Self::NoClient { source, .. } = self else {
            return None;
        };
        Some(source)
    }
}

/// Time limit of `labgrid-client`: it needs a second on an idle computer, many on a busy one.
const LONGEST: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of labgrid-client 26.0.1.
    const SHOWN: &str = "\
Place 'bench':
  tags: board=pico, room=a
  matches:
    */lab-bench/*
  acquired: vm/root
  acquired resources:
    exp1/lab-bench/NetworkSerialPort/RawSerialPort
  created: 2026-11-22 18:57:50.386321
Acquired resource 'RawSerialPort' (exp1/lab-bench/NetworkSerialPort/RawSerialPort):
  {'acquired': 'bench',
   'avail': True,
   'cls': 'NetworkSerialPort',
   'params': {'extra': {'path': '/dev/pts/0',
                        'proxy': 'localhost',
                        'proxy_required': False},
              'host': '127.0.0.1',
              'port': 36991,
              'speed': 115200}}
";

    #[test]
    fn what_the_client_prints_is_understood() {
        let places = read_places(SHOWN);
        assert_eq!(places.len(), 1);
        assert_eq!(places[0].name, "bench");
        assert_eq!(places[0].acquired.as_deref(), Some("vm/root"));
        assert_eq!(places[0].tags["room"], "a");
        let port = read_port("bench", SHOWN).unwrap();
        assert_eq!(
            (port.host.as_str(), port.baud),
            ("127.0.0.1:36991", Some(115_200))
        );
        let twice = format!("{SHOWN}{}", &SHOWN[SHOWN.find("Acquired").unwrap()..]);
        let several = read_port("bench", &twice).unwrap_err().to_string();
        assert!(several.contains("several serial ports"), "{several}");
        for (from, to) in [
            ("36991", "None"),
            ("'avail': True", "'avail': False"),
            ("NetworkSerialPort',", "NetworkPowerPort',"),
            ("'proxy_required': False", "'proxy_required': True"),
            ("{'acquired'", "{{'acquired'"),
        ] {
            assert!(
                read_port("bench", &SHOWN.replace(from, to)).is_err(),
                "{to}"
            );
        }
    }
}
