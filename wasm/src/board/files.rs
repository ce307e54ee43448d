//! A board's files.

use std::rc::Rc;

use flylead_core::board::{self as core, Request};
use js_sys::{Array, try_iter};
use serde::Deserialize;
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

use super::{
    answers::{Answered, Capabilities, Content, FileEntry, Progress, Space, Written},
    session::{Conversation, News},
};
use crate::{
    binding::arguments::{Data, Options, Text},
    binding::channel::{Latest, channel},
    binding::error::Error,
    binding::values::{object, property},
    task::{Reply, Task},
};

/// Files of a board. Paths are the board's: `/lib/a.py`, or relative to its current directory.
///
/// Only one command can be in progress, as for everything a `Board` does; meanwhile, the board's `mode` is `"running"`.
/// All methods fail with `FileError`, `CancelledError` after the board's `interrupt`, `BusyError`, `LostError`,
/// `ClosedError`, and with a `TypeError` for wrong arguments; none throws.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Files(Rc<Conversation>);

/// File to write to the board; without data, a directory. For [`NewEntries`].
#[derive(Debug, Clone, Tsify)]
pub struct NewEntry {
    /// Path.
    pub path: String,
    /// Content; a string is written as UTF-8.
    #[tsify(optional, type = "string | Uint8Array")]
    pub data: Option<Vec<u8>>,
}

/// Options of `Files.tree`.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct TreeOptions {
    /// Also each file's SHA-256, for which the board reads the whole file. Default `false`.
    pub hashes: bool,
}

/// Options of `Files.remove`.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct RemoveOptions {
    /// Also removes a directory with everything below it. Default `false`.
    pub recursive: bool,
}

/// Options of `Files.makeDirectory`.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct MakeDirectoryOptions {
    /// Also makes its parents, and accepts an existing directory. Default `false`.
    pub parents: bool,
}

#[wasm_bindgen]
impl Files {
    /// Lists the entries of a directory, by name. Default: the current directory.
    #[wasm_bindgen(unchecked_return_type = "Promise<FileEntry[]>")]
    pub fn list(&self, path: Option<Text>) -> Reply<Vec<FileEntry>> {
        self.ask(|| {
            Ok(Request::List {
                path: or(path, "")?,
                times: true,
            })
        })
    }

    /// Lists all entries below a directory; their names are paths relative to it. Default: the current directory.
    #[wasm_bindgen(unchecked_return_type = "Promise<FileEntry[]>")]
    pub fn tree(
        &self,
        path: Option<Text>,
        options: Option<Options<TreeOptions>>,
    ) -> Reply<Vec<FileEntry>> {
        self.ask(|| {
            let TreeOptions { hashes } = Options::get(options)?;
            Ok(Request::Tree {
                path: or(path, "")?,
                hashes,
            })
        })
    }

    /// Returns one file or directory.
    #[wasm_bindgen(unchecked_return_type = "Promise<FileEntry>")]
    pub fn stat(&self, path: Text) -> Reply<FileEntry> {
        self.ask(|| Ok(Request::Stat { path: path.get()? }))
    }

    /// Reads a file's content, and compares its hash with the board's.
    #[wasm_bindgen(unchecked_return_type = "Transfer<Uint8Array<ArrayBuffer>>")]
    pub fn read(&self, path: Text) -> Task<Content, Progress> {
        self.transfer(|| Ok(Request::Read { path: path.get()? }))
    }

    /// Replaces or creates a file; a string is written as UTF-8. The old file stays complete until the new one is.
    #[wasm_bindgen(unchecked_return_type = "Transfer<Written>")]
    pub fn write(&self, path: Text, data: Data) -> Task<Written, Progress> {
        self.transfer(|| {
            Ok(Request::Write {
                path: path.get()?,
                data: data.bytes()?,
            })
        })
    }

    /// Writes many files and makes directories in few exchanges, in this order. A directory may exist; its parents, and
    /// the directories of files, must. A `FileError` names the path at fault; earlier entries are done.
    #[wasm_bindgen(js_name = writeTree, unchecked_return_type = "Transfer<Written>")]
    pub fn write_tree(&self, entries: NewEntries) -> Task<Written, Progress> {
        self.transfer(|| {
            Ok(Request::WriteTree {
                entries: entries.get()?,
            })
        })
    }

    /// Appends to a file, or creates it.
    #[wasm_bindgen(unchecked_return_type = "Transfer<Written>")]
    pub fn append(&self, path: Text, data: Data) -> Task<Written, Progress> {
        self.transfer(|| {
            Ok(Request::Append {
                path: path.get()?,
                data: data.bytes()?,
            })
        })
    }

