//! A board's files as a JavaScript object.

use flylead_core::board::{NewEntry, Request};
use js_sys::{Promise, Reflect};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{
    conversation::Conversation, options, progress::Latest, request::Pending, streams,
    transfer::Transfer,
};

/// The files of one board.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Files {
    conversation: Conversation,
}

#[wasm_bindgen]
impl Files {
    /// The entries of a directory, by name.
    pub fn list(&self, path: &JsValue) -> Promise {
        self.ask(optional(path, ""), |path| Request::List { path })
    }

    /// All entries below a directory.
    pub fn tree(&self, path: &JsValue, options: &JsValue) -> Promise {
        let hashes = options::flag(options, "hashes");
        self.ask(optional(path, ""), |path| Request::Tree { path, hashes })
    }

    /// One file or directory.
    pub fn stat(&self, path: &JsValue) -> Promise {
        self.ask(required(path), |path| Request::Stat { path })
    }

    /// A file's content.
    pub fn read(&self, path: &JsValue) -> Transfer {
        self.transfer(required(path), |path| Request::Read { path })
    }

    /// Replaces or creates a file.
    pub fn write(&self, path: &JsValue, data: &JsValue) -> Transfer {
        self.transfer(with_data(path, data), |(path, data)| Request::Write {
            path,
            data,
        })
    }

    /// Writes files and makes directories.
    #[wasm_bindgen(js_name = writeTree)]
    pub fn write_tree(&self, entries: &JsValue) -> Transfer {
        self.transfer(new_entries(entries), |entries| Request::WriteTree {
            entries,
        })
    }

    /// Adds to the end of a file.
    pub fn append(&self, path: &JsValue, data: &JsValue) -> Transfer {
        self.transfer(with_data(path, data), |(path, data)| Request::Append {
            path,
            data,
        })
    }

    /// Removes a file or directory.
    pub fn remove(&self, path: &JsValue, options: &JsValue) -> Promise {
        if options::flag(options, "recursive") {
            self.ask(required(path), |path| Request::RemoveTree { path })
        } else {
            self.ask(required(path), |path| Request::Remove { path })
        }
    }

    /// Makes a directory.
    #[wasm_bindgen(js_name = makeDirectory)]
    pub fn make_directory(&self, path: &JsValue, options: &JsValue) -> Promise {
        let parents = options::flag(options, "parents");
        self.ask(required(path), |path| Request::MakeDirectory {
            path,
            parents,
        })
    }

    /// Renames a file or directory.
    pub fn rename(&self, from: &JsValue, to: &JsValue) -> Promise {
        let both = required(from).and_then(|from| Ok((from, required(to)?)));
        self.ask(both, |(from, to)| Request::Rename { from, to })
    }

    /// Makes an empty file if there is none.
    pub fn touch(&self, path: &JsValue) -> Promise {
        self.ask(required(path), |path| Request::Touch { path })
    }

    /// The size of a file system.
    pub fn space(&self, path: &JsValue) -> Promise {
        self.ask(optional(path, "/"), |path| Request::Space { path })
    }

    /// A file's SHA-256.
    pub fn sha256(&self, path: &JsValue) -> Promise {
        self.ask(required(path), |path| Request::Hash { path })
    }

    /// What the board can do for transfers.
    pub fn capabilities(&self) -> Promise {
        self.ask(Ok(String::new()), |_| Request::Capabilities)
    }
}

impl Files {
    pub(crate) fn new(conversation: Conversation) -> Self {
        Self { conversation }
    }

    fn ask<A: Subject>(
        &self,
        arguments: Result<A, JsValue>,
        request: impl FnOnce(A) -> Request,
    ) -> Promise {
        self.start(arguments, request).0
    }

    fn transfer<A: Subject>(
        &self,
        arguments: Result<A, JsValue>,
        request: impl FnOnce(A) -> Request,
    ) -> Transfer {
        let (done, progress) = self.start(arguments, request);
        Transfer::new(done, progress, self.conversation.clone())
    }

    /// Begins a request; wrong arguments are refused like everything else, in the answer.
    fn start<A: Subject>(
        &self,
        arguments: Result<A, JsValue>,
        request: impl FnOnce(A) -> Request,
    ) -> (Promise, Latest) {
        let path = arguments.as_ref().map_or("", Subject::path).to_owned();
        let pending = Pending::new(path);
        let handles = (pending.answer(), pending.progress());
        match arguments {
            Ok(arguments) => self.conversation.request(pending, request(arguments)),
            Err(error) => pending.abandon(&error),
        }
        handles
    }
}

/// Arguments of a request, which is about a path.
trait Subject {
    fn path(&self) -> &str;
}

impl Subject for String {
    fn path(&self) -> &str {
        self
    }
}

impl<T> Subject for (String, T) {
    fn path(&self) -> &str {
        &self.0
    }
}

/// What goes wrong names its own path.
impl Subject for Vec<NewEntry> {
    fn path(&self) -> &str {
        ""
    }
}

fn required(path: &JsValue) -> Result<String, JsValue> {
    path.as_string()
        .ok_or_else(|| js_sys::TypeError::new("give the path as a string").into())
}

fn optional(path: &JsValue, default: &str) -> Result<String, JsValue> {
    if path.is_undefined() {
        return Ok(default.to_owned());
    }
    required(path)
}

fn with_data(path: &JsValue, data: &JsValue) -> Result<(String, Vec<u8>), JsValue> {
    Ok((required(path)?, streams::bytes(data)?))
}

/// Anything iterable of `{ path, data }`; one without data is a directory.
fn new_entries(entries: &JsValue) -> Result<Vec<NewEntry>, JsValue> {
    let no_entries = || js_sys::TypeError::new("give the entries as an array of { path, data }");
    let entries = js_sys::try_iter(entries)?.ok_or_else(no_entries)?;
    entries.map(|entry| new_entry(&entry?)).collect()
}

fn new_entry(entry: &JsValue) -> Result<NewEntry, JsValue> {
    let path = required(&Reflect::get(entry, &"path".into())?)?;
    let data = Reflect::get(entry, &"data".into())?;
    if data.is_undefined() {
        return Ok(NewEntry::Directory { path });
    }
    let data = streams::bytes(&data)?;
    Ok(NewEntry::File { path, data })
}
