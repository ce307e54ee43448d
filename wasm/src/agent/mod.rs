//! The agent for JavaScript: messages, edits and sessions as pure functions over plain objects, and replies carried out
//! on a workspace of JavaScript's. `js/agent/workspaces.js` has two.

mod apply;

pub use apply::apply_reply;

use flylead_core::agent::{
    CONTENTS_LIMIT, Commands, Contents, Eol, FileEntry, Inbox, Item, LineRange, Numbering, Outbox,
    ParseOptions, ReadRequest, Session, Truncate, decode, edit, parse,
    path::{self, Names},
    render_outbox, sha, show, split_outbox,
};
use js_sys::{Array, Date, JSON, Math};
use serde_json::{Value, json};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

use crate::{Error, ErrorKind, border};

/// Reads a reply into commands and errors, before anything runs.
#[wasm_bindgen(js_name = parseInbox, skip_typescript)]
pub fn parse_inbox(message: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let (inbox, _) = read(message, options)?;
    plain(&json!({
        "items": inbox.items.iter().map(item).collect::<Vec<_>>(),
        "echo": { "session": inbox.echo.session, "sequence": inbox.echo.sequence },
        "hints": inbox.hints,
        "outboxCopy": inbox.outbox_copy,
    }))
}

/// Writes the message to the LLM.
#[wasm_bindgen(js_name = renderOutbox, skip_typescript)]
pub fn render(outbox: &JsValue) -> Result<String, JsValue> {
    let outbox = value(outbox)?;
    let session = session(&outbox["session"].to_string())?;
    let files: Vec<FileEntry> = list(&outbox["files"], file_entry);
    let contents: Vec<Contents> = list(&outbox["contents"], contents);
    Ok(render_outbox(&Outbox {
        session: &session,
        files: &files,
        more_files: outbox["moreFiles"].as_u64().unwrap_or_default() as usize,
        contents: &contents,
    }))
}

/// Cuts a message into parts for chat windows that cut long pastes.
#[wasm_bindgen(js_name = splitOutbox, skip_typescript)]
pub fn split(text: &str, of: &JsValue, limit: usize) -> Result<Array, JsValue> {
    let session = session(&value(of)?.to_string())?;
    let parts = split_outbox(text, &session, limit);
    Ok(parts.iter().map(|part| JsValue::from_str(part)).collect())
}

/// Replaces a range of lines, and no other byte.
#[wasm_bindgen(js_name = applyEdit, skip_typescript)]
pub fn apply_edit(file: &[u8], edit: &JsValue) -> Result<Vec<u8>, JsValue> {
    let edit = value(edit)?;
    let line = |name: &str| {
        let line = edit[name]
            .as_u64()
            .and_then(|line| u32::try_from(line).ok());
        line.ok_or_else(|| js_sys::TypeError::new(&format!("give {name} as a line number")))
    };
    let lines = LineRange {
        first: line("startLine")?,
        last: line("endLine")?,
    };
    let replacement = edit["replacement"].as_str().unwrap_or_default();
    let edited = edit::apply(file, lines, replacement, edit["expect"].as_str());
    edited.map_err(|refusal| Error::new(ErrorKind::Edit, refusal).into())
}

/// Judges a path as an LLM writes it, and cleans it.
#[wasm_bindgen(js_name = judgePath, skip_typescript)]
pub fn judge_path(written: &str) -> Result<String, JsValue> {
    match path::judge(written, Names::Unix) {
        Ok((path, _)) => Ok(path.as_str().to_owned()),
        Err(refusal) => Err(Error::new(ErrorKind::Path, refusal).into()),
    }
}

/// A session that waits for its first reply.
#[wasm_bindgen(js_name = newSession, skip_typescript)]
pub fn new_session(task: &str, options: &JsValue) -> Result<JsValue, JsValue> {
    let id = (Math::random() * 4_294_967_296.0) as u32;
    let mut session = Session::new(format!("{id:08x}"), task.to_owned(), now());
    let options = value(options)?;
    if options["editNumbering"] == "snapshot" {
        session.edit_numbering = Numbering::Snapshot;
    }
    if options["eol"] == "crlf" {
        session.eol = Eol::CrLf;
    }
    if options["truncate"] == "head" {
        session.truncate = Truncate::Head;
    }
    if options["commands"] == "python" {
        session.commands = Commands::Python;
    }
    object_of(&session)
}

