//! Builds the command from a tag and its body.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use super::{
    ParseOptions,
    fault::Reason,
    note::Note,
    prose::debris,
    prose::fence,
    prose::omitted,
    prose::plain,
    replace,
    tags::{self, Opening},
};
use crate::agent::{
    command::{Command, Kind, LineRange, ReadRequest},
    path,
};

/// Returns the `end=` of a tag, if it has a usable one.
pub(super) fn token<'a>(opening: &Opening<'a>) -> Option<&'a str> {
    opening
        .attribute("end")
        .filter(|token| tags::is_token(token))
}

/// Builds the command from a tag and the lines of its body, with notes about it.
pub(super) fn from_body(
    kind: Kind,
    opening: &Opening<'_>,
    body: &str,
    options: ParseOptions,
) -> Result<(Command, Vec<Note>), Reason> {
    if let Some(reason) = &opening.fault {
        return Err(reason.clone());
    }
    if !debris::trim(opening.rest).is_empty() || opening.slash {
        return Err(Reason::TextAfterTag);
    }
    let (body, note) = fence::unfence(body, opening, kind, options.strip_fences)?;
    let (command, mut notes) = from_text(kind, opening, body, options)?;
    notes.extend(note);
    Ok((command, notes))
}

/// Builds the command from a tag and the rest of its line.
pub(super) fn from_line(
    kind: Kind,
    opening: &Opening<'_>,
    text: &str,
    options: ParseOptions,
) -> Result<(Command, Vec<Note>), Reason> {
    let (text, note) = fence::unfence(text, opening, kind, false)?;
    let (command, mut notes) = from_text(kind, opening, text, options)?;
    notes.extend(note);
    Ok((command, notes))
}

fn from_text(
    kind: Kind,
    opening: &Opening<'_>,
    body: &str,
    options: ParseOptions,
) -> Result<(Command, Vec<Note>), Reason> {
    let mut command = command(kind, opening, body)?;
    let mut notes = Vec::new();
    if !options.strict && yes_or_no(opening, "exact")? != Some(true) {
        plain::refuse_pattern(&command)?;
        notes.extend(plain::repair(&mut command, options.commands)?);
    }
    if let Some(path) = command.path_mut().filter(|_| !options.strict)
        && let Some(plain) = without_escapes(path)
    {
        *path = plain;
        notes.push(Note::Unescaped);
    }
    if let Command::RunCommand { command } = &mut command
        && let Some(plain) = fence::without_prompts(command)
    {
        *command = plain;
        notes.push(Note::PromptsRemoved);
    }
    Ok((command, notes))
}

/// Returns a path without Markdown's backslashes, if each backslash precedes a character that Markdown escapes.
/// Otherwise they separate names, as on Windows.
fn without_escapes(path: &str) -> Option<String> {
    let is_escape = |rest: &str| rest.starts_with(['_', '*', '[', ']', '~', '`', '#', '(', ')']);
    let mut parts = path.split('\\');
    let first = parts.next()?;
    let escapes = path.contains('\\') && parts.clone().all(is_escape);
    escapes.then(|| core::iter::once(first).chain(parts).collect())
}

fn command(kind: Kind, opening: &Opening<'_>, body: &str) -> Result<Command, Reason> {
    if opening.attribute("end").is_some()
        && token(opening).is_none()
        && kind.attributes().contains(&"end")
    {
        return Err(Reason::InvalidAttribute {
            key: "end",
            needs: "1 to 32 letters, digits, '_' or '-'",
        });
    }
    match kind {
        Kind::CreateFile => create(opening, body),
        Kind::AppendFile => append(opening, body),
        Kind::EditFile => edit(opening, body),
        Kind::DeleteFile => Ok(Command::DeleteFile {
            path: path_of(opening)?,
        }),
        Kind::ReadFile => read(opening),
        Kind::RunCommand if body.trim().is_empty() => Err(Reason::EmptyCommand),
        Kind::RunCommand => Ok(Command::RunCommand {
            command: without_newline(body),
        }),
        Kind::Message => Ok(Command::Message {
            text: without_newline(body),
        }),
        Kind::Done => Ok(Command::Done {
            summary: without_newline(body),
        }),
    }
}

fn create(opening: &Opening<'_>, body: &str) -> Result<Command, Reason> {
    refuse_numbers(opening, body)?;
    omitted::refuse(opening, body)?;
    let content = if yes_or_no(opening, "final_newline")?.unwrap_or(true) {
        body.to_owned()
    } else {
        without_newline(body)
    };
    Ok(Command::CreateFile {
        path: path_of(opening)?,
        content,
    })
}

fn append(opening: &Opening<'_>, body: &str) -> Result<Command, Reason> {
    refuse_numbers(opening, body)?;
    omitted::refuse(opening, body)?;
    Ok(Command::AppendFile {
        path: path_of(opening)?,
        content: body.to_owned(),
    })
}

