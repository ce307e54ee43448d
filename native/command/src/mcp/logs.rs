//! Saved logs, as resources.
//!
//! `flylead://runs/RUN_ID/log.csv` is a log, and `flylead://runs/RUN_ID/log.csv/summary` its manifest, first lines and
//! statistics.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use cap_std::{ambient_authority, fs::Dir};
use flylead_core::export::RunId;
use flylead_native::export::{Column, Table};
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::{Value, json};

use super::answer::{Statistics, Summary};

/// Returns the URI of a run's log.
pub(super) fn uri(run_id: &str) -> String {
    format!("{SCHEME}{run_id}/{LOG}")
}

/// Lists all saved logs, newest first.
pub(super) fn list(artifacts: &Path) -> Vec<Resource> {
    let entries = fs::read_dir(artifacts).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let runs = names.filter_map(|name| RunId::new(&name).ok());
    let mut logs: Vec<_> = runs
        .filter_map(|run_id| Log::find(artifacts, run_id))
        .collect();
    logs.sort_by(|a, b| (b.saved, &a.run_id).cmp(&(a.saved, &b.run_id)));
    logs.iter().map(Log::resource).collect()
}

/// A saved log.
struct Log {
    run_id: RunId,
    size: u64,
    saved: SystemTime,
}

impl Log {
    fn find(artifacts: &Path, run_id: RunId) -> Option<Self> {
        let about = fs::metadata(path(artifacts, &run_id)).ok()?;
        Some(Self {
            run_id,
            size: about.len(),
            saved: about.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        })
    }

    fn resource(&self) -> Resource {
        let run_id = &self.run_id;
        let uri = uri(run_id.as_str());
        Resource::new(uri, run_id.as_str())
            .with_title(format!("The log of {run_id}"))
            .with_description(
                "CSV; with /summary behind the URI: its manifest, first lines and statistics",
            )
            .with_mime_type("text/csv")
            .with_size(self.size)
    }
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |end: &str, name: &str, kind: &str| {
        ResourceTemplate::new(format!("{SCHEME}{{run_id}}/{LOG}{end}"), name).with_mime_type(kind)
    };
    vec![
        template("", "The log of a run", "text/csv"),
        template(SUMMARY, "Summary of the log of a run", "application/json"),
    ]
}

