//! File of a log, which is rotated.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use chrono::{DateTime, Local, SecondsFormat, TimeDelta, Timelike as _};
use clap::ValueEnum;
use serde_json::json;

use super::{Kind, Record};
use crate::{
    Failure,
    files::fs::here,
    terminal::{print, say},
};

/// Format of a log's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The time and the text
    Text,
    /// time,kind,text
    Csv,
    /// One object per line
    Jsonl,
}

/// Rules for the files of a log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) format: Format,
    /// Length at which a file is full.
    pub(super) longest: Option<u64>,
    pub(super) hourly: bool,
    /// Number of full files that are kept.
    pub(super) keep: Option<usize>,
}

/// The current file of a log.
#[derive(Debug)]
pub(super) struct LogFile {
    /// `None` for stdout.
    path: Option<PathBuf>,
    rules: Rules,
    file: Option<File>,
    length: u64,
    /// Time of the file's first record.
    began: Option<DateTime<Local>>,
    /// Time at which the full file could not be renamed.
    failed: Option<DateTime<Local>>,
    /// True once a failure has been reported.
    is_noted: bool,
}

impl LogFile {
    /// Opens a file to append to.
    pub(super) fn open(path: &Path, rules: Rules) -> Result<Self, Failure> {
        let mut log = Self {
            path: (path != Path::new("-")).then(|| path.to_owned()),
            rules,
            file: None,
            length: 0,
            began: None,
            failed: None,
            is_noted: false,
        };
        log.reopen()?;
        Ok(log)
    }

    /// Writes a record completely, to this file or to the next one.
    pub(super) fn write(&mut self, record: &Record) -> Result<(), Failure> {
        let line = self.rules.format.line(record)?;
        if self.is_full(record.time, line.len()) {
            self.turn_over(record.time)?;
        }
        self.began.get_or_insert(record.time);
        self.put(&line)
    }

    fn put(&mut self, line: &str) -> Result<(), Failure> {
        self.length += line.len() as u64;
        match (&mut self.file, &self.path) {
            (Some(file), Some(path)) => file.write_all(line.as_bytes()).map_err(here(path)),
            _ => Ok(print(line)?),
        }
    }

    fn is_full(&self, now: DateTime<Local>, more: usize) -> bool {
        let Some(began) = self.began.filter(|_| self.file.is_some()) else {
            return false;
        };
        let is_recent = |failed: DateTime<Local>| (now - failed).abs() < RETRY;
        if self.failed.is_some_and(is_recent) {
            return false;
        }
        let is_long = |longest| self.length + more as u64 > longest;
        let is_other_hour = (now.date_naive(), now.hour()) != (began.date_naive(), began.hour());
        self.rules.longest.is_some_and(is_long) || (self.rules.hourly && is_other_hour)
    }

    /// Renames the full file by the time of its first record, and begins a new one. If that fails, the old file is
    /// continued for a while.
    fn turn_over(&mut self, now: DateTime<Local>) -> Result<(), Failure> {
        let (Some(path), Some(began)) = (self.path.clone(), self.began.take()) else {
            return Ok(());
        };
        self.file = None;
        let full = full_name(&path, began);
        if let Err(error) = unless_gone(fs::rename(&path, &full)) {
            let text = format!("{} cannot become {}", path.display(), full.display());
            self.note(&text, &error);
            self.failed = Some(now);
        }
        if let Some(keep) = self.rules.keep
            && let Err(error) = remove_old(&path, keep)
        {
            let text = format!("old files of {} cannot be removed", path.display());
            self.note(&text, &error);
        }
        self.reopen()
    }

    /// Reports once that the files are not rotated as they should be.
    fn note(&mut self, text: &str, error: &io::Error) {
        if !self.is_noted {
            say(format_args!("flylead: {text}: {error}; the log goes on"));
        }
        self.is_noted = true;
    }

