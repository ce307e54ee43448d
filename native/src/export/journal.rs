//! Requests that devices have not answered, passed on from one program to the next.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use flylead_core::export::{Config, RunId};
use serde_json::{Value, json};

use crate::{
    link::Address,
    os::{disk, state},
    random_hex,
};

/// Unanswered requests for logs at one port, each in a small file.
///
/// The answer to an abandoned request may arrive while the next program requests another run: the journal lets that
/// program know. It works on a best-effort basis: a disk that rejects its files stops no export.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    /// Port of the requests; `None` for an address that may lead to any port.
    port: Option<String>,
    open: Vec<Question>,
    is_read: bool,
}

#[derive(Debug)]
struct Question {
    run_id: RunId,
    file: PathBuf,
}

impl Journal {
    /// Opens the journal of a port, in the person's folder for state; `None` if there is no such folder.
    #[must_use]
    pub fn of(address: &Address) -> Option<Self> {
        let port = if let Address::Serial { path, .. } = address {
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
            Some(path.display().to_string())
        } else if let Address::Tcp(server) = address {
            Some(server.clone())
        } else {
            None
        };
        Some(Self {
            folder: state::folder()?.join("flylead/unanswered"),
            port,
            open: Vec::new(),
            is_read: false,
        })
    }

    /// Returns the requests that earlier programs left open, oldest first, each with the time in which an answer may
    /// still arrive. They are handed out only once.
    pub(super) fn take_late(&mut self) -> Vec<(RunId, Duration)> {
        if self.is_read {
            return Vec::new();
        }
        self.is_read = true;
        let mut late: Vec<_> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| self.read(entry.ok()?.path()))
            .collect();
        late.sort_by_key(|(_, left)| *left);
        late.truncate(MOST);
        self.open.extend(late.iter().map(|(question, _)| Question {
            run_id: question.run_id.clone(),
            file: question.file.clone(),
        }));
        late.into_iter()
            .map(|(question, left)| (question.run_id, left))
            .collect()
    }

    /// Lets the open requests be handed out again, to a new conversation over the same port.
    pub(super) fn begin_again(&mut self) {
        self.open.clear();
        self.is_read = false;
    }

    /// Records a request before it is sent, as the program may end at any time.
    pub(super) fn asked(&mut self, run_id: &RunId) {
        let file = self.folder.join(format!("{}.json", random_hex::<8>()));
        let question = json!({
            "port": self.port, "run_id": run_id.as_str(), "asked_at_ms": now_ms(),
        });
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| disk::replace(&file, question.to_string().as_bytes()));
        if written.is_ok() {
            let run_id = run_id.clone();
            self.open.push(Question { run_id, file });
        }
    }

    /// Removes all requests except these.
    pub(super) fn keep(&mut self, mut unanswered: Vec<RunId>) {
        self.open.retain(|question| {
            let at = unanswered.iter().position(|run| *run == question.run_id);
            match at {
                Some(at) => drop(unanswered.remove(at)),
                // Another program may have removed it.
                None => drop(fs::remove_file(&question.file)),
            }
            at.is_some()
        });
    }

    /// Reads a request that concerns this port and may still be answered. Removes a request that is too old.
    fn read(&self, file: PathBuf) -> Option<(Question, Duration)> {
        let text = disk::read_text(&file, LONGEST).ok()?;
        let question: Value = serde_json::from_str(&text).ok()?;
        let asked = question["asked_at_ms"].as_u64()?;
        let age = Duration::from_millis(now_ms().saturating_sub(asked));
        let left = Config::default().late_limit.saturating_sub(age);
        if left.is_zero() {
            let _ = fs::remove_file(&file);
            return None;
        }
        let port = question["port"].as_str();
        let is_other = port.zip(self.port.as_deref());
        if is_other.is_some_and(|(its, ours)| its != ours) {
            return None;
        }
        let run_id = RunId::new(question["run_id"].as_str()?).ok()?;
        Some((Question { run_id, file }, left))
    }
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

/// Limit of open requests, more than are ever sent while an answer may still arrive.
const MOST: usize = 64;
/// Limit of a request's file, in bytes.
const LONGEST: u64 = 4096;
