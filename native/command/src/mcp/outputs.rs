//! Program output that is too long for an answer: the answer has its end, and resources have its newest 4 MiB.
//!
//! `flylead://output/ID` is all of it, `flylead://output/ID/lines/FROM-TO` some of its lines, counted from 1, and
//! `flylead://output/ID/grep/TEXT` the lines that contain a text, each with its number.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use percent_encoding::percent_decode_str;
use rmcp::model::{Resource, ResourceTemplate};

/// Output of a program so far, of which the newest part is kept.
#[derive(Debug, Default)]
pub(super) struct Printed {
    bytes: VecDeque<u8>,
    /// Number of bytes printed.
    pub(super) length: u64,
}

/// Long outputs of the most recent programs.
#[derive(Debug, Default)]
pub(super) struct Outputs(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    outputs: VecDeque<(u64, Arc<str>)>,
    last_id: u64,
}

/// Output as shown in an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    /// Resource with the whole output, if the text is only its end.
    pub(super) resource: Option<String>,
}

impl Printed {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(LONGEST_OUTPUT);
        self.bytes.drain(..excess);
    }

    /// Returns the text, with each `\r\n` converted to `\n`.
    fn into_text(self) -> String {
        let lost = self.length - self.bytes.len() as u64;
        let bytes = Vec::from(self.bytes);
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        match lost {
            0 => text,
            _ => format!("[{lost} bytes before this are lost]\n{text}"),
        }
    }
}

impl Outputs {
    /// Returns the part of an output that fits into an answer, and keeps a longer output as a whole.
    pub(super) fn show(&self, printed: Printed) -> Shown {
        let text = printed.into_text();
        if text.len() <= LONGEST_SHOWN {
            let resource = None;
            return Shown { text, resource };
        }
        let mut start = text.len() - LONGEST_SHOWN;
        while !text.is_char_boundary(start) {
            start += 1;
        }
        // Whole lines, unless the last one is longer than an answer.
        let newline = text[start..].find('\n');
        if let Some(newline) = newline.filter(|at| start + at + 1 < text.len()) {
            start += newline + 1;
        }
        let end = text[start..].to_owned();
        Shown {
            text: end,
            resource: Some(self.keep(text.into())),
        }
    }

    fn keep(&self, text: Arc<str>) -> String {
        let mut kept = self.kept();
        kept.last_id += 1;
        let id = kept.last_id;
        kept.outputs.push_back((id, text));
        let excess = kept.outputs.len().saturating_sub(MOST_OUTPUTS);
        kept.outputs.drain(..excess);
        format!("{SCHEME}{id}")
    }

    pub(super) fn list(&self) -> Vec<Resource> {
        let kept = self.kept();
        let newest_first = kept.outputs.iter().rev();
        let resources = newest_first.map(|(id, text)| {
            Resource::new(format!("{SCHEME}{id}"), format!("output {id}"))
                .with_title(format!("Output {id} of a program on a board"))
                .with_mime_type(MIME_TYPE)
                .with_size(text.len() as u64)
        });
        resources.collect()
    }

    /// Returns the text of a resource; `None` if the URI names none.
    pub(super) fn read(&self, uri: &str) -> Option<String> {
        let mut parts = uri.strip_prefix(SCHEME)?.splitn(3, '/');
        let text = self.text(parts.next()?.parse().ok()?)?;
        match (parts.next(), parts.next()) {
            (None, None) => Some(text.to_string()),
            (Some("lines"), Some(range)) => lines(&text, range),
            (Some("grep"), Some(wanted)) => grep(&text, wanted),
            _ => None,
        }
    }

