//! Shows a stopped program on a terminal.

use std::fmt::Write as _;

use flylead_core::debug::{File, Frame, Project, Reason, Stop, Value, Variable};

/// Returns the place and the reason of a stop, as pdb shows them.
pub(super) fn stop(project: &Project, stop: &Stop) -> String {
    let mut text = String::new();
    match stop.reason {
        Reason::Raised => writeln!(text, "Raised: {}", exception(stop)),
        Reason::Uncaught => writeln!(text, "Nothing catches this: {}", exception(stop)),
        Reason::Interrupt => writeln!(text, "Interrupted; continuing raises KeyboardInterrupt"),
        Reason::Entry | Reason::Breakpoint | Reason::Step | Reason::Pause => Ok(()),
    }
    .ok();
    if stop.thread != 0 {
        writeln!(text, "In thread {}", stop.thread).ok();
    }
    if let Some(part) = &stop.part {
        writeln!(text, "{part}\n-> {}", part.statement).ok();
    } else if let Some(one) = stop.frames.first() {
        text += &frame(project, one, "> ");
    }
    text
}

fn exception(stop: &Stop) -> &str {
    stop.exception.as_deref().unwrap_or("an exception")
}

/// Returns a frame with its current line.
pub(super) fn frame(project: &Project, frame: &Frame, mark: &str) -> String {
    let file = project.file(frame.module);
    let line = line(file, frame.line);
    format!(
        "{mark}{}({}){}\n-> {}\n",
        file.path,
        frame.line,
        call(frame),
        line.trim()
    )
}

fn call(frame: &Frame) -> String {
    match frame.function.as_str() {
        body @ "<module>" => body.to_owned(),
        name => format!("{name}()"),
    }
}

/// Returns all frames, innermost last.
pub(super) fn stack(project: &Project, stop: &Stop, current: usize) -> String {
    let frames = stop.frames.iter().enumerate().rev();
    let shown =
        frames.map(|(index, one)| frame(project, one, if index == current { "> " } else { "  " }));
    shown.collect()
}

/// Returns lines with their numbers, with the current one marked.
pub(super) fn source(file: &File, lines: std::ops::RangeInclusive<u32>, current: u32) -> String {
    let mut text = String::new();
    for number in lines {
        let Some(line) = file.module.text().lines().nth(number as usize - 1) else {
            break;
        };
        let mark = if number == current { "->" } else { "" };
        writeln!(text, "{number:4} {mark:2} {line}").ok();
    }
    text
}

fn line(file: &File, number: u32) -> &str {
    let index = (number as usize).saturating_sub(1);
    file.module.text().lines().nth(index).unwrap_or_default()
}

pub(super) fn variables(variables: &[Variable]) -> String {
    variables
        .iter()
        .map(|one| format!("{} = {}{}\n", one.name, one.value.text, rest(&one.value)))
        .collect()
}

/// Returns a remark on what the board has left out of a value.
pub(super) fn rest(value: &Value) -> String {
    match value.length {
        Some(length) if value.text.contains("...") => {
            let (what, shown, more) = match value.kind.as_str() {
                "str" => ("characters", 200, "[200:400] behind it"),
                "bytes" | "bytearray" => ("bytes", 200, "[200:400] behind it"),
                _ => ("items", 20, "p"),
            };
            match length > shown {
                true => format!("  ({shown} of {length} {what}; {more} shows more)"),
                false => String::new(),
            }
        }
        _ => String::new(),
    }
}

/// Returns a value with these of its items.
pub(super) fn items(value: &Value, items: &[Variable], between: &str) -> String {
    let texts = items.iter().map(|one| match value.kind.as_str() {
        "dict" => format!("{}: {}", one.name, one.value.text),
        _ => one.value.text.clone(),
    });
    let texts = texts.collect::<Vec<_>>().join(between);
    let (open, close) = match value.kind.as_str() {
        "tuple" => ('(', ')'),
        "dict" | "set" => ('{', '}'),
        _ => ('[', ']'),
    };
    let length = value.length.unwrap_or_default() as usize;
    let rest = length.saturating_sub(items.len());
    let rest = match rest {
        0 => String::new(),
        rest => format!("  (and {rest} more items)"),
    };
    format!("{open}{texts}{close}{rest}")
}

/// Returns the name of a value's type, if the board reports it.
pub(super) fn kind(value: &Value) -> &str {
    if value.kind.is_empty() {
        "(this board does not say)"
    } else {
        &value.kind
    }
}