    fn reopen(&mut self) -> Result<(), Failure> {
        if let Some(path) = &self.path {
            let mut options = OpenOptions::new();
            let file = options.create(true).append(true).open(path);
            let file = file.map_err(here(path))?;
            let found = file.metadata().map_err(here(path))?;
            self.length = found.len();
            // An older file that is continued is rotated by its creation time.
            let made = found.created().or_else(|_| found.modified()).ok();
            self.began = made.filter(|_| self.length > 0).map(DateTime::from);
            self.file = Some(file);
        }
        match self.length == 0 && self.rules.format == Format::Csv {
            true => self.put(CSV_HEAD),
            false => Ok(()),
        }
    }
}

impl Format {
    /// Returns the format for a file's name.
    pub(super) fn of(path: &Path) -> Self {
        match path.extension().and_then(|it| it.to_str()) {
            Some("csv") => Self::Csv,
            Some("jsonl" | "ndjson") => Self::Jsonl,
            _ => Self::Text,
        }
    }

    fn line(self, record: &Record) -> io::Result<String> {
        let time = record.time.to_rfc3339_opts(SecondsFormat::Millis, false);
        let (kind, text) = (record.kind, record.text.as_str());
        match self {
            Self::Text if kind == Kind::Line => Ok(format!("{time} {text}\n")),
            Self::Text => Ok(format!("{time} -- the board is {} --\n", kind.name())),
            Self::Jsonl => {
                let line = json!({ "time": time, "kind": kind.name(), "text": text });
                Ok(format!("{line}\n"))
            }
            Self::Csv => {
                let mut writer = csv::Writer::from_writer(Vec::new());
                writer.write_record([&time, kind.name(), text])?;
                let line = writer.into_inner().map_err(|error| error.into_error())?;
                String::from_utf8(line).map_err(io::Error::other)
            }
        }
    }
}

/// Returns the name of a full file, such as `log-20261125-190000.csv` for `log.csv`.
fn full_name(path: &Path, began: DateTime<Local>) -> PathBuf {
    let (stem, extension) = parts(path);
    let time = began.format("%Y%m%d-%H%M%S");
    let name = |number: u32| match number {
        1 => path.with_file_name(format!("{stem}-{time}{extension}")),
        number => path.with_file_name(format!("{stem}-{time}-{number}{extension}")),
    };
    let free = (1..10_000).map(name).find(|name| !name.exists());
    free.unwrap_or_else(|| name(10_000))
}

/// Removes all full files except the newest.
fn remove_old(path: &Path, keep: usize) -> io::Result<()> {
    let (stem, extension) = parts(path);
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let mut full = Vec::new();
    for entry in fs::read_dir(folder.unwrap_or(Path::new(".")))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let inside = name.strip_prefix(&format!("{stem}-"));
        let time = inside.and_then(|it| it.strip_suffix(&extension));
        if !time.is_some_and(is_time) {
            continue;
        }
        match entry.metadata() {
            Ok(found) if !found.is_file() => {}
            Ok(found) => full.push((found.modified()?, name, entry.path())),
            Err(error) => unless_gone(Err(error))?,
        }
    }
    full.sort();
    let old = full.len().saturating_sub(keep);
    full[..old]
        .iter()
        .try_for_each(|(_, _, path)| unless_gone(fs::remove_file(path)))
}

/// Converts the error of a file that was removed meanwhile to success.
fn unless_gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Returns true for `20261125-190000`, with a number or without.
fn is_time(text: &str) -> bool {
    text.len() >= 15
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 15 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn parts(path: &Path) -> (String, String) {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path
        .extension()
        .map(|it| format!(".{}", it.to_string_lossy()));
    (stem.into_owned(), extension.unwrap_or_default())
}

/// Parses a number of bytes, in which K, M and G stand for powers of 1000.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(['K', 'M', 'G', 'k']);
    let factor = match &text[number.len()..] {
        "" => Some(1),
        "K" | "k" => Some(1000),
        "M" => Some(1_000_000),
        "G" => Some(1_000_000_000),
        _ => None,
    };
    let size = number.parse::<u64>().ok().zip(factor);
    let size = size.and_then(|(number, factor)| number.checked_mul(factor));
    size.filter(|size| *size > 0)
        .ok_or_else(|| "write a number of bytes, such as 500K or 10M".to_owned())
}