    /// Removes a file or an empty directory; with `recursive`, a directory and everything below it.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn remove(&self, path: Text, options: Option<Options<RemoveOptions>>) -> Reply<()> {
        self.ask(|| match (path.get()?, Options::get(options)?.recursive) {
            (path, true) => Ok(Request::RemoveTree { path }),
            (path, false) => Ok(Request::Remove { path }),
        })
    }

    /// Makes a directory; with `parents`, also its parents, and it may exist.
    #[wasm_bindgen(js_name = makeDirectory, unchecked_return_type = "Promise<void>")]
    pub fn make_directory(
        &self,
        path: Text,
        options: Option<Options<MakeDirectoryOptions>>,
    ) -> Reply<()> {
        self.ask(|| {
            let MakeDirectoryOptions { parents } = Options::get(options)?;
            Ok(Request::MakeDirectory {
                path: path.get()?,
                parents,
            })
        })
    }

    /// Renames or moves a file or directory.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn rename(&self, from: Text, to: Text) -> Reply<()> {
        self.ask(|| {
            Ok(Request::Rename {
                from: from.get()?,
                to: to.get()?,
            })
        })
    }

    /// Creates an empty file if the file does not exist.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn touch(&self, path: Text) -> Reply<()> {
        self.ask(|| Ok(Request::Touch { path: path.get()? }))
    }

    /// Returns the size of the file system that contains `path`. Default: `/`.
    #[wasm_bindgen(unchecked_return_type = "Promise<Space>")]
    pub fn space(&self, path: Option<Text>) -> Reply<Space> {
        self.ask(|| {
            Ok(Request::Space {
                path: or(path, "/")?,
            })
        })
    }

    /// Returns a file's SHA-256 in hexadecimal, computed by the board.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn sha256(&self, path: Text) -> Reply<String> {
        self.ask(|| Ok(Request::Hash { path: path.get()? }))
    }

    /// Queries the board's abilities for transfers again.
    #[wasm_bindgen(unchecked_return_type = "Promise<Capabilities>")]
    pub fn capabilities(&self) -> Reply<Capabilities> {
        self.ask(|| Ok(Request::Capabilities))
    }
}

impl Files {
    pub(super) fn new(conversation: Rc<Conversation>) -> Self {
        Self(conversation)
    }

    fn ask<T: Answered>(&self, request: impl FnOnce() -> Result<Request, Error>) -> Reply<T> {
        let asked = request().and_then(|request| self.0.request(request, News::None));
        Reply::new(async { Ok(T::read(asked?.await?)) })
    }

    fn transfer<T: Answered>(
        &self,
        request: impl FnOnce() -> Result<Request, Error>,
    ) -> Task<T, Progress> {
        let (progress, events) = channel(Latest::default());
        let asked = request().and_then(|request| self.0.request(request, News::Progress(progress)));
        match asked {
            Err(error) => Task::failed(error),
            Ok(reply) => {
                let result = Reply::new(async { Ok(T::read(reply.await?)) });
                Task::new(result, events, self.0.canceler())
            }
        }
    }
}

#[wasm_bindgen]
extern "C" {
    /// Files and directories to write to the board; from a list of [`NewEntry`].
    #[wasm_bindgen(typescript_type = "Iterable<NewEntry>")]
    pub type NewEntries;
}

impl From<&[NewEntry]> for NewEntries {
    fn from(entries: &[NewEntry]) -> Self {
        let entries = entries.iter().map(|NewEntry { path, data }| {
            let data = data
                .as_ref()
                .map_or(JsValue::UNDEFINED, |data| Data::from(&**data).into());
            object(&[("path", path.into()), ("data", data)])
        });
        entries.collect::<Array>().unchecked_into()
    }
}

impl NewEntries {
    /// Converts any iterable of `{ path, data }`; an entry without data is a directory.
    fn get(&self) -> Result<Vec<core::NewEntry>, Error> {
        let no_entries = || Error::argument("expected the entries as an array of { path, data }");
        let entries = try_iter(self).ok().flatten().ok_or_else(no_entries)?;
        let read = |entry: Result<_, _>| new_entry(&entry.map_err(|_| no_entries())?);
        entries.map(read).collect()
    }
}

fn new_entry(entry: &JsValue) -> Result<core::NewEntry, Error> {
    let path = property(entry, "path").unchecked_into::<Text>().get()?;
    let data = property(entry, "data");
    if data.is_undefined() {
        return Ok(core::NewEntry::Directory { path });
    }
    let data = data.unchecked_into::<Data>().bytes()?;
    Ok(core::NewEntry::File { path, data })
}

fn or(path: Option<Text>, default: &str) -> Result<String, Error> {
    path.map_or_else(|| Ok(default.to_owned()), |path| path.get())
}