    fn text(&self, id: u64) -> Option<Arc<str>> {
        let kept = self.kept();
        let found = kept.outputs.iter().find(|(known, _)| *known == id);
        found.map(|(_, text)| Arc::clone(text))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |part: &str, name: &str| {
        ResourceTemplate::new(format!("{SCHEME}{{id}}{part}"), name).with_mime_type(MIME_TYPE)
    };
    vec![
        template("/lines/{from}-{to}", "Some lines of a program's output"),
        template(
            "/grep/{text}",
            "The lines of a program's output with a text",
        ),
    ]
}

/// Returns true for the URI of an output.
pub(super) fn is_output(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

/// Returns lines by their numbers, such as `1-200`.
fn lines(text: &str, range: &str) -> Option<String> {
    let (from, to) = range.split_once('-')?;
    let (from, to) = (from.parse::<usize>().ok()?, to.parse::<usize>().ok()?);
    let skipped = from.checked_sub(1)?;
    let wanted = text.lines().skip(skipped).take(to.checked_sub(skipped)?);
    Some(wanted.fold(String::new(), |text, line| text + line + "\n"))
}

/// Returns the lines that contain a text, each with its number. The text is percent-encoded, as in any URI.
fn grep(text: &str, wanted: &str) -> Option<String> {
    let wanted = percent_decode_str(wanted).decode_utf8().ok()?;
    let mut found = String::new();
    let numbered = (1..).zip(text.lines());
    for (number, line) in numbered.filter(|(_, line)| line.contains(&*wanted)) {
        if found.len() + line.len() > LONGEST_FOUND {
            let _ = writeln!(
                found,
                "[line {number} has it as well, and later ones may: /lines/{number}-{number}]"
            );
            break;
        }
        let _ = writeln!(found, "{number}: {line}");
    }
    Some(found)
}

const SCHEME: &str = "flylead://output/";
const MIME_TYPE: &str = "text/plain";
/// Limit of an answer's output, in bytes: some 2,000 tokens of an assistant.
const LONGEST_SHOWN: usize = 8 * 1024;
/// Limit of a program's kept output, in bytes.
const LONGEST_OUTPUT: usize = 4 * 1024 * 1024;
/// Number of kept outputs.
const MOST_OUTPUTS: usize = 8;
/// Limit of the lines that a search returns, in bytes.
const LONGEST_FOUND: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> Printed {
        let mut printed = Printed::default();
        text.as_bytes()
            .chunks(7)
            .for_each(|piece| printed.push(piece));
        printed
    }

    #[test]
    fn a_long_output_is_shown_by_its_end_and_read_whole_by_lines_and_by_a_text() {
        let outputs = Outputs::default();
        let short = outputs.show(printed("1\r\n2\n"));
        assert_eq!((&*short.text, short.resource), ("1\n2\n", None));
        let all: String = (1..=5000)
            .map(|line| format!("line {line} é\r\n"))
            .collect();
        let Shown { text, resource } = outputs.show(printed(&all));
        assert!(text.len() <= LONGEST_SHOWN && text.len() > LONGEST_SHOWN - 20);
        assert!(text.starts_with("line ") && text.ends_with("line 5000 é\n"));
        let uri = resource.unwrap();
        let read = |part: &str| outputs.read(&format!("{uri}{part}"));
        assert_eq!(read("").unwrap(), all.replace("\r\n", "\n"));
        assert_eq!(read("/lines/2-3").unwrap(), "line 2 é\nline 3 é\n");
        assert_eq!(read("/lines/5000-9999").unwrap(), "line 5000 é\n");
        assert_eq!(read("/grep/line%204711%20").unwrap(), "4711: line 4711 é\n");
        assert!(read("/grep/line").unwrap().len() <= LONGEST_FOUND + 100);
        let last = format!("/lines/5000-{}", usize::MAX);
        assert_eq!(read(&last).unwrap(), "line 5000 é\n");
        for wrong in [
            "/lines/3-1",
            "/lines/0-1",
            "/lines/x",
            "/tail/1",
            "x",
            "/lines",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_line_longer_than_an_answer_is_shown_by_its_end() {
        let shown = Outputs::default().show(printed(&"é".repeat(LONGEST_SHOWN)));
        assert_eq!(shown.text.len(), LONGEST_SHOWN);
    }

    #[test]
    fn only_the_newest_output_is_kept_and_what_is_lost_is_told() {
        let mut printed = Printed::default();
        for _ in 0..100 {
            printed.push(&[b'x'; 100_000]);
            assert!(printed.bytes.len() <= LONGEST_OUTPUT);
        }
        let lost = 10_000_000 - LONGEST_OUTPUT;
        let outputs = Outputs::default();
        let first = outputs.show(printed).resource.unwrap();
        let start = outputs.read(&first).unwrap();
        assert!(start.starts_with(&format!("[{lost} bytes before this are lost]\nxx")));
        for _ in 0..MOST_OUTPUTS {
            outputs.keep("y".into());
        }
        assert_eq!(outputs.read(&first), None);
        assert_eq!(outputs.list().len(), MOST_OUTPUTS);
    }
}
