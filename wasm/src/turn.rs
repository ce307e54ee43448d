//! A reply while JavaScript carries it out: the core's `Turn`, told of by an object.

use flylead_core::agent::{
    Change, Inbox, Outcome, Overrides, Session, Step, Turn, output, path::Root,
};
use js_sys::{Array, Uint8Array};
use serde_json::{Value, json};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{
    agent::{now, object_of, plain, read, session, value},
    error, options, streams,
};

/// A reply while it is carried out.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct AgentTurn {
    inbox: Inbox,
    session: Session,
    sha: String,
    done: Vec<Outcome>,
    planned: Option<Change>,
}

#[wasm_bindgen]
impl AgentTurn {
    /// Reads a reply to what a session waits for.
    #[wasm_bindgen(constructor)]
    pub fn new(of: &JsValue, message: &JsValue, options: &JsValue) -> Result<Self, JsValue> {
        let session = session(&value(of)?.to_string())?;
        let (inbox, sha) = read(message, options)?;
        let overrides = Overrides {
            accept_copy: options::flag(options, "acceptCopy"),
            accept_stale: options::flag(options, "force"),
        };
        let answered = session
            .other
            .get(PROCESSED)
            .and_then(|known| known.get(&sha));
        if let Some(sequence) = answered.filter(|_| !options::flag(options, "force")) {
            let why =
                format!("already processed as the reply to outbox {sequence}; nothing was done");
            return Err(error::named("RejectedError", &why, &[]));
        }
        inbox
            .answers(&session, overrides)
            .map_err(|unfit| error::named("RejectedError", &unfit.to_string(), &[]))?;
        Ok(Self {
            inbox,
            session,
            sha,
            done: Vec::new(),
            planned: None,
        })
    }

    /// The next task; the same one until its outcome is told. `undefined`: the reply is carried out.
    #[allow(
        clippy::should_implement_trait,
        reason = "JavaScript's name for the next of something"
    )]
    pub fn next(&mut self) -> Result<JsValue, JsValue> {
        let mut turn = self.turn();
        let Some(task) = turn.next() else {
            return Ok(JsValue::UNDEFINED);
        };
        let line = turn.line();
        plain(&match task {
            Step::Change { path, command } => {
                json!({ "kind": "change", "line": line, "path": path.as_str(), "name": command.kind().name() })
            }
            Step::Read { path } => json!({ "kind": "read", "line": line, "path": path.as_str() }),
            Step::Run { command } => json!({ "kind": "run", "line": line, "command": command }),
            _ => Value::Null,
        })
    }

    /// What the file of a change becomes. `undefined`: it is refused, and that is its outcome.
    pub fn change(&mut self, before: Option<Vec<u8>>) -> Result<JsValue, JsValue> {
        let mut turn = self.turn();
        turn.next();
        match turn.change(before.as_deref()) {
            Err(why) => {
                self.done.push(Outcome::failed(why));
                Ok(JsValue::UNDEFINED)
            }
            Ok(change) => {
                let after = change.after.as_deref();
                let after =
                    after.map_or(JsValue::UNDEFINED, |after| Uint8Array::from(after).into());
                let entries = [("after", after), ("summary", (&*change.summary).into())];
                self.planned = Some(change);
                Ok(streams::object(&entries).into())
            }
        }
    }

    /// The change was made.
    pub fn changed(&mut self) {
        if let Some(change) = self.planned.take() {
            self.done.push(Turn::changed(&change));
        }
    }

    /// The file of a read was found.
    pub fn found(&mut self, content: &[u8]) {
        let mut turn = self.turn();
        turn.next();
        let outcome = turn.found(content);
        self.done.push(outcome);
    }

    /// A command ran.
    pub fn ran(&mut self, success: bool, summary: &str, printed: &JsValue) -> Result<(), JsValue> {
        let printed = match printed.is_undefined() {
            true => Vec::new(),
            false => streams::bytes(printed)?,
        };
        let text = output::clean(&printed);
        let how = self.session.truncate;
        let text = output::truncate(text.trim_end(), OUTPUT_LIMIT, how, None);
        self.done.push(Outcome {
            output: (!text.is_empty()).then_some(text),
            ..Outcome::new(success, summary)
        });
        Ok(())
    }

    /// The task was not done.
    pub fn failed(&mut self, why: &str) {
        self.planned = None;
        self.done.push(Outcome::failed(why));
    }

    /// The session after the reply.
    pub fn end(&mut self) -> Result<JsValue, JsValue> {
        let mut session = self.session.clone();
        let sequence = session.sequence_number;
        let mut turn = self.turn();
        while turn.next().is_some() {
            turn.done(Outcome::failed("was not done"));
        }
        turn.end(&mut session, now());
        let known = session.other.entry(PROCESSED).or_insert_with(|| json!({}));
        if let Some(known) = known.as_object_mut() {
            known.insert(self.sha.clone(), sequence.into());
        }
        object_of(&session)
    }

    /// What the reply says to the person.
    #[wasm_bindgen(getter)]
    pub fn messages(&self) -> Array {
        use flylead_core::agent::Command::{Done, Message};
        let text = |command| match command {
            &Message { ref text } | &Done { summary: ref text } => Some(JsValue::from_str(text)),
            _ => None,
        };
        self.inbox.commands().filter_map(text).collect()
    }
}

impl AgentTurn {
    /// The turn up to where it is told of.
    fn turn(&self) -> Turn<'_> {
        let mut turn = Turn::new(&self.inbox, &self.session, Root::default());
        for outcome in &self.done {
            turn.next();
            turn.done(outcome.clone());
        }
        turn
    }
}

/// Replies by their SHA-256, and the outboxes that they answered.
const PROCESSED: &str = "processedReplies";
/// The document's limit for a command's output, in characters.
const OUTPUT_LIMIT: usize = 4000;
