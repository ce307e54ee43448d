//! `applyReply`: executes the core's turn on a workspace in JavaScript.

use std::convert::Infallible;

use flylead_core::agent::{
    Approval, Change, Failure, Host, Inbox, Overrides, ParseOptions, Ran, Session, Step, Task,
    Turn,
    path::{Root, WorkspacePath},
};
use js_sys::{Function, Promise, Uint8Array, futures::JsFuture};
use serde_json::json;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

use super::{
    AgentReplyOptions, AgentSession, now, object_of, read, rejected, session_of, types::AgentStep,
};
use crate::{
    binding::arguments::{Data, Options},
    binding::error::Error,
    binding::values::{extend, object, property, to_js},
};

#[wasm_bindgen]
extern "C" {
    /// Workspace with the files that commands work on, and with the runner of shell commands; declared in
    /// `types/agent.d.ts`.
    #[wasm_bindgen(typescript_type = "AgentWorkspace")]
    #[derive(Debug)]
    pub type AgentWorkspace;

    #[wasm_bindgen(method, catch)]
    fn read(this: &AgentWorkspace, path: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn write(this: &AgentWorkspace, path: &str, content: Uint8Array) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn remove(this: &AgentWorkspace, path: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn run(this: &AgentWorkspace, script: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = String)]
    fn text_of(value: &JsValue) -> String;
}

/// Executes a reply, once. Returns the session after it, for storing, and the LLM's messages to the user.
///
/// # Errors
/// `RejectedError`: the text is not a reply to the waiting outbox. `SessionError`: the session is invalid. In both
/// cases nothing was done.
#[wasm_bindgen(
    js_name = applyReply,
    unchecked_return_type = "{ session: AgentSession; messages: string[] }"
)]
pub async fn apply_reply(
    session: AgentSession,
    reply: Data,
    workspace: AgentWorkspace,
    options: Option<Options<AgentReplyOptions>>,
) -> Result<JsValue, Error> {
    let session = session_of(&session)?;
    let options = Options::get(options)?;
    let reading = ParseOptions {
        strict: options.strict,
        strip_fences: options.strip_fences,
        commands: session.commands,
    };
    let (inbox, sha) = read(&reply, reading)?;
    check(&session, &inbox, &sha, &options)?;
    let messages: Vec<String> = inbox.messages().map(str::to_owned).collect();
    let sequence = session.sequence_number;
    let mut turn = Turn::new(inbox, session, Root::default());
    let mut host = JsHost { workspace, options };
    let Ok(()) = turn.carry_out(&mut host).await;
    let mut session = turn.end(now());
    remember(&mut session, sha, sequence);
    Ok(object(&[
        ("session", object_of(&session).into()),
        ("messages", to_js(&messages)),
    ]))
}

/// Refuses a text that is not a reply to the waiting outbox, unless the user confirms that it is.
fn check(
    session: &Session,
    inbox: &Inbox,
    sha: &str,
    options: &AgentReplyOptions,
) -> Result<(), Error> {
    let processed = session.other.get(PROCESSED);
    if let Some(sequence) = processed
        .and_then(|known| known.get(sha))
        .filter(|_| !options.force)
    {
        return Err(rejected(format_args!(
            "already processed as the reply to outbox {sequence}; nothing was done"
        )));
    }
    let overrides = Overrides {
        accept_copy: options.accept_copy,
        accept_stale: options.force,
    };
    inbox.answers(session, overrides).map_err(rejected)
}

fn remember(session: &mut Session, sha: String, sequence: u32) {
    let known = session.other.entry(PROCESSED).or_insert_with(|| json!({}));
    if let Some(known) = known.as_object_mut() {
        known.insert(sha, sequence.into());
    }
}

/// Workspace and user in JavaScript. Whatever they reject with is reported to the LLM.
struct JsHost {
    workspace: AgentWorkspace,
    options: AgentReplyOptions,
}

impl Host for JsHost {
    type Error = Infallible;

