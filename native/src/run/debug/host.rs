//! A program that runs under the debugger on its own, and that editors attach to through the Debug Adapter Protocol.

use std::{future::pending, time::Duration};

use flylead_core::{
    debug::{
        End, Launch, Note, Project,
        dap::{Adapter, Want},
    },
    raw_repl::{Config, RawRepl},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::mpsc::Receiver,
    time::{self, timeout},
};

use super::{
    conversation::{self, Conversation},
    dap::{CHUNK, busy},
};
use crate::{Driver, link::Link, os::time::sleep_until};

/// Program to run, and the way in which it starts.
#[derive(Debug)]
pub struct Hosted {
    /// The program's files.
    pub project: Project,
    /// Settings of the debugger.
    pub launch: Launch,
    /// True if the files are only on the board.
    pub boot: bool,
    /// True to reset the board first.
    pub reset: bool,
    /// True if the first editor that attaches starts the program.
    pub wait: bool,
}

/// Text to print where a hosted program was started.
#[derive(Debug)]
pub enum Printed<'a> {
    /// Output of the program.
    Output(&'a [u8]),
    /// Note about the debugger and the board.
    Note(&'a Note),
}

/// External event for a hosted program.
#[derive(Debug)]
pub enum Visit<C> {
    /// An editor has connected.
    Editor(C),
    /// A person has pressed Ctrl-C: the first ends the program, and the second does not wait for that.
    Interrupt,
}

/// Runs a program until it has ended and its editor has left. Editors attach to it, one at a time, and a second one is
/// refused. `print` takes the program's output and notes about it. The program ends when `visits` is closed.
///
/// After an editor has left, the program continues without its breakpoints, unless the editor requested its end.
///
/// # Errors
/// The board cannot be reset, or the program did not end when requested.
pub async fn run<C>(
    link: Link,
    program: Hosted,
    mut visits: Receiver<Visit<C>>,
    print: impl FnMut(Printed<'_>),
) -> Result<End, String>
where
    C: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut driver = Driver::spawn(link, RawRepl::new(Config::default()));
    if program.reset {
        conversation::reset(&mut driver).await?;
    }
    let Hosted {
        project,
        launch,
        boot,
        reset,
        wait,
    } = program;
    let mut adapter = Adapter::host(project, launch, boot, reset);
    if !wait {
        adapter.start();
    }
    let mut host = Host {
        conversation: Conversation::new(adapter, Some(driver)),
        editor: None,
        next: None,
        end: None,
        is_alone: false,
        print,
    };
    let end = host.run(&mut visits).await;
    host.conversation.leave().await;
    end
}

struct Host<C, P> {
    conversation: Conversation,
    editor: Option<C>,
    /// Editor that has connected before the last one has left, and the time at which it is sent away.
    next: Option<(C, time::Instant)>,
    end: Option<End>,
    /// True if no more visits will arrive.
    is_alone: bool,
    print: P,
}

impl<C, P> Host<C, P>
where
    C: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    P: FnMut(Printed<'_>),
{
    async fn run(&mut self, visits: &mut Receiver<Visit<C>>) -> Result<End, String> {
        let mut chunk = vec![0; CHUNK];
        loop {
            while let Some(want) = self.conversation.adapter.poll_want() {
                self.carry_out(want).await;
            }
            if self.editor.is_none() {
                if let Some(end) = self.end.take() {
                    return Ok(end);
                }
                self.editor = self.next.take().map(|(editor, _)| editor);
            }
            self.limit_end();
            let due = self.conversation.due();
            let give_up = self.conversation.give_up;
            let sent_away = self.next.as_ref().map(|(_, due)| *due);
            tokio::select! {
                read = read(&mut self.editor, &mut chunk) => self.received(&chunk[..read]),
                event = self.conversation.event() => self.conversation.heard(&event),
                () = sleep_until(due) => self.conversation.time_out(),
                () = sleep_until(sent_away) => self.send_away(),
                () = sleep_until(give_up) => return self.end.take().ok_or_else(|| GAVE_UP.into()),
                visit = visits.recv(), if !self.is_alone => match visit {
                    Some(Visit::Editor(editor)) => self.connected(editor),
                    Some(Visit::Interrupt) if give_up.is_some() => {
                        return self.end.take().ok_or_else(|| GAVE_UP.into());
                    }
                    Some(Visit::Interrupt) => self.terminate(),
                    None => {
                        self.is_alone = true;
                        self.terminate();
                    }
                },
            }
        }
    }

    /// Limits the time of a program that was asked to end, and of an editor whose program has ended.
    fn limit_end(&mut self) {
        let is_last = self.end.is_some() || self.conversation.adapter.is_ending();
        match self.conversation.give_up {
            None if is_last => self.conversation.end_soon(),
            Some(_) if !is_last => self.conversation.give_up = None,
            _ => {}
        }
    }

    async fn carry_out(&mut self, want: Want) {
        match want {
            Want::Transmit(bytes) => self.transmit(&bytes).await,
            Want::Print(bytes) => (self.print)(Printed::Output(&bytes)),
            Want::Note(note) => (self.print)(Printed::Note(&note)),
            Want::Ended(end) => self.end = Some(end),
            Want::Reset => self.conversation.reset().await,
            Want::Board(action) => self.conversation.act(action).await,
            // An adapter whose program runs already launches none.
            Want::Open(_) => {}
            Want::End => {
                if let Some(mut editor) = self.editor.take() {
                    let _ = timeout(PATIENCE, editor.shutdown()).await;
                }
                self.conversation.adapter.next_editor();
            }
        }
    }

    /// Sends to the editor, if there is one. An editor that stops reading is disconnected.
    async fn transmit(&mut self, bytes: &[u8]) {
        let Some(editor) = &mut self.editor else {
            return;
        };
        let sent = timeout(PATIENCE, async {
            editor.write_all(bytes).await?;
            editor.flush().await
        });
        if !matches!(sent.await, Ok(Ok(()))) {
            self.left();
        }
    }

    /// Passes on an editor's message; none is the end of its connection.
    fn received(&mut self, bytes: &[u8]) {
        let now = self.conversation.now();
        let adapter = &mut self.conversation.adapter;
        if bytes.is_empty() || adapter.receive(now, bytes).is_err() {
            self.left();
        }
    }

    fn left(&mut self) {
        self.editor = None;
        let now = self.conversation.now();
        self.conversation.adapter.closed(now);
    }

    fn connected(&mut self, editor: C) {
        match self.editor {
            None => self.editor = Some(editor),
            Some(_) => {
                self.send_away();
                self.next = Some((editor, time::Instant::now() + PATIENCE));
            }
        }
    }

    /// Tells the waiting editor that another one is attached.
    fn send_away(&mut self) {
        let Some((mut editor, _)) = self.next.take() else {
            return;
        };
        tokio::spawn(async move {
            // An editor that is gone needs no answer.
            let _ = timeout(PATIENCE, editor.write_all(&busy())).await;
            let _ = timeout(PATIENCE, editor.shutdown()).await;
        });
    }

    fn terminate(&mut self) {
        let now = self.conversation.now();
        self.conversation.adapter.terminate_program(now);
    }
}

/// Reads from the editor, and returns the number of bytes: none if it has left. Waits forever if there is no editor.
async fn read<C: AsyncRead + Unpin>(editor: &mut Option<C>, chunk: &mut [u8]) -> usize {
    match editor {
        Some(editor) => editor.read(chunk).await.unwrap_or(0),
        None => pending().await,
    }
}

const GAVE_UP: &str =
    "the program did not end when it was asked to; `flylead reset` restarts the board";
/// Time that an editor has to leave for the next one, and to read.
const PATIENCE: Duration = Duration::from_secs(2);
