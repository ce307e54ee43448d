//! `flylead doctor`

mod board;

use clap::Args;
use flylead_native::{
    doctor::{self, Area, Finding, Level},
    link::Address,
};
use serde_json::json;

use crate::{
    Common, Exit, Failure,
    terminal::{self, print},
};

/// Find out why a board cannot be reached, for yourself or for a bug report
///
/// Looks at versions, permissions, drivers, services, the programs that use a port, and `flylead serve` with its network.
/// No port is opened unless --port names one: that board is queried, but only if it is at its prompt and not in use. A
/// running program is not interrupted, and nothing is stored on the board. The report contains no passwords and no serial
/// numbers.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead doctor                        this computer; no port is opened
  flylead doctor --port /dev/ttyACM0    and this board
  flylead --json doctor                 for a script; exit code 3 if something is wrong")]
pub(crate) struct Cmd {}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let named = (common.port != Address::Auto).then(|| common.address());
        let mut findings = doctor::examine(named.as_ref()).await;
        findings.extend(match named {
            Some(address) => board::examine(&address, common).await?,
            None => vec![Area::Board.ok("not queried; name a board with --port ADDRESS")],
        });
        report(&findings, Exit::NoLink, common)
    }
}

/// Prints findings, and ends with this code if one of them is a fault.
pub(crate) fn report(findings: &[Finding], fault: Exit, common: &Common) -> Result<Exit, Failure> {
    let is_well = findings.iter().all(|it| it.level != Level::Fault);
    print(match common.json {
        true => format!("{}\n", json!({ "ok": is_well, "findings": findings })),
        false => as_text(findings),
    })?;
    Ok(if is_well { Exit::Done } else { fault })
}

/// Returns the findings as text, below the titles of their areas.
fn as_text(findings: &[Finding]) -> String {
    let mut text = String::new();
    for area in AREAS {
        let inside: Vec<_> = findings.iter().filter(|it| it.area == area).collect();
        if !inside.is_empty() {
            text.push_str(area.title());
            text.push('\n');
        }
        for finding in inside {
            let mark = match finding.level {
                Level::Ok => "ok   ",
                Level::Note => "note ",
                Level::Fault => "FAULT",
            };
            text.push_str(&format!("  {mark}  {}\n", terminal::name(&finding.text)));
            if let Some(advice) = &finding.advice {
                text.push_str(&format!("         next: {}\n", terminal::name(advice)));
            }
        }
    }
    text
}

const AREAS: [Area; 7] = [
    Area::Versions,
    Area::Settings,
    Area::System,
    Area::Ports,
    Area::Hub,
    Area::Board,
    Area::Files,
];