/// Reads a resource.
pub(super) fn read(artifacts: &Path, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        let message = format!("there is no resource {uri}; resources/list names them");
        ErrorData::resource_not_found(message, None)
    };
    let rest = uri.strip_prefix(SCHEME).ok_or_else(unknown)?;
    let (rest, is_summary) = match rest.strip_suffix(SUMMARY) {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let run_id = rest
        .strip_suffix(LOG)
        .and_then(|rest| rest.strip_suffix('/'));
    let run_id = run_id
        .and_then(|name| RunId::new(name).ok())
        .ok_or_else(unknown)?;
    let contents = match is_summary {
        true => summary_contents(artifacts, &run_id, uri),
        false => contents(artifacts, &run_id, uri),
    };
    match contents {
        Ok(contents) => Ok(ReadResourceResult::new(vec![contents])),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(unknown()),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

fn contents(artifacts: &Path, run_id: &RunId, uri: &str) -> io::Result<ResourceContents> {
    let file = open(artifacts, run_id, "log.csv")?;
    let size = file.metadata()?.len();
    if size > LONGEST_LOG {
        return Err(io::Error::other(format!(
            "the log has {size} bytes, and a resource at most {LONGEST_LOG}; it is in {}, and {uri}{SUMMARY} says what it holds",
            path(artifacts, run_id).display()
        )));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST_LOG).read_to_end(&mut bytes)?;
    let contents = match String::from_utf8(bytes) {
        Ok(text) => ResourceContents::text(text, uri),
        Err(error) => ResourceContents::blob(BASE64_STANDARD.encode(error.as_bytes()), uri),
    };
    Ok(contents.with_mime_type("text/csv"))
}

fn summary_contents(artifacts: &Path, run_id: &RunId, uri: &str) -> io::Result<ResourceContents> {
    let summary = summary_of(open(artifacts, run_id, "log.csv")?)?;
    let manifest = open(artifacts, run_id, "manifest.json");
    let manifest: Option<Value> = manifest
        .ok()
        .and_then(|file| serde_json::from_reader(file).ok());
    let text = json!({ "manifest": manifest, "log": summary, "path": path(artifacts, run_id) });
    Ok(ResourceContents::text(text.to_string(), uri).with_mime_type("application/json"))
}

/// Opens a file of a run. Links inside the folder cannot lead out of it.
fn open(artifacts: &Path, run_id: &RunId, name: &str) -> io::Result<File> {
    let root = Dir::open_ambient_dir(artifacts, ambient_authority())?;
    let file = root.open(format!("{run_id}/sd/{name}"))?;
    Ok(file.into_std())
}

fn path(artifacts: &Path, run_id: &RunId) -> PathBuf {
    artifacts.join(run_id.as_str()).join("sd/log.csv")
}

/// Summarizes a log.
pub(super) fn summary(log: &Path) -> io::Result<Summary> {
    summary_of(File::open(log)?)
}

fn summary_of(log: File) -> io::Result<Summary> {
    let bytes = log.metadata()?.len();
    let mut log = BufReader::new(log.take(LONGEST_TABLE));
    let mut text = Vec::new();
    log.read_to_end(&mut text)?;
    let head = text[..text.len().min(LONGEST_HEAD)].lines();
    let table = Table::read(&text);
    let columns = table
        .columns
        .iter()
        .filter(|column| !column.values.is_empty());
    Ok(Summary {
        bytes,
        rows: table.rows as u64,
        head: head.map_while(Result::ok).take(HEAD).collect(),
        columns: columns
            .map(|column| (column.name.clone(), statistics(column)))
            .collect::<BTreeMap<_, _>>(),
    })
}

fn statistics(Column { values, .. }: &Column) -> Statistics {
    Statistics {
        count: values.len() as u64,
        min: values.iter().copied().fold(f64::INFINITY, f64::min),
        max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        mean: mean(values),
        first: values.first().copied().unwrap_or_default(),
        last: values.last().copied().unwrap_or_default(),
    }
}

/// Returns the mean of some numbers. The sum is exact for whole numbers, such as those of counters and ADCs; if it
/// overflows, each number is divided before it is added.
fn mean(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let sum: f64 = values.iter().sum();
    match sum.is_finite() {
        true => sum / count,
        false => values.iter().map(|value| value / count).sum(),
    }
}

const SCHEME: &str = "flylead://runs/";
const LOG: &str = "log.csv";
const SUMMARY: &str = "/summary";
/// Limit of a resource, in bytes.
const LONGEST_LOG: u64 = 4 * 1024 * 1024;
/// Limit of the part of a log that is read for its statistics, in bytes.
const LONGEST_TABLE: u64 = 64 * 1024 * 1024;
/// Number of lines of a log to show, and the limit of bytes to examine for them.
const HEAD: usize = 10;
const LONGEST_HEAD: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(artifacts: &Path, run_id: &str, log: &str) {
        let folder = artifacts.join(run_id).join("sd");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("log.csv"), log).unwrap();
    }

    #[test]
    fn a_saved_log_is_listed_and_read_and_summed_up() {
        let artifacts = tempfile::tempdir().unwrap();
        saved(artifacts.path(), "run002", "t,v\n0,1\n1,4\n");
        saved(artifacts.path(), "run001", "t,v\n");
        let listed: Vec<_> = list(artifacts.path())
            .into_iter()
            .map(|log| log.uri)
            .collect();
        assert_eq!(
            listed,
            [
                "flylead://runs/run001/log.csv",
                "flylead://runs/run002/log.csv"
            ]
        );
        let text = |uri: &str| {
            serde_json::to_value(read(artifacts.path(), uri).unwrap()).unwrap()["contents"][0]["text"].clone()
        };
        assert_eq!(text(&listed[1]), "t,v\n0,1\n1,4\n");
        let summary: Value = serde_json::from_str(
            text("flylead://runs/run002/log.csv/summary")
                .as_str()
                .unwrap(),
        )
        .unwrap();
        assert_eq!(summary["log"]["head"], json!(["t,v", "0,1", "1,4"]));
        assert_eq!(summary["log"]["rows"], 2);
        assert_eq!(
            summary["log"]["columns"]["v"],
            json!({ "count": 2, "min": 1.0, "max": 4.0, "mean": 2.5, "first": 1.0, "last": 4.0 })
        );
    }

    #[test]
    fn no_other_file_is_a_resource() {
        let artifacts = tempfile::tempdir().unwrap();
        fs::write(artifacts.path().join("log.csv"), "secret").unwrap();
        for uri in [
            "file:///etc/passwd",
            "flylead://runs/../log.csv",
            "flylead://runs//log.csv",
            "flylead://runs/a/../../log.csv",
            "flylead://runs/none/log.csv",
        ] {
            let error = read(artifacts.path(), uri).unwrap_err();
            assert!(
                error.message.contains("resources/list"),
                "{uri}: {}",
                error.message
            );
        }
    }
}
