//! Programs as CPython runs them.

use std::{collections::BTreeMap, fs};

use flylead_core::debug::Module;
use serde::Deserialize;
use serde_json::json;

use super::Program;
use crate::suite::cpython;

/// A program as CPython runs it.
#[derive(Deserialize)]
pub(super) struct Traced {
    pub(super) printed: String,
    pub(super) visits: Vec<Visit>,
}

#[derive(Deserialize)]
pub(super) struct Visit {
    pub(super) file: String,
    pub(super) line: u32,
    /// The names of the functions, the innermost first.
    pub(super) stack: Vec<String>,
    /// The variables of the innermost one of which both Pythons write the same.
    pub(super) values: BTreeMap<String, String>,
    /// Variables of a function around it, which a function within it alone may use.
    pub(super) free: Vec<String>,
    /// True if a coroutine is among the frames, or was before.
    pub(super) is_async: bool,
}

/// Has CPython run all programs, each in a folder of its own.
pub(super) fn traced(programs: Vec<(String, Vec<(String, String)>)>) -> Vec<Program> {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let mut cases = String::new();
    for (name, files) in &programs {
        let place = folder.path().join(name);
        fs::create_dir_all(&place).expect("it is ours");
        fs::write(place.join("support.py"), SUPPORT).expect("it is ours");
        for (name, text) in files {
            fs::write(place.join(name), text).expect("it is ours");
        }
        let known: BTreeMap<_, _> = files
            .iter()
            .map(|(name, text)| (name, known(text)))
            .collect();
        cases += &format!("{}\n", json!({"folder": place, "files": known}));
    }
    let seen: Vec<Option<Traced>> = cpython("stepped/trace.py", cases);
    assert_eq!(seen.len(), programs.len(), "CPython ran them all");
    let both = programs.into_iter().zip(seen);
    both.map(|((name, files), traced)| Program {
        name,
        files,
        traced,
    })
    .collect()
}

/// The function of each line that can stop, and the first line of the statement of each other one.
fn known(text: &str) -> serde_json::Value {
    let module = Module::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let name = |line| {
        let id = module.function_at(line).expect("it can stop");
        module.function(id).qualified_name.clone()
    };
    let stops: BTreeMap<_, _> = module
        .stoppable_lines()
        .map(|line| (line, name(line)))
        .collect();
    let starts: BTreeMap<_, _> = (1..=module.line_count())
        .filter_map(|line| Some((line, module.stop_for(line).ok()?)))
        .filter(|(line, start)| start < line)
        .collect();
    json!({"stops": stops, "starts": starts})
}

pub(super) const SUPPORT: &str = include_str!("../support.py");