/// Reads a session that was kept as JSON.
#[wasm_bindgen(js_name = readSession, skip_typescript)]
pub fn read_session(json: &str) -> Result<JsValue, JsValue> {
    object_of(&session(json)?)
}

/// Shows files that were asked for: bytes, or why there are none, in the order of the requests.
#[wasm_bindgen(js_name = showFiles, skip_typescript)]
pub fn show_files(requests: &JsValue, files: &Array) -> Result<JsValue, JsValue> {
    let requests = list(&value(requests)?, read_request);
    let mut room = CONTENTS_LIMIT;
    let shown = requests.iter().zip(files.iter()).map(|(request, file)| {
        let content = match file.as_string() {
            Some(why) => Err(why),
            None => Ok(bytes_of(&file)?),
        };
        let file = content.as_deref().map_err(Clone::clone);
        Ok(contents_object(&show(request, file, &mut room)))
    });
    plain(&Value::Array(shown.collect::<Result<_, JsValue>>()?))
}

fn read(message: &JsValue, options: &JsValue) -> Result<(Inbox, String), JsValue> {
    let bytes = bytes_of(message)?;
    let options = ParseOptions {
        strict: flag(options, "strict"),
        strip_fences: flag(options, "stripFences"),
    };
    let inbox = decode(&bytes).and_then(|text| parse(&text, options));
    let inbox = inbox.map_err(|why| rejected(&why.to_string()))?;
    Ok((inbox, sha(&bytes)))
}

/// The reply as a whole is refused.
fn rejected(why: &str) -> JsValue {
    Error::new(ErrorKind::Rejected, why).into()
}

fn flag(options: &JsValue, name: &str) -> bool {
    border::flag(options, name)
}

fn bytes_of(content: &JsValue) -> Result<Vec<u8>, JsValue> {
    Ok(border::bytes_of(content)?)
}

fn item(item: &Item) -> Value {
    let notes: Vec<String> = item.notes.iter().map(ToString::to_string).collect();
    match &item.outcome {
        Ok(command) => {
            json!({ "line": item.line, "name": command.kind().name(), "command": command, "notes": notes })
        }
        Err(fault) => {
            json!({ "line": item.line, "name": fault.command, "error": fault.to_string(), "notes": notes })
        }
    }
}

fn session(json: &str) -> Result<Session, JsValue> {
    Session::from_json(json).map_err(|why| Error::new(ErrorKind::Session, why).into())
}

fn object_of(session: &Session) -> Result<JsValue, JsValue> {
    JSON::parse(&session.to_json())
}

fn file_entry(entry: &Value) -> Option<FileEntry> {
    Some(FileEntry {
        path: entry["path"].as_str()?.to_owned(),
        bytes: entry["bytes"].as_f64().unwrap_or_default() as u64,
    })
}

fn contents(shown: &Value) -> Option<Contents> {
    Some(Contents {
        path: shown["path"].as_str()?.to_owned(),
        text: shown["text"].as_str().unwrap_or_default().to_owned(),
        numbered_from: shown["numberedFrom"].as_u64().map(|line| line as usize),
        note: shown["note"].as_str().map(ToOwned::to_owned),
    })
}

fn contents_object(shown: &Contents) -> Value {
    json!({ "path": shown.path, "text": shown.text, "numberedFrom": shown.numbered_from, "note": shown.note })
}

/// A path alone asks for the whole file.
fn read_request(request: &Value) -> Option<ReadRequest> {
    match request.as_str() {
        Some(path) => Some(ReadRequest::plain(path.to_owned())),
        None => serde_json::from_value(request.clone()).ok(),
    }
}

fn list<T>(values: &Value, read: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    let values = values.as_array().map_or(&[][..], Vec::as_slice);
    values.iter().filter_map(read).collect()
}

/// A plain object of JavaScript, by its JSON.
fn value(object: &JsValue) -> Result<Value, JsValue> {
    if object.is_undefined() {
        return Ok(Value::Null);
    }
    let text = JSON::stringify(object)?.as_string().unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| js_sys::TypeError::new(&error.to_string()).into())
}

fn plain(value: &Value) -> Result<JsValue, JsValue> {
    JSON::parse(&value.to_string())
}

/// The time as the document writes it, in seconds.
fn now() -> String {
    let time: String = Date::new_0()
        .to_iso_string()
        .unchecked_into::<JsValue>()
        .as_string()
        .unwrap_or_default();
    match time.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => time,
    }
}
