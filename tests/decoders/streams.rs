//! Streams for the decoders: a few MiB each, as real devices, chats and clients send them.

use flylead_core::zylisp::{Encoding, Message, Status};

/// A log of rows of 10 to 30 bytes, its size before it.
pub(crate) fn sized() -> Vec<u8> {
    let log = log();
    [format!("SIZE={}\n", log.len()).as_bytes(), &log, b"\nOK\n"].concat()
}

/// Returns the log between marks.
pub(crate) fn marked() -> Vec<u8> {
    [b"BEGIN\n", &log()[..], b"END\nOK\n"].concat()
}

/// Returns a program's output without an exception at its end.
pub(crate) fn output() -> Vec<u8> {
    [b"OK", &log()[..], b"\x04\x04>"].concat()
}

/// A few sentences, then a file, and again.
pub(crate) fn reply() -> Vec<u8> {
    let line = "    let total = items.iter().map(|item| item.price * item.count).sum::<u64>();\n";
    let block = format!(
        "I write the file that adds the prices up.\n[CREATE_FILE path=\"src/main.rs\"]\n{}[/CREATE_FILE]\n",
        line.repeat(400)
    );
    block.repeat(LENGTH / block.len()).into_bytes()
}

/// Requests and replies in turn.
pub(crate) fn json() -> Vec<u8> {
    messages(Encoding::Json)
}

/// Returns the messages in MessagePack.
pub(crate) fn messagepack() -> Vec<u8> {
    messages(Encoding::MessagePack)
}

fn log() -> Vec<u8> {
    let mut log = b"time,value,state\n".to_vec();
    let mut number: u64 = 1;
    while log.len() < LENGTH {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let (seconds, fraction, value) = (log.len() / 1000, number >> 54, number >> 44);
        log.extend_from_slice(format!("{seconds}.{fraction:03},{value},ok\n").as_bytes());
    }
    log
}

fn messages(encoding: Encoding) -> Vec<u8> {
    let mut stream = Vec::new();
    for id in 0.. {
        encoding.encode(&request(id), &mut stream);
        encoding.encode(&answer(id), &mut stream);
        if stream.len() >= LENGTH {
            break;
        }
    }
    stream
}

fn request(id: u64) -> Message {
    Message {
        op: "eval".into(),
        id: id.to_string(),
        code: Some("(map (lambda (x) (* x x)) (list 1 2 3 4))".into()),
        ..Message::default()
    }
}

fn answer(id: u64) -> Message {
    Message {
        id: id.to_string(),
        value: Some("(1 4 9 16)".into()),
        output: Some("squares\n".into()),
        status: vec![Status::Done],
        ..Message::default()
    }
}

const LENGTH: usize = 8 * 1024 * 1024;
