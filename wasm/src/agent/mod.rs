//! The agent for JavaScript: messages, edits and sessions as pure functions over plain objects, and execution of
//! replies on a workspace in JavaScript, of which `js/agent/workspaces.js` has two kinds.

mod apply;
mod types;

use flylead_core::agent::{
    CONTENTS_LIMIT, Inbox, Outbox, ParseOptions, ReadRequest, Session, decode, edit, looks_secret,
    parse,
    path::{self, Names},
    render_outbox, sha, show, split_outbox,
};
use js_sys::{Array, Date, JSON};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

pub use apply::{AgentWorkspace, apply_reply};
pub use types::{
    AgentContents, AgentEcho, AgentEdit, AgentFile, AgentInbox, AgentItem, AgentOutbox,
    AgentReadingOptions, AgentReplyOptions, AgentSessionOptions, AgentStep,
};

use crate::{
    binding::arguments::{Data, Options},
    binding::error::{Error, ErrorKind},
    binding::random::eight_digits,
    binding::values::to_js,
};

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str = r#"import type { AgentChange, AgentCommand, AgentReadRequest, AgentSession, AgentWorkspace } from "../../types/agent.js";"#;

#[wasm_bindgen]
extern "C" {
    /// Session as a plain object, for storing as JSON.
    #[wasm_bindgen(typescript_type = "AgentSession")]
    #[derive(Debug, Clone)]
    pub type AgentSession;
}

/// Parses a reply into commands and errors, before anything runs. Text meant as content is never parsed as a command.
///
/// # Errors
/// `RejectedError`: the text is not a reply at all.
#[wasm_bindgen(js_name = parseInbox, unchecked_return_type = "AgentInbox")]
pub fn parse_inbox(
    message: Data,
    options: Option<Options<AgentReadingOptions>>,
) -> Result<JsValue, Error> {
    let (inbox, _) = read(&message, Options::get(options)?.into())?;
    Ok(to_js(&AgentInbox::from(inbox)))
}

/// Renders the message to the LLM. The same input yields the same text.
///
/// # Errors
/// `SessionError`: the session is invalid.
#[wasm_bindgen(js_name = renderOutbox)]
pub fn render(outbox: Options<AgentOutbox>) -> Result<String, Error> {
    let outbox = outbox.required()?;
    let files: Vec<_> = outbox.files.into_iter().map(Into::into).collect();
    let contents: Vec<_> = outbox.contents.into_iter().map(Into::into).collect();
    Ok(render_outbox(&Outbox {
        session: &session_of(&outbox.session)?,
        files: &files,
        more_files: outbox.more_files,
        map: &[],
        contents: &contents,
    }))
}

/// Splits a message into parts of at most `limit` characters (at least 400), for chat windows that cut long pastes.
///
/// # Errors
/// `SessionError`: the session is invalid.
#[wasm_bindgen(js_name = splitOutbox)]
pub fn split(text: &str, session: AgentSession, limit: usize) -> Result<Vec<String>, Error> {
    Ok(split_outbox(text, &session_of(&session)?, limit))
}

/// Replaces a range of lines and no other byte: line ends, byte order mark, a missing final newline and bytes that are
/// not text stay.
///
/// # Errors
/// `EditError`: the file has no such lines, or is not text.
#[wasm_bindgen(js_name = applyEdit, unchecked_return_type = "Uint8Array<ArrayBuffer>")]
pub fn apply_edit(file: &[u8], edit: Options<AgentEdit>) -> Result<Vec<u8>, Error> {
    let edit = edit.required()?;
    edit::apply(
        file,
        edit.lines(),
        &edit.replacement,
        edit.expect.as_deref(),
    )
    .map_err(|refusal| Error::new(ErrorKind::Edit, refusal))
}

/// Cleans a path written by an LLM, or refuses it.
///
/// # Errors
/// `PathError`.
#[wasm_bindgen(js_name = judgePath)]
pub fn judge_path(path: &str) -> Result<String, Error> {
    match path::judge(path, Names::Unix) {
        Ok((path, _)) => Ok(path.as_str().to_owned()),
        Err(refusal) => Err(Error::new(ErrorKind::Path, refusal)),
    }
}

