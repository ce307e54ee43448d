//! Names of a request's fields.

use alloc::{format, string::String};

use crate::zylisp::{
    codec::{Field, Level, Request},
    message::Message,
};

/// Maps a name in the message itself or in its `data`: Go's message type lacks separate fields for most of them.
pub(super) fn field(level: Level, name: &[u8]) -> Option<Field> {
    Some(match (level, name) {
        (Level::Top, b"op") => Field::Op,
        (Level::Top, b"id") => Field::Id,
        (Level::Top, b"session") => Field::Session,
        (Level::Top, b"code") => Field::Code,
        (Level::Top, b"stream") => Field::Stream,
        (_, b"file") => Field::File,
        (_, b"file-path") => Field::FilePath,
        (_, b"file-name") => Field::FileName,
        (_, b"interrupt-id") => Field::InterruptId,
        (Level::Data, b"token") => Field::Token,
        (_, b"line") => Field::Line,
        (_, b"column") => Field::Column,
        (_, b"prefix") => Field::Prefix,
        (_, b"symbol" | b"sym") => Field::Symbol,
        (_, b"stdin") => Field::Input,
        (Level::Data, b"page") => Field::Page,
        _ => return None,
    })
}

/// Converts a message of a client in the same process to a request.
pub(super) fn request_of(message: Message) -> Request {
    let mut request = Request::default();
    let mut set = |field, value: String| request.set(field, Level::Top, value);
    set(Field::Op, message.op);
    set(Field::Id, message.id);
    if message.stream {
        set(Field::Stream, "true".into());
    }
    let texts = [
        (Field::Session, message.session),
        (Field::Code, message.code),
        (Field::File, message.file),
        (Field::FilePath, message.file_path),
        (Field::FileName, message.file_name),
        (Field::InterruptId, message.interrupt_id),
    ];
    for (field, value) in texts {
        if let Some(value) = value {
            set(field, value);
        }
    }
    for (key, value) in message.data.into_iter().flatten() {
        if let Some(field) = field(Level::Data, key.as_bytes()) {
            let text = match value {
                serde_json::Value::String(text) => text,
                other => format!("{other}"),
            };
            request.set(field, Level::Data, text);
        }
    }
    request
}