    async fn approve(&mut self, step: &Step<'_>) -> Result<Approval, Infallible> {
        Ok(match self.ask(step).await {
            Ok(true) => Approval::Run,
            Ok(false) => Approval::Refuse("the person refused".into()),
            Err(Failure::Step(why)) => Approval::Refuse(why),
            Err(Failure::Turn(never)) => match never {},
        })
    }

    async fn read(
        &mut self,
        _: &Step<'_>,
        path: &WorkspacePath,
    ) -> Result<Option<Vec<u8>>, Failure<Infallible>> {
        let content = settled(self.workspace.read(path.as_str())).await?;
        match content.is_undefined() {
            true => Ok(None),
            false => bytes_of(content).map(Some),
        }
    }

    async fn change(
        &mut self,
        step: &Step<'_>,
        path: &WorkspacePath,
        before: Option<&[u8]>,
        change: &mut Change,
    ) -> Result<(), Failure<Infallible>> {
        if let Some(on_change) = &self.options.on_change {
            let object = to_js(&AgentStep::from(step));
            extend(
                &object,
                &[
                    ("before", bytes(before)),
                    ("after", bytes(change.after.as_deref())),
                    ("summary", (&*change.summary).into()),
                ],
            );
            call(on_change, &object).await?;
        }
        self.stop_if_aborted()?;
        let path = path.as_str();
        settled(match &change.after {
            Some(after) => self.workspace.write(path, Uint8Array::from(&**after)),
            None => self.workspace.remove(path),
        })
        .await?;
        Ok(())
    }

    async fn run(&mut self, _: &Step<'_>, script: &str) -> Result<Ran, Failure<Infallible>> {
        self.stop_if_aborted()?;
        let ran = settled(self.workspace.run(script)).await?;
        let output = property(&ran, "output");
        Ok(Ran {
            success: property(&ran, "success").is_truthy(),
            summary: property(&ran, "summary").as_string().unwrap_or_default(),
            output: match output.is_undefined() {
                true => Vec::new(),
                false => bytes_of(output)?,
            },
            notes: Vec::new(),
        })
    }
}

impl JsHost {
    /// Requests approval of a step. Without `approve`, files are read and changed, and no command runs.
    async fn ask(&self, step: &Step<'_>) -> Result<bool, Failure<Infallible>> {
        self.stop_if_aborted()?;
        let is_command = matches!(step.task, Task::Run { .. });
        if is_command && !property(&self.workspace, "run").is_function() {
            let why = "there is no shell in this workspace; use the file commands";
            return Err(Failure::Step(why.into()));
        }
        let Some(approve) = &self.options.approve else {
            return Ok(!is_command);
        };
        let answer = call(approve, &to_js(&AgentStep::from(step))).await?;
        Ok(answer.is_truthy())
    }

    fn stop_if_aborted(&self) -> Result<(), Failure<Infallible>> {
        match &self.options.signal {
            Some(signal) if signal.aborted() => Err(said(signal.reason())),
            Some(_) | None => Ok(()),
        }
    }
}

async fn call(callback: &Function, argument: &JsValue) -> Result<JsValue, Failure<Infallible>> {
    settled(callback.call1(&JsValue::UNDEFINED, argument)).await
}

/// Awaits the result of a JavaScript function, which may be a promise.
async fn settled(answer: Result<JsValue, JsValue>) -> Result<JsValue, Failure<Infallible>> {
    let promise = Promise::resolve(&answer.map_err(said)?);
    JsFuture::from(promise).await.map_err(said)
}

/// Returns the message of a thrown value.
fn said(thrown: JsValue) -> Failure<Infallible> {
    Failure::Step(match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => text_of(&thrown),
    })
}

fn bytes_of(content: JsValue) -> Result<Vec<u8>, Failure<Infallible>> {
    let bytes = content.unchecked_into::<Data>().bytes();
    bytes.map_err(|error| said(error.into()))
}

fn bytes(content: Option<&[u8]>) -> JsValue {
    content.map_or(JsValue::UNDEFINED, |content| {
        Uint8Array::from(content).into()
    })
}

/// Replies by their SHA-256, and the outboxes that they answered.
const PROCESSED: &str = "processedReplies";
