//! A protocol's machine without any runtime: one thread reads, this one owns the machine and the clock.
//!
//! ```sh
//! cargo run --example by_hand -- /dev/ttyACM0 'print(6 * 7)'
//! ```
//!
//! The port must be one that passes bytes as they are, such as a USB port after `stty raw`.

use std::{
    env,
    error::Error,
    fs::{File, OpenOptions},
    io::{Read as _, Write as _},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant as Clock},
};

use flylead_core::{
    Input, Instant, Pump,
    raw_repl::{Config, Event, RawRepl},
};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = env::args().skip(1).collect();
    let [port, source] = words.as_slice() else {
        return Err("by_hand PORT PROGRAM".into());
    };
    let mut port = OpenOptions::new().read(true).write(true).open(port)?;
    let chunks = read(port.try_clone()?);
    let started = Clock::now();
    let now = || Instant::after_start(started.elapsed());

    let mut repl = Pump::new(RawRepl::new(Config::default()));
    repl.command(|repl| repl.exec(now(), source.as_bytes(), None))?;
    loop {
        port.write_all(&repl.take_transmit())?;
        while let Some(event) = repl.poll_event() {
            match event {
                Event::Stdout(output) => std::io::stdout().write_all(&output)?,
                Event::Finished(outcome) => {
                    println!("{outcome}");
                    repl.command(RawRepl::leave)?;
                }
                Event::Left => return Ok(port.write_all(&repl.take_transmit())?),
                Event::Lost { reason } => return Err(reason.into()),
                _ => {}
            }
        }
        // Until bytes come, or the machine wants to look at its clock.
        let wait = repl.poll().until.map_or(DAY, |until| until - now());
        match chunks.recv_timeout(wait) {
            Ok(chunk) => repl.handle_input(now(), Input::Bytes(&chunk)),
            Err(RecvTimeoutError::Timeout) => repl.handle_input(now(), Input::Timeout),
            Err(RecvTimeoutError::Disconnected) => repl.handle_input(now(), Input::Closed),
        }
    }
}

/// Forwards the port's output as it arrives.
fn read(mut port: File) -> Receiver<Vec<u8>> {
    let (sender, chunks) = mpsc::channel();
    thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(length @ 1..) = port.read(&mut chunk) {
            if sender.send(chunk[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    chunks
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