const CSV_HEAD: &str = "time,kind,text\n";
/// Time after which a failed rotation is tried again.
const RETRY: TimeDelta = TimeDelta::minutes(1);

#[cfg(test)]
mod tests {
    use chrono::TimeZone as _;

    use super::*;

    fn record(time: DateTime<Local>, text: &str) -> Record {
        Record {
            time,
            kind: Kind::Line,
            text: text.into(),
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_log_turns_over_each_hour_and_begins_with_its_head() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.csv");
        let rules = Rules {
            format: Format::Csv,
            longest: None,
            hourly: true,
            keep: None,
        };
        let mut log = LogFile::open(&path, rules).unwrap();
        // In local time, as some zones have hours that begin at half past.
        let first = Local.with_ymd_and_hms(2026, 11, 25, 10, 59, 59).unwrap();
        log.write(&record(first, "a,b")).unwrap();
        log.write(&record(first + TimeDelta::seconds(2), "c"))
            .unwrap();
        let full = full_name(Path::new("log.csv"), first);
        assert_eq!(names(folder.path()), [full.to_str().unwrap(), "log.csv"]);
        let old = fs::read_to_string(folder.path().join(full)).unwrap();
        assert!(
            old.starts_with(CSV_HEAD) && old.ends_with(",line,\"a,b\"\n"),
            "{old}"
        );
        let new = fs::read_to_string(&path).unwrap();
        assert!(
            new.starts_with(CSV_HEAD) && new.ends_with(",line,c\n"),
            "{new}"
        );
    }

    #[test]
    fn a_log_turns_over_by_its_length_and_keeps_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.txt");
        fs::write(folder.path().join("log-notes.txt"), "mine").unwrap();
        let rules = Rules {
            format: Format::Text,
            longest: Some(100),
            hourly: false,
            keep: Some(2),
        };
        let mut log = LogFile::open(&path, rules).unwrap();
        for number in 0..20 {
            log.write(&record(Local::now(), &format!("line {number}")))
                .unwrap();
        }
        let names = names(folder.path());
        assert_eq!(names.len(), 4, "{names:?}");
        assert!(names.contains(&"log-notes.txt".to_owned()), "{names:?}");
        for name in &names {
            let length = fs::metadata(folder.path().join(name)).unwrap().len();
            assert!(length <= 100, "{name}: {length}");
        }
        assert!(fs::read_to_string(path).unwrap().ends_with(" line 19\n"));
    }

    #[test]
    fn a_log_goes_on_where_it_cannot_turn_over() {
        let folder = tempfile::tempdir().unwrap();
        let rules = Rules {
            format: Format::Text,
            longest: Some(100),
            hourly: false,
            keep: Some(1),
        };
        // With a time in it, the name is too long for file systems.
        let path = folder.path().join(format!("{}.txt", "x".repeat(245)));
        let mut log = LogFile::open(&path, rules).unwrap();
        for number in 0..9 {
            log.write(&record(Local::now(), &format!("line {number}")))
                .unwrap();
        }
        assert!(log.failed.is_some() && log.is_noted);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 9);
    }

    #[test]
    fn a_log_that_was_taken_away_begins_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.txt");
        let rules = Rules {
            format: Format::Text,
            longest: Some(50),
            hourly: false,
            keep: None,
        };
        let mut log = LogFile::open(&path, rules).unwrap();
        log.write(&record(Local::now(), "first")).unwrap();
        fs::remove_file(&path).unwrap();
        log.write(&record(Local::now(), "second")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.ends_with(" second\n") && !log.is_noted, "{text}");
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("500K"), Ok(500_000));
        assert_eq!(size("7"), Ok(7));
        for wrong in ["", "K", "0", "1KM", "ten"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
