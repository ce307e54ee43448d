//! Benchmarks the search for a log in a device's output, compared with `memcpy` and a line-by-line reader, in one run.
//!
//! `cargo xtask bench export`; `-- 512` feeds chunks of 512 bytes instead of 64 KiB.
#![allow(missing_docs, reason = "a program")]

use std::{
    env,
    hint::black_box,
    io::{BufRead as _, BufReader},
    time::Instant,
};

use flylead_core::{
    Input, Instant as Moment, Pump,
    export::{Collector, Config, Decoder, Event, Piece, RunId},
};

const LOG: usize = 64 * 1024 * 1024;
const ROUNDS: usize = 9;

fn main() {
    let chunk = env::args().filter_map(|word| word.parse().ok()).next();
    let chunk = chunk.unwrap_or(64 * 1024).max(1);
    let log = log();
    let sized = [format!("SIZE={LOG}\n").as_bytes(), &log, b"\nOK\n"].concat();
    let marked = [b"BEGIN\n", &log[..], b"END\nOK\n"].concat();
    let mut sink = vec![0; LOG];
    let sink = &mut sink[..];
    let mut table: Vec<Row<'_>> = vec![
        Row::new("memcpy", Box::new(|sink| copy(&log, chunk, sink))),
        Row::new(
            "SIZE=, decoded",
            Box::new(|sink| decode(&sized, chunk, sink)),
        ),
        Row::new(
            "BEGIN/END, decoded",
            Box::new(|sink| decode(&marked, chunk, sink)),
        ),
        Row::new(
            "BEGIN/END, line by line",
            Box::new(|sink| by_lines(&marked, chunk, sink)),
        ),
        Row::new(
            "SIZE=, whole exchange",
            Box::new(|sink| collect(&sized, chunk, sink)),
        ),
        Row::new(
            "BEGIN/END, whole exchange",
            Box::new(|sink| collect(&marked, chunk, sink)),
        ),
    ];
    for _ in 0..ROUNDS {
        for row in &mut table {
            row.measure(sink, &log);
        }
    }
    report(chunk, &mut table);
}

/// Rows as loggers write them, of 10 to 30 bytes.
fn log() -> Vec<u8> {
    let mut log = b"time,value,state\n".to_vec();
    let mut number: u64 = 1;
    while log.len() < LOG {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let row = format!(
            "{}.{:03},{},ok\n",
            log.len() / 1000,
            number >> 54,
            number >> 44
        );
        log.extend_from_slice(row.as_bytes());
    }
    log.truncate(LOG - 1);
    log.push(b'\n');
    log
}

/// Method of extracting a log from a stream; it writes the log to the sink and returns its length.
type Way<'a> = Box<dyn Fn(&mut [u8]) -> usize + 'a>;

struct Row<'a> {
    name: &'static str,
    way: Way<'a>,
    rates: Vec<f64>,
}

impl<'a> Row<'a> {
    fn new(name: &'static str, way: Way<'a>) -> Self {
        Self {
            name,
            way,
            rates: Vec::new(),
        }
    }

    fn measure(&mut self, sink: &mut [u8], log: &[u8]) {
        let start = Instant::now();
        let length = (self.way)(black_box(sink));
        let seconds = start.elapsed().as_secs_f64();
        assert!(
            length == log.len() && *sink == *log,
            "{}: not the log",
            self.name
        );
        self.rates.push(LOG as f64 / 1e6 / seconds);
    }

    fn median(&mut self) -> f64 {
        self.rates.sort_by(f64::total_cmp);
        self.rates[self.rates.len() / 2]
    }
}

fn copy(log: &[u8], chunk: usize, sink: &mut [u8]) -> usize {
    let mut at = 0;
    for bytes in log.chunks(chunk) {
        put(bytes, sink, &mut at);
    }
    at
}

fn decode(stream: &[u8], chunk: usize, sink: &mut [u8]) -> usize {
    let mut decoder = Decoder::default();
    let mut at = 0;
    for mut bytes in stream.chunks(chunk) {
        while let Some(piece) = decoder.next(&mut bytes) {
            if let Piece::Body(bytes) = piece {
                put(bytes, sink, &mut at);
            }
        }
    }
    at
}

/// Loops over a port's lines, as most collectors in the field do.
fn by_lines(stream: &[u8], chunk: usize, sink: &mut [u8]) -> usize {
    let mut reader = BufReader::with_capacity(chunk, stream);
    let (mut line, mut at, mut inside) = (Vec::new(), 0, false);
    while reader
        .read_until(b'\n', &mut line)
        .is_ok_and(|length| length > 0)
    {
        match line.trim_ascii_end() {
            b"BEGIN" if !inside => inside = true,
            b"END" if inside => break,
            _ if inside => put(&line, sink, &mut at),
            _ => {}
        }
        line.clear();
    }
    at
}

/// Collects all the data that a driver requests: events, CRC-32, SHA-256, the judgment of the tail.
fn collect(stream: &[u8], chunk: usize, sink: &mut [u8]) -> usize {
    let mut pump = Pump::new(Collector::new(Config::default()));
    let run_id = RunId::new("bench").expect("a good name");
    let asked = pump.command(|device| device.export(Moment::START, &run_id));
    asked.expect("nothing else is under way");
    let now = pump.deadline().expect("the silence before the command");
    pump.handle_input(now, Input::Timeout);
    let (mut at, mut whole) = (0, false);
    for bytes in stream.chunks(chunk) {
        pump.handle_input(now, Input::Bytes(bytes));
        while let Some(event) = pump.poll_event() {
            match event {
                Event::Body(bytes) => put(&bytes, sink, &mut at),
                Event::Finished(_) => whole = true,
                _ => {}
            }
        }
    }
    assert!(whole, "the log was refused");
    at
}

fn put(bytes: &[u8], sink: &mut [u8], at: &mut usize) {
    sink[*at..*at + bytes.len()].copy_from_slice(bytes);
    *at += bytes.len();
}

fn report(chunk: usize, table: &mut [Row<'_>]) {
    let megabytes = LOG / 1024 / 1024;
    println!(
        "a log of {megabytes} MiB in chunks of {chunk} bytes, {ROUNDS} rounds in turn, written to memory\n"
    );
    println!("{:<28} {:>12} {:>18}", "", "median", "times memcpy's time");
    let memcpy = table[0].median();
    for row in table {
        let rate = row.median();
        println!("{:<28} {rate:>7.0} MB/s {:>18.2}", row.name, memcpy / rate);
    }
}
