//! Dispatches a board's events to their callers.

use std::{
    cell::{Cell, RefCell},
    fmt,
    ops::ControlFlow,
    rc::{Rc, Weak},
    time::Duration,
};

use flylead_core::{
    Instant,
    board::{self, Answer, Board, Event, Request},
    raw_repl::{self, CommandError},
};
use futures::channel::oneshot;

use super::{AttachOptions, Mode, Progress};
use crate::{
    binding::channel::{Bytes, Latest, Receiver, Sender, channel},
    binding::ending::Ending,
    binding::error::Error,
    driver::{Application, Driver},
    link::Link,
    task::Reply,
};

/// Conversation with one board, shared by the board, its files and its terminal.
#[derive(Debug)]
pub(super) struct Conversation {
    driver: Rc<Driver<Board>>,
    pub(super) session: Rc<Session>,
}

impl Conversation {
    pub(super) fn begin(link: Link, options: &AttachOptions) -> Rc<Self> {
        let machine = Board::new(options.config(link.is_text_only));
        let session = Rc::new(Session::new(options.output_limit()));
        let driver = Driver::spawn(link, machine, Rc::clone(&session));
        Rc::new(Self { driver, session })
    }

    pub(super) fn mode(&self) -> Mode {
        self.session.mode(&self.driver)
    }

    /// Begins a request; only one can be in progress.
    pub(super) fn request(&self, request: Request, news: News) -> Result<Reply<Answer>, Error> {
        if self.session.pending.borrow().is_some() {
            return Err(CommandError::Busy.into());
        }
        let path = path_of(&request).to_owned();
        self.command(|board, now| board.request(now, request))?;
        let (answer, reply) = Reply::channel();
        self.session.pending.replace(Some(Pending {
            answer,
            news,
            path,
            under_way: Rc::new(()),
        }));
        Ok(reply)
    }

    pub(super) fn command(
        &self,
        command: impl FnOnce(&mut Board, Instant) -> Result<(), CommandError>,
    ) -> Result<(), Error> {
        self.session.ending.check()?;
        self.driver.command(command).map_err(Error::from)
    }

    /// Returns a function that stops the request that has just begun, while it is in progress.
    pub(super) fn canceler(&self) -> impl Fn() + 'static {
        let pending = self.session.pending.borrow();
        let begun = pending.as_ref().map(|pending| &pending.under_way);
        let begun = begun.map_or_else(Weak::new, Rc::downgrade);
        let driver = Rc::clone(&self.driver);
        move || {
            if begun.strong_count() > 0 {
                // Refused only once the conversation has ended, and then there is nothing to cancel.
                let _ = driver.command(|board, now| board.stop(now, CANCEL_TIMEOUT));
            }
        }
    }

    pub(super) fn close(&self) {
        self.driver.close();
        self.session.close();
    }
}

/// State of one board: the request in progress, the listeners, and the end.
pub(super) struct Session {
    pub(super) output_limit: usize,
    pub(super) ending: Ending,
    pub(super) unread_terminal: RefCell<Option<Receiver<Bytes>>>,
    /// `None` once the conversation has ended.
    terminal: RefCell<Option<Sender<Bytes>>>,
    pending: RefCell<Option<Pending>>,
    mode: Cell<Mode>,
    listeners: RefCell<Vec<Weak<ModeListener>>>,
}

/// The single request in progress.
struct Pending {
    answer: oneshot::Sender<Result<Answer, Error>>,
    news: News,
    /// Path for error messages.
    path: String,
    /// Alive while there is something to cancel.
    under_way: Rc<()>,
}

/// Receiver of events before the answer.
pub(super) enum News {
    None,
    /// Receives a program's output as it arrives.
    Output(Sender<Bytes>),
    /// Collects a program's output, up to one byte more than the limit.
    Collected(Rc<RefCell<Vec<u8>>>),
    /// Receives the progress of a transfer.
    Progress(Sender<Latest<Progress>>),
}

