//! The tables in the benchmarks' README: each line that was measured takes the place of the one of its name.

use std::{fs, io::Write, path::Path};

use super::{board::Kind, fail, task::Task};

/// The table of one kind of board.
pub(crate) struct Report {
    pub(crate) kind: Kind,
    pub(crate) head: [String; 2],
}

impl Report {
    /// Puts a line into the table, beside the other lines of known tasks: a run that is cut short keeps what it has.
    pub(crate) fn put(&self, line: String) {
        let text = fs::read_to_string(README).unwrap_or_else(fail);
        let (before, table, after) = parts(&text, self.kind);
        let is_same = table.contains(&self.head[0]);
        let lines = table.lines().filter(|_| is_same).skip(self.head.len());
        let others = lines.filter(|other| name(other) != name(&line));
        let mut lines: Vec<_> = others.map(str::to_owned).collect();
        lines.push(line);
        let order: Vec<_> = Task::all().iter().map(Task::name).collect();
        let place = |line: &String| order.iter().position(|known| known == name(line));
        lines.retain(|line| place(line).is_some());
        lines.sort_by_key(place);
        let rows = self.head.iter().chain(&lines);
        let table: String = rows.flat_map(|row| [row, "\n"]).collect();
        save(&[before, "\n\n", &table, "\n", after].concat());
    }
}

/// Puts the whole file into the place of the old one.
fn save(text: &str) {
    let folder = Path::new(README).parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).unwrap_or_else(fail);
    file.write_all(text.as_bytes()).unwrap_or_else(fail);
    let mode = fs::metadata(README).unwrap_or_else(fail).permissions();
    file.as_file().set_permissions(mode).unwrap_or_else(fail);
    file.persist(README).unwrap_or_else(fail);
}

/// The text up to a table's opening mark, the table, and the text from its closing mark on.
fn parts(text: &str, kind: Kind) -> (&str, &str, &str) {
    let opening = format!("<!-- bench boards {} -->", kind.word());
    let found = text.split_once(&opening).and_then(|(before, rest)| {
        let at = before.len() + opening.len();
        let end = at + rest.find(CLOSING)?;
        Some((&text[..at], text[at..end].trim(), &text[end..]))
    });
    found.unwrap_or_else(|| fail(format!("{README} has no place for {opening}")))
}

/// The first cell of a row.
fn name(row: &str) -> &str {
    row.split('|').nth(1).unwrap_or_default().trim()
}

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/README.md");
const CLOSING: &str = "<!-- end -->";
