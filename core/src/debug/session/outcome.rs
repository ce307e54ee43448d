//! Converts tracebacks from lines of the sent text to lines of the files.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{ModuleId, Project};
use crate::{
    debug::{
        Module,
        rewrite::{Dialect, Piece},
    },
    raw_repl::Traceback,
};

/// Mapping of sent lines to source lines, for each function of the program and its modules. Texts
/// that were sent one after the other may have the same numbers, but not in the same function.
#[derive(Debug, Default)]
pub(super) struct LineMap(BTreeMap<(ModuleId, String, u32), u32>);

impl LineMap {
    pub(super) fn add(&mut self, id: ModuleId, module: &Module, piece: &Piece) {
        for (line, &original) in (1..).zip(&piece.map).skip(piece.padding) {
            let name = module.name_around(original).to_string();
            self.0.insert((id, name, line), original);
        }
    }

    /// Returns the original line. `function` is the name in a traceback: for the body of a class, tracebacks contain
    /// the class's name, and this map the module's.
    fn original(&self, id: ModuleId, function: Option<&str>, line: u32) -> u32 {
        let names = [function.unwrap_or_default(), BODY];
        let mut known = names
            .iter()
            .map(|name| self.0.get(&(id, (*name).to_string(), line)));
        known.find_map(|line| line.copied()).unwrap_or(line)
    }
}

/// Name of a module's own statements in tracebacks.
const BODY: &str = "<module>";

/// Appearance of hooks in tracebacks.
pub(super) struct Hooked<'a> {
    pub(super) prefix: &'a str,
    pub(super) dialect: Dialect,
    /// Names of functions that have hooks.
    pub(super) functions: Vec<&'a str>,
}

/// Converts a traceback to the one that the program would have without hooks, with lines and files of the project.
pub(super) fn translate(
    traceback: &Traceback,
    project: &Project,
    map: &LineMap,
    hooked: &Hooked<'_>,
) -> Traceback {
    let mut lines: Vec<String> = Vec::new();
    for line in traceback.text.lines() {
        match FrameLine::parse(line) {
            Some(frame) if frame.is_ours(hooked) => {}
            Some(frame) => lines.push(frame.translate(project, map)),
            None => lines.push(line.to_string()),
        }
    }
    if hooked.dialect == Dialect::Old {
        lines = without_doubles(lines, hooked);
    }
    Traceback::parse((lines.join("\n") + "\n").as_bytes())
}

/// `  File "main.py", line 5, in f`
struct FrameLine<'a> {
    file: &'a str,
    line: u32,
    function: Option<&'a str>,
}

impl<'a> FrameLine<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let rest = text.trim_end().strip_prefix("  File \"")?;
        let (file, rest) = rest.split_once("\", line ")?;
        let (line, function) = match rest.split_once(", in ") {
            Some((line, function)) => (line, Some(function)),
            None => (rest, None),
        };
        Some(Self {
            file,
            line: line.parse().ok()?,
            function,
        })
    }

    /// Returns true for a frame of hooks, which run from strings and have unique names.
    fn is_ours(&self, hooked: &Hooked<'_>) -> bool {
        let is_hook = |name: &str| {
            name.strip_prefix(hooked.prefix)
                .is_some_and(|rest| rest.chars().count() == 1)
        };
        self.file == "<string>" && self.function.is_some_and(is_hook)
    }

    fn translate(&self, project: &Project, map: &LineMap) -> String {
        let module = self.module(project);
        let (file, line) = match module {
            Some(id) => (
                project.file(id).path.as_str(),
                map.original(id, self.function, self.line),
            ),
            None => (self.file, self.line),
        };
        let function = self
            .function
            .map(|name| format!(", in {name}"))
            .unwrap_or_default();
        format!("  File \"{file}\", line {line}{function}")
    }

    /// Returns the module of a frame: the program is read from stdin, modules from the folder that the host serves.
    fn module(&self, project: &Project) -> Option<ModuleId> {
        if self.file == "<stdin>" {
            return Some(ModuleId::MAIN);
        }
        let (_, name) = self.file.strip_prefix("/_")?.split_once("m/")?;
        project
            .files()
            .iter()
            .position(|file| file.name == name)
            .map(ModuleId)
    }
}

/// Removes repeated lines. MicroPython before 1.12 writes a line each time that an exception is raised again, which
/// `with` does (`py/vm.c` of 1.9: all but `END_FINALLY` in the same frame).
fn without_doubles(lines: Vec<String>, hooked: &Hooked<'_>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut doubled = false;
    for line in lines {
        let name = FrameLine::parse(&line).and_then(|frame| frame.function.map(str::to_string));
        let is_hooked = name.is_some_and(|name| hooked.functions.contains(&name.as_str()));
        doubled = is_hooked && !doubled && kept.last() == Some(&line);
        if !doubled {
            kept.push(line);
        }
    }
    kept
}