/// Listener that is called with each new mode of a board, until it is dropped.
#[must_use = "a listener that is dropped is not called"]
pub struct Listener(#[expect(dead_code, reason = "it is held, not called")] Rc<ModeListener>);

type ModeListener = dyn Fn(Mode);

impl Session {
    pub(super) fn new(output_limit: usize) -> Self {
        let (terminal, unread_terminal) = channel(Bytes::new(output_limit));
        Self {
            output_limit,
            ending: Ending::default(),
            unread_terminal: RefCell::new(Some(unread_terminal)),
            terminal: RefCell::new(Some(terminal)),
            pending: RefCell::default(),
            mode: Cell::new(Mode::Normal),
            listeners: RefCell::default(),
        }
    }

    fn mode(&self, driver: &Driver<Board>) -> Mode {
        let mode = if self.ending.is_over() {
            raw_repl::Mode::Lost
        } else {
            driver.inspect(Board::mode)
        };
        (&mode).into()
    }

    pub(super) fn listen(&self, listener: Rc<ModeListener>) -> Listener {
        self.listeners.borrow_mut().push(Rc::downgrade(&listener));
        Listener(listener)
    }

    /// Ends the request in progress because the application closed the board.
    fn close(&self) {
        if self.ending.end(None) {
            self.pending.take();
            self.terminal.take();
            self.tell_mode(Mode::Lost);
        }
    }

    fn lose(&self, error: Error) {
        self.settle(Err(error.clone()));
        self.terminal.take();
        self.ending.end(Some(error));
        self.tell_mode(Mode::Lost);
    }

    fn settle(&self, answer: Result<Answer, Error>) {
        if let Some(pending) = self.pending.take() {
            // Refused if the receiver is gone.
            let _ = pending.answer.send(answer);
        }
    }

    fn tell_mode(&self, mode: Mode) {
        if self.mode.replace(mode) == mode {
            return;
        }
        let mut listeners = self.listeners.borrow_mut();
        listeners.retain(|listener| listener.strong_count() > 0);
        // A listener may add or remove listeners, so they are called from a copy.
        let present = listeners.clone();
        drop(listeners);
        for listener in present.iter().filter_map(Weak::upgrade) {
            listener(mode);
        }
    }

    fn on_terminal(&self, bytes: Vec<u8>) {
        if let Some(terminal) = &mut *self.terminal.borrow_mut() {
            terminal.send(bytes);
        }
    }

    fn on_stdout(&self, driver: &Driver<Board>, bytes: Vec<u8>) {
        let overflows = match self.pending.borrow_mut().as_mut() {
            Some(pending) => pending.news.output(bytes, self.output_limit),
            None => false,
        };
        if overflows {
            // Refused only once the conversation has ended, and then the program has, too.
            let _ = driver.command(Board::interrupt);
        }
    }

    fn on_progress(&self, progress: board::Progress) {
        if let Some(Pending {
            news: News::Progress(sender),
            ..
        }) = &mut *self.pending.borrow_mut()
        {
            sender.send(progress.into());
        }
    }

    fn on_answer(&self, answer: Result<Answer, board::Error>) {
        let answer = answer.map_err(|error| {
            let pending = self.pending.borrow();
            let path = pending.as_ref().map_or("", |pending| &pending.path);
            Error::file(&error, path)
        });
        self.settle(answer);
    }
}

impl Application<Board> for Session {
    fn event(&self, driver: &Driver<Board>, event: Event) -> ControlFlow<()> {
        match event {
            Event::Terminal(bytes) => self.on_terminal(bytes),
            Event::Stdout(bytes) => self.on_stdout(driver, bytes),
            Event::Progress(progress) => self.on_progress(progress),
            // The loss itself comes next, and includes the error of the link.
            Event::Answered(Err(board::Error::Lost(_)))
            | Event::Stopped(_)
            | Event::Released(_)
            | Event::Content(_) => {}
            Event::Answered(answer) => self.on_answer(answer),
            Event::Lost { reason } => {
                self.lose(Error::lost_board(&reason, driver.fault()));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn settled(&self, driver: &Driver<Board>) {
        self.tell_mode(self.mode(driver));
    }
}

impl News {
    /// Takes output of a program. Returns `true` once, when it exceeds the limit and the program should stop.
    fn output(&mut self, bytes: Vec<u8>, limit: usize) -> bool {
        match self {
            Self::Output(sender) => sender.send(bytes),
            Self::Collected(stdout) => {
                let mut stdout = stdout.borrow_mut();
                let was_full = stdout.len() > limit;
                stdout.extend(bytes);
                stdout.truncate(limit.saturating_add(1));
                return !was_full && stdout.len() > limit;
            }
            Self::Progress(_) | Self::None => {}
        }
        false
    }
}

/// Time for which Ctrl-C is repeated to a program that does not stop.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the path of a request; empty if it has none.
fn path_of(request: &Request) -> &str {
    match request {
        Request::List { path, .. }
        | Request::Tree { path, .. }
        | Request::Stat { path }
        | Request::Read { path }
        | Request::ReadStream { path }
        | Request::Write { path, .. }
        | Request::Append { path, .. }
        | Request::Remove { path }
        | Request::RemoveTree { path }
        | Request::MakeDirectory { path, .. }
        | Request::Rename { from: path, .. }
        | Request::Touch { path }
        | Request::Space { path }
        | Request::Hash { path } => path,
        // An error of one of many entries names its own path.
        Request::WriteTree { .. }
        | Request::Enter
        | Request::Exec { .. }
        | Request::SoftReset
        | Request::Leave
        | Request::Capabilities => "",
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}