/// Returns a description of a sign of a secret in a file's path or content, or `undefined`.
///
/// # Errors
/// A `TypeError` for invalid content.
#[wasm_bindgen(js_name = looksSecret)]
pub fn secret_sign(path: &str, content: Option<Data>) -> Result<Option<String>, Error> {
    let content = content.map(|content| content.bytes()).transpose()?;
    let sign = looks_secret(path, &content.unwrap_or_default());
    Ok(sign.map(str::to_owned))
}

/// Creates a session that awaits its first reply.
///
/// # Errors
/// A `TypeError` for an unknown option.
#[wasm_bindgen(js_name = newSession)]
pub fn new_session(
    task: &str,
    options: Option<Options<AgentSessionOptions>>,
) -> Result<AgentSession, Error> {
    let options = Options::get(options)?;
    Ok(object_of(&Session {
        edit_numbering: options.edit_numbering,
        eol: options.eol,
        truncate: options.truncate,
        commands: options.commands,
        ..Session::new(eight_digits(), task.to_owned(), now())
    }))
}

/// Reads a session that was stored as JSON.
///
/// # Errors
/// `SessionError`: the session is invalid.
#[wasm_bindgen(js_name = readSession)]
pub fn read_session(json: &str) -> Result<AgentSession, Error> {
    Ok(object_of(&session(json)?))
}

/// Shows requested files, in the order of the requests: the bytes of each one, or the reason why it has none.
///
/// # Errors
/// A `TypeError` for an invalid request or file.
#[wasm_bindgen(js_name = showFiles, unchecked_return_type = "AgentContents[]")]
pub fn show_files(
    #[wasm_bindgen(unchecked_param_type = "readonly AgentReadRequest[]")] requests: Array,
    #[wasm_bindgen(unchecked_param_type = "readonly (Uint8Array | string)[]")] files: Array,
) -> Result<JsValue, Error> {
    let mut room = CONTENTS_LIMIT;
    let shown = requests.iter().zip(files.iter()).map(|(request, file)| {
        let content = match file.as_string() {
            Some(why) => Err(why),
            None => Ok(file.unchecked_into::<Data>().bytes()?),
        };
        let file = content.as_deref().map_err(Clone::clone);
        Ok(show(&read_request(request)?, file, &mut room).into())
    });
    let shown: Vec<AgentContents> = shown.collect::<Result<_, Error>>()?;
    Ok(to_js(&shown))
}

/// Reads a request; a bare path requests the whole file.
fn read_request(request: JsValue) -> Result<ReadRequest, Error> {
    match request.as_string() {
        Some(path) => Ok(ReadRequest::plain(path)),
        None => serde_wasm_bindgen::from_value(request)
            .map_err(|error| Error::argument(format_args!("requests: {error}"))),
    }
}

fn read(message: &Data, options: ParseOptions) -> Result<(Inbox, String), Error> {
    let bytes = message.bytes()?;
    let inbox = decode(&bytes).and_then(|text| parse(&text, options));
    Ok((inbox.map_err(rejected)?, sha(&bytes)))
}

/// Returns an error that refuses the reply as a whole.
fn rejected(why: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Rejected, why)
}

fn session(json: &str) -> Result<Session, Error> {
    Session::from_json(json).map_err(|why| Error::new(ErrorKind::Session, why))
}

fn session_of(object: &JsValue) -> Result<Session, Error> {
    // A value without JSON is not a session either.
    let json = JSON::stringify(object)
        .ok()
        .and_then(|json| json.as_string());
    session(&json.unwrap_or_default())
}

fn object_of(session: &Session) -> AgentSession {
    let object = JSON::parse(&session.to_json());
    object.unwrap_or_default().unchecked_into()
}

/// Returns the time in the format of the protocol, in seconds.
fn now() -> String {
    let time = String::from(Date::new_0().to_iso_string());
    match time.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => time,
    }
}
