//! A board's files.

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use flylead_core::board::{Entry, EntryKind, Request};
use flylead_native::Board;

use super::{Open, done, in_time};
use crate::mcp::{
    answer::{BoardAnswer, Fault},
    arguments::{PathArguments, PortArguments, RemoveArguments, WriteFileArguments},
    gate::{
        self, Deed, Passed,
        confirm::{Call, Stop},
    },
    ports::Ports,
};

pub(crate) async fn list(
    ports: &Ports,
    call: &Call<'_>,
    arguments: PathArguments,
) -> Result<BoardAnswer, Stop> {
    let mut open = Open::new(ports, call, &arguments.port).await?;
    let list = open.board.reading().list_without_times(arguments.path);
    let listed = open
        .cancel
        .or(async { Ok(in_time(limit(ports), list).await?) })
        .await;
    open.release().await;
    Ok(BoardAnswer {
        files: Some(listed?.into_iter().map(name).collect()),
        ..done()
    })
}

fn name(entry: Entry) -> String {
    match entry.kind {
        EntryKind::File => entry.name,
        EntryKind::Directory => entry.name + "/",
    }
}

pub(crate) async fn read(
    ports: &Ports,
    call: &Call<'_>,
    arguments: PathArguments,
) -> Result<BoardAnswer, Stop> {
    let mut open = Open::new(ports, call, &arguments.port).await?;
    let reading = read_bytes(open.board.reading(), &arguments.path, limit(ports));
    let bytes = open.cancel.or(reading).await;
    open.release().await;
    let bytes = bytes?;
    let length = bytes.len() as u64;
    let (text, base64) = match String::from_utf8(bytes) {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(BASE64_STANDARD.encode(error.as_bytes()))),
    };
    Ok(BoardAnswer {
        text,
        base64,
        untrusted: Some(true),
        bytes: Some(length),
        ..done()
    })
}

async fn read_bytes(board: &mut Board, path: &str, limit: Duration) -> Result<Vec<u8>, Stop> {
    // A board that cannot report a file's size has no room for a long file.
    if in_time(limit, board.capabilities()).await?.stat {
        let size = in_time(limit, board.stat(path)).await?.size;
        if size > LONGEST_FILE as u64 {
            return Err(too_long().into());
        }
    }
    Ok(in_time(limit, board.read(path, |_| ())).await?)
}

/// Writes a file. The old one stays until the new one is complete on the board.
pub(crate) async fn write(
    ports: &Ports,
    call: &Call<'_>,
    arguments: WriteFileArguments,
) -> Result<BoardAnswer, Stop> {
    let data = arguments.data.0;
    if data.len() > LONGEST_FILE {
        return Err(too_long().into());
    }
    let (limit, path) = (limit(ports), arguments.file.path);
    let port = &arguments.file.port;
    let mut open = Open::new(ports, call, port).await?;
    let board = &mut open.board;
    let write = async {
        let replaces = in_time(limit, board.reading().exists(&path)).await?;
        let deed = Deed::Write {
            path: &path,
            replaces,
        };
        let passed = gate::pass(ports, call, &port.port, &deed).await?;
        let board = board.changing(&passed);
        Ok(in_time(limit, board.write(path, data, |_| ())).await?)
    };
    let written = open.cancel.or(write).await;
    open.release().await;
    Ok(BoardAnswer {
        bytes: Some(written?.bytes),
        ..done()
    })
}

pub(crate) async fn make_folder(
    ports: &Ports,
    call: &Call<'_>,
    arguments: PathArguments,
) -> Result<BoardAnswer, Stop> {
    let request = Request::MakeDirectory {
        path: arguments.path,
        parents: true,
    };
    let port = &arguments.port;
    let passed = gate::pass(ports, call, &port.port, &Deed::MakeFolder).await?;
    ask(ports, call, port, request, &passed).await
}

pub(crate) async fn remove(
    ports: &Ports,
    call: &Call<'_>,
    arguments: RemoveArguments,
) -> Result<BoardAnswer, Stop> {
    let PathArguments { port, path } = arguments.file;
    let recursive = arguments.recursive;
    let deed = Deed::Remove {
        path: &path,
        recursive,
    };
    let passed = gate::pass(ports, call, &port.port, &deed).await?;
    let request = match recursive {
        true => Request::RemoveTree { path },
        false => Request::Remove { path },
    };
    ask(ports, call, &port, request, &passed).await
}

/// Sends a request whose only answer is success.
async fn ask(
    ports: &Ports,
    call: &Call<'_>,
    port: &PortArguments,
    request: Request,
    passed: &Passed,
) -> Result<BoardAnswer, Stop> {
    let mut open = Open::new(ports, call, port).await?;
    let request = open.board.changing(passed).request(request, |_| ());
    let answered = open
        .cancel
        .or(async { Ok(in_time(limit(ports), request).await?) })
        .await;
    open.release().await;
    answered?;
    Ok(done())
}

/// Returns the time limit of an exchange with a board's files.
pub(crate) fn limit(ports: &Ports) -> Duration {
    ports.settings.timeout.unwrap_or(FILE_TIMEOUT)
}

fn too_long() -> Fault {
    Fault::argument("the file is longer than 1 MiB")
}

const FILE_TIMEOUT: Duration = Duration::from_secs(120);
/// Limit in bytes.
const LONGEST_FILE: usize = 1024 * 1024;
