//! Names known to the server, for the editor, which cannot wait long.

use std::{cell::RefCell, collections::HashMap, time::Duration};

use flylead_native::zylisp::{Client, ClientError, Reply};
use rustyline::hint::Hint;
use serde_json::Value as Json;
use tokio::{runtime::Handle, time::timeout};

/// Answers of a server. The editor's thread requests them, and waits for them.
#[derive(Default)]
pub(super) struct Knowledge {
    server: Option<(Client, Handle)>,
    /// Usages of functions that were requested since the last program.
    usages: RefCell<HashMap<String, Option<String>>>,
}

impl Knowledge {
    pub(super) fn of(client: Option<Client>) -> Self {
        let runtime = Handle::try_current().ok();
        Self {
            server: client.zip(runtime),
            usages: RefCell::default(),
        }
    }

    /// Returns the names with this prefix, if the server knows any.
    pub(super) fn complete(&self, prefix: &str) -> Option<Vec<String>> {
        let (client, _) = self.server.as_ref()?;
        let reply = self.wait(client.complete(prefix))?;
        let names = names(&reply);
        (!names.is_empty()).then_some(names)
    }

    /// Returns the signature of a function.
    pub(super) fn signature(&self, name: &str) -> Option<Signature> {
        let mut usages = self.usages.borrow_mut();
        if !usages.contains_key(name) {
            usages.insert(name.to_owned(), self.usage(name));
        }
        let usage = usages.get(name)?.as_ref()?;
        Some(Signature(format!("   {usage}")))
    }

    fn usage(&self, name: &str) -> Option<String> {
        let (client, _) = self.server.as_ref()?;
        let reply = self.wait(client.look_up(name))?;
        let usage = reply.data.get("usage")?.as_str()?;
        usage.starts_with('(').then(|| usage.to_owned())
    }

    fn wait(&self, asked: impl Future<Output = Result<Reply, ClientError>>) -> Option<Reply> {
        let (_, runtime) = self.server.as_ref()?;
        runtime
            .block_on(async { timeout(PATIENCE, asked).await })
            .ok()?
            .ok()
    }
}

/// Returns the names in a reply to a completion.
pub(super) fn names(reply: &Reply) -> Vec<String> {
    let found = reply.data.get("completions").and_then(Json::as_array);
    let name = |entry: &Json| Some(entry.get("candidate")?.as_str()?.to_owned());
    found.into_iter().flatten().filter_map(name).collect()
}

/// Signature of a function, shown after the typed text. It cannot be inserted.
pub(super) struct Signature(String);

impl Hint for Signature {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

/// Time that a person waits for a key to act.
const PATIENCE: Duration = Duration::from_millis(500);
