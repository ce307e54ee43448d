//! Reads the lines that are typed or piped into a command.

use std::{io, thread};

use tokio::sync::mpsc;

/// The lines of stdin, from a thread that may wait forever without keeping this program from its end. It begins when
/// the first one is wanted.
#[derive(Default)]
pub(crate) struct Stdin(Option<mpsc::Receiver<io::Result<String>>>);

impl Stdin {
    /// The next line; nothing at the end.
    pub(crate) async fn line(&mut self) -> io::Result<Option<String>> {
        self.0
            .get_or_insert_with(lines_of_stdin)
            .recv()
            .await
            .transpose()
    }
}

fn lines_of_stdin() -> mpsc::Receiver<io::Result<String>> {
    let (sender, lines) = mpsc::channel(1);
    thread::spawn(move || {
        for line in io::stdin().lines() {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
