//! Reads the lines that are typed or piped into a command.

use std::{io, thread};

use tokio::sync::mpsc;

/// Lines of stdin, read by a thread that may wait forever without keeping this program from ending. The thread starts
/// when the first line is requested.
#[derive(Default)]
pub(crate) struct Stdin(Option<mpsc::Receiver<io::Result<String>>>);

impl Stdin {
    /// Returns the next line; `None` at the end.
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
