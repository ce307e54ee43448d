//! Requests of a client.

use alloc::{format, string::String};

use serde_json::{Map, Value as Json, json};
use zylisp_lang::Place;

use super::{RequestError, RequestId, ZylispClient};
use crate::{machine::setters::setters, zylisp::message::Message};

/// A program to evaluate, and its options.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Program {
    /// The program.
    pub code: String,
    /// True to receive output immediately, and to let the program read. Servers without this
    /// feature send all output with the reply.
    pub live: bool,
    /// File that contains the program, for errors.
    pub file: Option<String>,
    /// Position in that file at which the program begins.
    pub start: Place,
    /// Size limit of an answer or page, in bytes.
    pub page: Option<usize>,
}

setters! {
    Program:
    file: Option<String>,
    start: Place,
    page: Option<usize>,
}

impl<S: Into<String>> From<S> for Program {
    fn from(code: S) -> Self {
        Self {
            code: code.into(),
            live: false,
            file: None,
            start: Place::START,
            page: None,
        }
    }
}

impl Program {
    /// Requests the program's output as it is produced.
    #[must_use]
    pub fn live(self) -> Self {
        Self { live: true, ..self }
    }

    fn into_message(self) -> Message {
        let Place { line, column } = self.start;
        let mut data = Map::new();
        if self.start != Place::START {
            data.insert("line".into(), line.into());
            data.insert("column".into(), column.into());
        }
        data.extend(self.page.map(|page| ("page".into(), page.into())));
        Message {
            code: Some(self.code),
            stream: self.live,
            file_path: self.file,
            data: (!data.is_empty()).then_some(data),
            ..Message::request("eval", "")
        }
    }
}

/// Requests, all of which fail in the same way.
///
/// # Errors
/// The connection has closed.
impl ZylispClient {
    /// Evaluates a program.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn eval(&mut self, program: impl Into<Program>) -> Result<RequestId, RequestError> {
        self.request(program.into().into_message())
    }

    /// Evaluates a file on the server's side.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn load_file(&mut self, path: &str) -> Result<RequestId, RequestError> {
        self.load(path, false)
    }

    /// Like [`load_file`](Self::load_file), but receives output as it is produced.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn load_file_live(&mut self, path: &str) -> Result<RequestId, RequestError> {
        self.load(path, true)
    }

    /// Requests the next page of the last program's value: at most this many bytes of its text.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn more(&mut self, page: usize) -> Result<RequestId, RequestError> {
        self.request(with_data("more", json!({"page": page})))
    }

    /// Sends input to a program: lines with their ends; an empty text is the end of the input.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn input(&mut self, text: &str) -> Result<RequestId, RequestError> {
        self.request(with_data("stdin", json!({"stdin": text})))
    }

    /// Requests the names with a prefix: `completions` in the reply's data.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn complete(&mut self, prefix: &str) -> Result<RequestId, RequestError> {
        self.request(with_data("complete", json!({"prefix": prefix})))
    }

    /// Requests facts about a name: `usage`, `doc`, `file` and `line` in the reply's data, as far as known.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn look_up(&mut self, name: &str) -> Result<RequestId, RequestError> {
        self.request(with_data("lookup", json!({"symbol": name})))
    }

    /// Requests a description of the server and its abilities.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn describe(&mut self) -> Result<RequestId, RequestError> {
        self.request(Message::request("describe", ""))
    }

    /// Presents the server's token, which must precede everything else if there is one.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn authorize(&mut self, token: &str) -> Result<RequestId, RequestError> {
        self.request(with_data("auth", json!({"token": token})))
    }

    /// Creates a session as a copy of this one. `session` in the reply's data is its name, for
    /// [`use_session`](Self::use_session).
    ///
    /// # Errors
    /// The connection has closed.
    pub fn clone_session(&mut self) -> Result<RequestId, RequestError> {
        self.request(Message::request("clone", ""))
    }

    /// Ends the session in use. The connection's own session is used again.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn close_session(&mut self) -> Result<RequestId, RequestError> {
        self.request(Message::request("close", ""))
    }

    /// Requests the sessions of this connection: `sessions` in the reply's data.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn list_sessions(&mut self) -> Result<RequestId, RequestError> {
        self.request(Message::request("ls-sessions", ""))
    }

    /// Interrupts an evaluation of this connection; without a request, the running one.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn interrupt(&mut self, target: Option<RequestId>) -> Result<RequestId, RequestError> {
        self.request(interrupt(target.map(|target| format!("{target}"))))
    }

    /// Interrupts the evaluation of another session, by the name that its `describe` reports.
    ///
    /// # Errors
    /// The connection has closed.
    pub fn interrupt_session(
        &mut self,
        session: &str,
        target: Option<&str>,
    ) -> Result<RequestId, RequestError> {
        self.request(Message {
            session: Some(session.into()),
            ..interrupt(target.map(String::from))
        })
    }

    fn load(&mut self, path: &str, stream: bool) -> Result<RequestId, RequestError> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        self.request(Message {
            file: Some(path.into()),
            file_path: Some(path.into()),
            file_name: Some(name.into()),
            stream,
            // The Go server looks here.
            ..with_data("load-file", json!({"file": path}))
        })
    }
}

fn with_data(op: &str, data: Json) -> Message {
    Message {
        data: data.as_object().cloned(),
        ..Message::request(op, "")
    }
}

/// Creates the message with the id both where the design document specifies it, and in `data`, the only place for it in
/// Go's message type.
fn interrupt(target: Option<String>) -> Message {
    let data = target
        .as_ref()
        .map(|target| json!({"interrupt-id": target}));
    Message {
        data: data.and_then(|data| data.as_object().cloned()),
        interrupt_id: target,
        ..Message::request("interrupt", "")
    }
}