fn edit(opening: &Opening<'_>, body: &str) -> Result<Command, Reason> {
    refuse_numbers(opening, body)?;
    omitted::refuse(opening, body)?;
    let path = path_of(opening)?;
    let lines = (
        line_number(opening, "start_line")?,
        line_number(opening, "end_line")?,
    );
    let sha = opening.attribute("sha");
    if sha.is_some_and(|sha| sha.len() != 8 || !sha.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        return Err(Reason::InvalidAttribute {
            key: "sha",
            needs: "8 hexadecimal digits",
        });
    }
    let sha = sha.map(ToOwned::to_owned);
    if lines == (None, None) && replace::begins(body) {
        let replacements = replace::read(body)?;
        return Ok(Command::ReplaceText {
            path,
            replacements,
            sha,
        });
    }
    let first = lines
        .0
        .ok_or(Reason::MissingAttribute { key: "start_line" })?;
    let last = lines
        .1
        .ok_or(Reason::MissingAttribute { key: "end_line" })?;
    Ok(Command::EditFile {
        path,
        lines: LineRange { first, last },
        replacement: body.to_owned(),
        expect: opening.attribute("expect").map(ToOwned::to_owned),
        sha,
    })
}

/// Refuses a body that shows line numbers, unless they belong to the file.
fn refuse_numbers(opening: &Opening<'_>, body: &str) -> Result<(), Reason> {
    match is_numbered(body) && yes_or_no(opening, "numbered")? != Some(false) {
        true => Err(Reason::Numbered),
        false => Ok(()),
    }
}

/// Returns true if all lines begin with their numbers, as in a file shown with `numbered="yes"`.
pub(super) fn is_numbered(body: &str) -> bool {
    let mut lines = body.lines().map(shown_number);
    let first = lines.next().flatten();
    first.is_some_and(|first| {
        lines
            .zip(first + 1..)
            .all(|(line, number)| line == Some(number))
    })
}

/// Returns the number in `   12| text`.
fn shown_number(line: &str) -> Option<u64> {
    let (number, rest) = line.trim_start_matches(' ').split_once('|')?;
    let is_shown = number.len() <= 7 && (rest.is_empty() || rest.starts_with(' '));
    let is_digits = number.bytes().all(|byte| byte.is_ascii_digit());
    (is_shown && is_digits)
        .then(|| number.parse().ok())
        .flatten()
}

fn read(opening: &Opening<'_>) -> Result<Command, Reason> {
    Ok(Command::ReadFile(ReadRequest {
        path: path_of(opening)?,
        numbered: yes_or_no(opening, "numbered")?.unwrap_or(false),
        first: line_number(opening, "start_line")?,
        last: line_number(opening, "end_line")?,
    }))
}

fn path_of(opening: &Opening<'_>) -> Result<String, Reason> {
    let written = opening
        .attribute("path")
        .ok_or(Reason::MissingAttribute { key: "path" })?;
    let refusal = path::judge(written, path::Names::Unix).err();
    match refusal.filter(|refusal| refusal.holds_anywhere()) {
        Some(refusal) => Err(Reason::Path(refusal)),
        None => Ok(written.to_owned()),
    }
}

fn line_number(opening: &Opening<'_>, key: &'static str) -> Result<Option<u32>, Reason> {
    let Some(value) = opening.attribute(key) else {
        return Ok(None);
    };
    let digits = value.trim_matches(tags::is_blank);
    let number = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())
        .flatten();
    match number {
        Some(number @ 1..=LINE_NUMBER_LIMIT) => Ok(Some(number)),
        _ => Err(Reason::InvalidAttribute {
            key,
            needs: "a line number from 1 to 2147483647, in digits",
        }),
    }
}

/// Returns true for a tag whose body and path are to be taken literally.
pub(super) fn is_exact(opening: &Opening<'_>) -> bool {
    yes_or_no(opening, "exact") == Ok(Some(true))
}

pub(super) fn yes_or_no(opening: &Opening<'_>, key: &'static str) -> Result<Option<bool>, Reason> {
    match opening.attribute(key) {
        None => Ok(None),
        Some(value) if value.eq_ignore_ascii_case("yes") => Ok(Some(true)),
        Some(value) if value.eq_ignore_ascii_case("no") => Ok(Some(false)),
        Some(_) => Err(Reason::InvalidAttribute {
            key,
            needs: "yes or no",
        }),
    }
}

/// Returns notes about attributes of a later version of the protocol, or of none.
pub(super) fn unknown_attributes(opening: &Opening<'_>) -> impl Iterator<Item = Note> {
    let known = opening.name.kind.map_or(&[][..], Kind::attributes);
    opening
        .attributes
        .iter()
        .filter(move |(key, _)| !known.iter().any(|known| known.eq_ignore_ascii_case(key)))
        .map(|(key, _)| Note::UnknownAttribute {
            key: (*key).to_owned(),
        })
}

fn without_newline(body: &str) -> String {
    body.strip_suffix('\n').unwrap_or(body).to_owned()
}

const LINE_NUMBER_LIMIT: u32 = i32::MAX as u32;
