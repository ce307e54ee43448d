//! Each decoder with a stream of its protocol to read, compiled for the machine and for WebAssembly, so that one can be
//! measured beside the other: `cargo xtask bench decoders`.

mod streams;

use flylead_core::{
    Input, Instant, Pump,
    agent::{ParseOptions, parse},
    export::{self, Collector, Piece, RunId},
    raw_repl::{self, RawRepl},
    zylisp,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// One decoder and its stream.
#[derive(Debug)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
pub struct Course {
    stream: Vec<u8>,
    decode: fn(&[u8]) -> usize,
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
impl Course {
    /// The course with this number, from 0; `None` after the last.
    #[must_use]
    pub fn nth(number: usize) -> Option<Self> {
        let (_, stream, decode) = COURSES.get(number)?;
        Some(Self {
            stream: stream(),
            decode: *decode,
        })
    }

    /// Name of the decoded stream.
    #[must_use]
    pub fn name(number: usize) -> Option<String> {
        COURSES.get(number).map(|(name, ..)| (*name).to_owned())
    }

    /// Number of bytes that one run reads.
    #[must_use]
    pub fn length(&self) -> usize {
        self.stream.len()
    }

    /// Reads the stream once, in the pieces that links give, and answers how much was found in it: bytes of output,
    /// bytes of a body, messages.
    #[must_use]
    pub fn run(&self) -> usize {
        (self.decode)(&self.stream)
    }
}

type Row = (&'static str, fn() -> Vec<u8>, fn(&[u8]) -> usize);

const COURSES: [Row; 7] = [
    ("export, SIZE=", streams::sized, export_framing),
    ("export, BEGIN/END", streams::marked, export_framing),
    ("export, with checksums", streams::sized, export_whole),
    ("raw REPL, output", streams::output, raw_repl),
    ("agent, a long reply", streams::reply, agent),
    ("Zylisp, JSON", streams::json, |stream| {
        zylisp_messages(zylisp::Encoding::Json, stream)
    }),
    ("Zylisp, MessagePack", streams::messagepack, |stream| {
        zylisp_messages(zylisp::Encoding::MessagePack, stream)
    }),
];

/// Largest piece that a serial port's buffer or a socket's read gives.
const CHUNK: usize = 64 * 1024;

fn export_framing(stream: &[u8]) -> usize {
    let mut decoder = export::Decoder::default();
    let mut body = Vec::with_capacity(stream.len());
    for mut bytes in stream.chunks(CHUNK) {
        while let Some(piece) = decoder.next(&mut bytes) {
            if let Piece::Body(bytes) = piece {
                body.extend_from_slice(bytes);
            }
        }
    }
    body.len()
}

/// Exports with the manifest's checksums: CRC-32 and SHA-256.
fn export_whole(stream: &[u8]) -> usize {
    let mut pump = Pump::new(Collector::new(export::Config::default()));
    let run_id = RunId::new("bench").expect("a good name");
    let asked = pump.command(|device| device.export(Instant::START, &run_id));
    asked.expect("nothing else is under way");
    let now = pump.deadline().expect("the silence before the command");
    pump.handle_input(now, Input::Timeout);
    let mut length = 0;
    for bytes in stream.chunks(CHUNK) {
        pump.handle_input(now, Input::Bytes(bytes));
        while let Some(event) = pump.poll_event() {
            if let export::Event::Body(bytes) = event {
                length += bytes.len();
            }
        }
    }
    length
}

/// A program that prints a lot, from the moment it was sent.
fn raw_repl(stream: &[u8]) -> usize {
    let config = raw_repl::Config::default().raw_paste(false);
    let mut pump = Pump::new(RawRepl::new(config));
    let now = Instant::START;
    let asked = pump.command(|board| board.exec(now, b"0", None));
    asked.expect("nothing else is under way");
    pump.handle_input(now, Input::Bytes(b"raw REPL; CTRL-B to exit\r\n>"));
    let mut length = 0;
    for bytes in stream.chunks(CHUNK) {
        pump.handle_input(now, Input::Bytes(bytes));
        while let Some(event) = pump.poll_event() {
            if let raw_repl::Event::Stdout(text) = event {
                length += text.len();
            }
        }
    }
    length
}

fn agent(stream: &[u8]) -> usize {
    let text = str::from_utf8(stream).expect("a message is text");
    let inbox = parse(text, ParseOptions::default()).expect("a message with blocks");
    inbox.items.len()
}

fn zylisp_messages(encoding: zylisp::Encoding, stream: &[u8]) -> usize {
    let mut decoder = zylisp::Decoder::new(encoding, 1024 * 1024);
    let mut count = 0;
    for bytes in stream.chunks(CHUNK) {
        decoder.push(bytes, |message| count += usize::from(message.is_ok()));
    }
    count
}
