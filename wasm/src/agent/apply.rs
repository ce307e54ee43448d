//! `applyReply`: the core's turn, carried out on a workspace of JavaScript's.

use std::convert::Infallible;

use flylead_core::agent::{
    Approval, Change, Failure, Host, Inbox, Overrides, Ran, Session, Step, Task, Turn,
    path::{Root, WorkspacePath},
};
use js_sys::{Function, Promise, Reflect, Uint8Array};
use serde_json::json;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use super::{bytes_of, flag, now, object_of, plain, read, rejected, session, value};

#[wasm_bindgen]
extern "C" {
    /// The files that commands work on, and what runs them; declared in `types/agent.d.ts`.
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

/// Carries a reply out, once, and answers the session after it and the messages for the person.
///
/// # Errors
/// `RejectedError`: the reply is not one to what the session waits for. `SessionError`: it is none. Then nothing was
/// done.
#[wasm_bindgen(js_name = applyReply, skip_typescript)]
pub async fn apply_reply(
    of: JsValue,
    reply: JsValue,
    workspace: AgentWorkspace,
    options: JsValue,
) -> Result<JsValue, JsValue> {
    let session = session(&value(&of)?.to_string())?;
    let (inbox, sha) = read(&reply, &options)?;
    check(&session, &inbox, &sha, &options)?;
    let messages: Vec<String> = inbox.messages().map(str::to_owned).collect();
    let sequence = session.sequence_number;
    let mut turn = Turn::new(inbox, session, Root::default());
    let mut host = JsHost { workspace, options };
    let Ok(()) = turn.carry_out(&mut host).await;
    let mut session = turn.end(now());
    remember(&mut session, sha, sequence);
    let done = plain(&json!({ "messages": messages }))?;
    Reflect::set(&done, &"session".into(), &object_of(&session)?)?;
    Ok(done)
}

/// Refuses what is no reply to what waits, unless the person says that it is.
fn check(session: &Session, inbox: &Inbox, sha: &str, options: &JsValue) -> Result<(), JsValue> {
    let force = flag(options, "force");
    let processed = session.other.get(PROCESSED);
    if let Some(sequence) = processed
        .and_then(|known| known.get(sha))
        .filter(|_| !force)
    {
        let why = format!("already processed as the reply to outbox {sequence}; nothing was done");
        return Err(rejected(&why));
    }
    let overrides = Overrides {
        accept_copy: flag(options, "acceptCopy"),
        accept_stale: force,
    };
    inbox
        .answers(session, overrides)
        .map_err(|unfit| rejected(&unfit.to_string()))
}

fn remember(session: &mut Session, sha: String, sequence: u32) {
    let known = session.other.entry(PROCESSED).or_insert_with(|| json!({}));
    if let Some(known) = known.as_object_mut() {
        known.insert(sha, sequence.into());
    }
}

/// A workspace and a person of JavaScript's. Whatever they reject with, the LLM is told.
struct JsHost {
    workspace: AgentWorkspace,
    options: JsValue,
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
            false => bytes_of(&content).map(Some).map_err(said),
        }
    }

    async fn change(
        &mut self,
        step: &Step<'_>,
        path: &WorkspacePath,
        before: Option<&[u8]>,
        change: &mut Change,
    ) -> Result<(), Failure<Infallible>> {
        if let Some(on_change) = self.callback("onChange") {
            let object = object(step).map_err(said)?;
            for (name, value) in [
                ("before", bytes(before)),
                ("after", bytes(change.after.as_deref())),
                ("summary", (&*change.summary).into()),
            ] {
                Reflect::set(&object, &name.into(), &value).map_err(said)?;
            }
            settled(on_change.call1(&JsValue::UNDEFINED, &object)).await?;
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
        let field = |name: &str| Reflect::get(&ran, &name.into()).map_err(said);
        let output = field("output")?;
        Ok(Ran {
            success: field("success")?.is_truthy(),
            summary: field("summary")?.as_string().unwrap_or_default(),
            output: match output.is_undefined() {
                true => Vec::new(),
                false => bytes_of(&output).map_err(said)?,
            },
            notes: Vec::new(),
        })
    }
}

impl JsHost {
    /// Asks about a step. Without `approve`, files are read and changed, and no command runs.
    async fn ask(&self, step: &Step<'_>) -> Result<bool, Failure<Infallible>> {
        self.stop_if_aborted()?;
        let is_command = matches!(step.task, Task::Run { .. });
        if is_command && !is_function(&self.workspace, "run") {
            let why = "there is no shell in this workspace; use the file commands";
            return Err(Failure::Step(why.into()));
        }
        let Some(approve) = self.callback("approve") else {
            return Ok(!is_command);
        };
        let step = object(step).map_err(said)?;
        let answer = settled(approve.call1(&JsValue::UNDEFINED, &step)).await?;
        Ok(answer.is_truthy())
    }

    fn callback(&self, name: &str) -> Option<Function> {
        let callback = Reflect::get(&self.options, &name.into()).ok()?;
        callback.dyn_into().ok()
    }

    fn stop_if_aborted(&self) -> Result<(), Failure<Infallible>> {
        let field = |object: &JsValue, name: &str| {
            Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
        };
        let signal = field(&self.options, "signal");
        match field(&signal, "aborted").is_truthy() {
            true => Err(said(field(&signal, "reason"))),
            false => Ok(()),
        }
    }
}

/// A step as `approve` and `onChange` see it.
fn object(step: &Step<'_>) -> Result<JsValue, JsValue> {
    let line = step.line;
    plain(&match &step.task {
        Task::Change { path, command } => {
            json!({ "kind": "change", "line": line, "path": path.as_str(), "name": command.kind().name() })
        }
        Task::Read { path } => json!({ "kind": "read", "line": line, "path": path.as_str() }),
        Task::Run { script } => json!({ "kind": "run", "line": line, "command": script }),
    })
}

/// What a function of JavaScript answers, a promise or not.
async fn settled(answer: Result<JsValue, JsValue>) -> Result<JsValue, Failure<Infallible>> {
    let promise = Promise::resolve(&answer.map_err(said)?);
    JsFuture::from(promise).await.map_err(said)
}

/// What was thrown, in words.
fn said(thrown: JsValue) -> Failure<Infallible> {
    Failure::Step(match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => text_of(&thrown),
    })
}

fn bytes(content: Option<&[u8]>) -> JsValue {
    content.map_or(JsValue::UNDEFINED, |content| {
        Uint8Array::from(content).into()
    })
}

fn is_function(object: &JsValue, name: &str) -> bool {
    Reflect::get(object, &name.into()).is_ok_and(|value| value.is_function())
}

/// Replies by their SHA-256, and the outboxes that they answered.
const PROCESSED: &str = "processedReplies";
