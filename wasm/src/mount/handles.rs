//! Operations on the handles of a browser's files and folders (File System Standard,
//! `FileSystemHandle`).

use flylead_core::mount::{Errno, Found, LONGEST_READ};
use futures::{FutureExt, future::LocalBoxFuture};
use js_sys::{Array, AsyncIterator, IteratorNext, Promise, Uint8Array, futures::JsFuture};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    File, FileSystemCreateWritableOptions, FileSystemDirectoryHandle, FileSystemFileHandle,
    FileSystemGetDirectoryOptions, FileSystemGetFileOptions, FileSystemRemoveOptions,
    FileSystemWritableFileStream,
};

use crate::binding::values::property;

/// Result of an operation; errors of handles have the board's numbers.
pub(super) type Result<T> = std::result::Result<T, Errno>;

pub(super) async fn file_in(
    parent: &FileSystemDirectoryHandle,
    name: &str,
    create: bool,
) -> Result<FileSystemFileHandle> {
    let options = FileSystemGetFileOptions::new();
    options.set_create(create);
    let file = wait(parent.get_file_handle_with_options(name, &options)).await;
    // The browser only reports that it is another kind of entry.
    file.map(JsCast::unchecked_into)
        .map_err(|error| other_kind(error, Errno::IS_DIRECTORY))
}

pub(super) async fn directory_in(
    parent: &FileSystemDirectoryHandle,
    name: &str,
    create: bool,
) -> Result<FileSystemDirectoryHandle> {
    let options = FileSystemGetDirectoryOptions::new();
    options.set_create(create);
    let directory = wait(parent.get_directory_handle_with_options(name, &options)).await;
    directory
        .map(JsCast::unchecked_into)
        .map_err(|error| other_kind(error, Errno::NOT_DIRECTORY))
}

fn other_kind(error: Errno, kind: Errno) -> Errno {
    if error == OTHER_KIND { kind } else { error }
}

pub(super) async fn file_of(file: &FileSystemFileHandle) -> Result<File> {
    Ok(wait(file.get_file()).await?.unchecked_into())
}

pub(super) async fn read(file: &File, offset: u32, limit: u32) -> Result<Vec<u8>> {
    let start = f64::from(offset);
    let part = file.slice_with_f64_and_f64(start, start + f64::from(limit.min(LONGEST_READ)));
    let part = wait(part.map_err(|error| errno(&error))?.array_buffer()).await?;
    Ok(Uint8Array::new(&part).to_vec())
}

/// Writes a part of a file, or all of it. The browser writes to a temporary file, which finally replaces the old one.
pub(super) async fn write(
    file: &FileSystemFileHandle,
    offset: Option<u32>,
    data: &[u8],
) -> Result<()> {
    let options = FileSystemCreateWritableOptions::new();
    options.set_keep_existing_data(offset.is_some());
    let stream = wait(file.create_writable_with_options(&options)).await?;
    let stream: FileSystemWritableFileStream = stream.unchecked_into();
    let written = write_into(&stream, offset.unwrap_or_default(), data).await;
    if written.is_err() {
        // The data written so far is dropped.
        let _ = wait(stream.abort()).await;
        return written;
    }
    wait(stream.close()).await.map(drop)
}

async fn write_into(stream: &FileSystemWritableFileStream, offset: u32, data: &[u8]) -> Result<()> {
    let thrown = |error: JsValue| errno(&error);
    wait(stream.seek_with_f64(offset.into()).map_err(thrown)?).await?;
    let data = Uint8Array::from(data);
    wait(stream.write_with_js_u8_array(&data).map_err(thrown)?).await?;
    Ok(())
}

pub(super) async fn copy_file(
    file: &FileSystemFileHandle,
    parent: &FileSystemDirectoryHandle,
    name: &str,
) -> Result<()> {
    let content = wait(file_of(file).await?.array_buffer()).await?;
    let copy = file_in(parent, name, true).await?;
    write(&copy, None, &Uint8Array::new(&content).to_vec()).await
}

pub(super) fn copy_directory<'a>(
    from: &'a FileSystemDirectoryHandle,
    to: &'a FileSystemDirectoryHandle,
) -> LocalBoxFuture<'a, Result<()>> {
    async move {
        let entries = from.entries();
        while let Some((name, handle)) = next_entry(&entries).await? {
            if is_directory(&handle) {
                let inner = directory_in(to, &name, true).await?;
                copy_directory(handle.unchecked_ref(), &inner).await?;
            } else {
                copy_file(handle.unchecked_ref(), to, &name).await?;
            }
        }
        Ok(())
    }
    .boxed_local()
}

pub(super) async fn remove_from(
    parent: &FileSystemDirectoryHandle,
    name: &str,
    recursive: bool,
) -> Result<()> {
    let options = FileSystemRemoveOptions::new();
    options.set_recursive(recursive);
    wait(parent.remove_entry_with_options(name, &options))
        .await
        .map(drop)
}

pub(super) async fn list(directory: &FileSystemDirectoryHandle) -> Result<Vec<(String, Found)>> {
    let mut all = Vec::new();
    let entries = directory.entries();
    while let Some((name, handle)) = next_entry(&entries).await? {
        if is_directory(&handle) {
            all.push((name, DIRECTORY));
        } else if let Ok(file) = file_of(handle.unchecked_ref()).await {
            all.push((name, found(&file)));
        }
    }
    Ok(all)
}

fn is_directory(handle: &JsValue) -> bool {
    property(handle, "kind").as_string().as_deref() == Some("directory")
}

async fn next_entry(entries: &AsyncIterator) -> Result<Option<(String, JsValue)>> {
    let entry = next(entries).await?;
    Ok(entry.and_then(|entry| {
        let entry: Array = entry.unchecked_into();
        Some((entry.get(0).as_string()?, entry.get(1)))
    }))
}

pub(super) async fn next(entries: &AsyncIterator) -> Result<Option<JsValue>> {
    let next = entries.next().map_err(|error| errno(&error))?;
    let next: IteratorNext = wait(next).await?.unchecked_into();
    Ok((!next.done()).then(|| next.value()))
}

async fn wait(promise: Promise) -> Result<JsValue> {
    JsFuture::from(promise).await.map_err(|error| errno(&error))
}

pub(super) fn found(file: &File) -> Found {
    Found {
        is_directory: false,
        size: size(file).unwrap_or(u32::MAX),
        // Milliseconds since 1970.
        modified: (file.last_modified() / 1000.0) as u32,
    }
}

pub(super) fn size(file: &File) -> Option<u32> {
    let size = file.size();
    (size <= f64::from(u32::MAX)).then_some(size as u32)
}

/// Converts an error of a handle to MicroPython's number (File System Standard, "Supporting
/// concepts" and each method's steps).
fn errno(error: &JsValue) -> Errno {
    match property(error, "name").as_string().as_deref() {
        Some("NotFoundError") => Errno::NOT_FOUND,
        Some("TypeMismatchError") => OTHER_KIND,
        Some("InvalidModificationError") => Errno::NOT_EMPTY,
        Some("NotAllowedError" | "SecurityError") => Errno::DENIED,
        Some("NoModificationAllowedError") => Errno::READ_ONLY,
        Some("QuotaExceededError") => Errno::NO_SPACE,
        // The system does not permit this name.
        Some("TypeError") => Errno::INVALID,
        _ => Errno::IO,
    }
}

/// Error for a file in place of a folder, or the other way around, which has no number of its own.
const OTHER_KIND: Errno = Errno(0);
pub(super) const DIRECTORY: Found = Found {
    is_directory: true,
    size: 0,
    modified: 0,
};
