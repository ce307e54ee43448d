//! Saved logs, and the history of a port.

use std::{
    collections::VecDeque,
    fs, io,
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

use flylead_core::export::RunId;
use flylead_native::export::{self, Check, Log, Manifest};
use serde_json::json;

use super::{Common, Exit, Failure};
use crate::terminal::{print_line, say, visible_line};

/// `flylead export list`
pub(super) fn list(
    artifacts: &Path,
    run: Option<&RunId>,
    common: &Common,
) -> Result<Exit, Failure> {
    for log in logs(artifacts, run)? {
        let manifest = log.manifest.as_ref();
        match common.json {
            true => print_line(json!({
                "run_id": log.run_id.as_str(), "path": log.path, "manifest": manifest,
            }))?,
            false => print_line(row(&log))?,
        }
    }
    Ok(Exit::Done)
}

/// `flylead export verify`
pub(super) fn verify(
    artifacts: &Path,
    run: Option<&RunId>,
    common: &Common,
) -> Result<Exit, Failure> {
    let mut bad = 0;
    for log in logs(artifacts, run)? {
        let check = log.check().map_err(|error| unreadable(&log.path, &error))?;
        bad += usize::from(!check.is_fine());
        match common.json {
            true => print_line(json!({
                "ok": check.is_fine(), "run_id": log.run_id.as_str(), "path": log.path, "check": check.as_str(),
            }))?,
            false => print_line(format_args!(
                "{}  {}",
                log.path.display(),
                words(check, &log)
            ))?,
        }
    }
    if bad == 0 {
        return Ok(Exit::Done);
    }
    if !common.json {
        say(format_args!(
            "{bad} of these logs differ, or may differ, from what the device sent; `flylead export fetch RUN_ID` fetches a log again"
        ));
    }
    Ok(Exit::Refused)
}

/// `flylead export history`
pub(super) fn history(lines: usize, common: &Common) -> Result<Exit, Failure> {
    let address = common.address();
    let Some(file) = export::history_of(&address) else {
        return Err(Failure::new(
            Exit::Usage,
            format!("{address} has no history; name a serial port with --port"),
        ));
    };
    let mut last = VecDeque::new();
    for file in [file.with_extension("log.1"), file] {
        let text = match fs::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(unreadable(&file, &error)),
        };
        for line in String::from_utf8_lossy(&text).lines() {
            last.push_back(line.to_owned());
            if last.len() > lines {
                last.pop_front();
            }
        }
    }
    for line in last {
        match (
            common.json,
            line.split_once(' ')
                .and_then(|(time, rest)| Some((time, rest.split_at_checked(2)?))),
        ) {
            (true, Some((time, (way, text)))) => print_line(json!({
                "time": time, "way": way.trim(), "line": text,
            }))?,
            (true, None) => {}
            (false, _) => print_line(visible_line(&line))?,
        }
    }
    Ok(Exit::Done)
}

fn logs(artifacts: &Path, run: Option<&RunId>) -> Result<Vec<Log>, Failure> {
    let logs = export::logs(artifacts, run).map_err(|error| unreadable(artifacts, &error))?;
    if logs.is_empty() {
        let message = format!(
            "{}: there is no log; `flylead export fetch RUN_ID` fetches one from the device",
            artifacts.display()
        );
        return Err(Failure::new(Exit::Usage, message));
    }
    Ok(logs)
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Usage, format!("{}: {error}", path.display()))
}

/// Returns the name, time, length and proof of a log, in columns.
fn row(log: &Log) -> String {
    let name = match log.copy {
        0 => log.run_id.to_string(),
        copy => format!("{}  (copy {copy})", log.run_id),
    };
    let Some(manifest) = &log.manifest else {
        return format!("{name:<32}  without a manifest");
    };
    let time = UNIX_EPOCH + Duration::from_secs(manifest.received_at);
    let port = manifest.origin.port.as_deref().unwrap_or("-");
    format!(
        "{name:<32}  {}  {:>10}  {:<14}  {}",
        humantime::format_rfc3339_seconds(time),
        manifest.bytes,
        manifest.integrity.as_str(),
        visible_line(port)
    )
}

fn words(check: Check, log: &Log) -> String {
    match (check, &log.manifest) {
        (
            Check::Proven,
            Some(Manifest {
                received: Some(_), ..
            }),
        ) => "as received except for its line ends, proven by the device's checksum".to_owned(),
        (Check::Proven, _) => "as received, proven by the device's checksum".to_owned(),
        (Check::ProvenBefore, _) => {
            "as saved; the device's checksum proved it before its mixed line ends were changed"
                .to_owned()
        }
        (Check::Unproven, Some(manifest)) => format!("as received, {}", manifest.integrity),
        (Check::Unproven, None) => "as received, not proven".to_owned(),
        (Check::Changed, _) => "CHANGED: it differs from the log as saved".to_owned(),
        (Check::Unknown, _) => "UNKNOWN: it has no manifest".to_owned(),
    }
}
