//! Machine between a board and its other client.

use alloc::{boxed::Box, collections::VecDeque, string::String, vec::Vec};
use core::mem;

use super::{
    answer::{self, Answer, Errno},
    event::{Event, Failure, QuestionId},
    frames::{Frames, Piece},
    install::{Config, WINDOW},
    question,
    reset::{Action, Reset, ResetWatch, Suspicion},
};
use crate::{Input, Instant, Machine, Output, board::Capabilities, raw_repl::CommandError};

mod exchange;
mod skip;
mod work;

use exchange::Exchange;
use skip::Skip;
use work::{Banners, Then, Work};

/// A host's folder mounted on a board.
///
/// The machine sits transparently between the board and any other client: the client's data goes to the board by
/// [`send`](Self::send), and the board's output for the client arrives as [`Event::Output`]. Requests of programs for
/// the folder arrive as [`Event::Asked`], and are [answered](Self::answer).
///
/// A client that types at the prompt through the machine, with the one-page [driver](crate::Pump):
///
/// ```
/// use flylead_core::mount::{Config, Event, Mount};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/driver.rs"));
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// # let (mut socket, mut board) = UnixStream::pair()?;
/// # board.write_all(b"1+1\r\n2\r\n>>> ")?;
/// let mut mount = Pump::new(Mount::new(Config::new("/remote")?));
/// mount.command(|mount| mount.send(Instant::START, b"1+1\r"));
/// let mut shown = Vec::new();
/// drive(&mut socket, &mut mount, |_, event| match event {
///     Event::Output(output) => {
///         shown.extend(output);
///         !shown.ends_with(b">>> ")
///     }
///     _ => true,
/// })?;
/// assert_eq!(shown, b"1+1\r\n2\r\n>>> ");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Mount {
    config: Config,
    state: State,
    frames: Frames,
    watch: ResetWatch,
    /// Set while a restart of the board is suspected.
    suspicion: Option<Suspicion>,
    board: Option<Capabilities>,
    /// The board's directory before the folder was mounted.
    directory: Option<String>,
    is_mounted: bool,
    /// True if the board has refused the folder once after a restart.
    was_refused: bool,
    exchange: Option<Exchange>,
    /// The last question, and the frame that answered it: the board repeats a question whose answer it did not get.
    last: Option<(Vec<u8>, Vec<u8>)>,
    asked: u32,
    /// Input typed during an answer.
    typed: Vec<u8>,
    output: VecDeque<Output<Event>>,
}

#[derive(Debug)]
enum State {
    /// Output of the board passes to the client, up to the end of a banner after this many bytes that the client has
    /// seen.
    Passing {
        skips: Option<Skip>,
    },
    /// The folder is being mounted or unmounted.
    Working(Box<Work>),
    Lost,
}

impl Mount {
    /// Creates a machine with nothing mounted yet.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            state: State::Passing { skips: None },
            frames: Frames::default(),
            watch: ResetWatch::new(),
            suspicion: None,
            board: None,
            directory: None,
            is_mounted: false,
            was_refused: false,
            exchange: None,
            last: None,
            asked: 0,
            typed: Vec::new(),
            output: VecDeque::new(),
        }
    }

    /// Mounts the folder, interrupting any program on the board. [`Event::Mounted`] or [`Event::Failed`] follows, with
    /// the board at its normal prompt. From then on, the folder is mounted again after each reset, before the client
    /// sees the prompt.
    ///
    /// # Errors
    /// [`CommandError::Busy`] while the folder is already being mounted or unmounted, [`CommandError::Lost`] after the
    /// link has closed.
    pub fn mount(&mut self, now: Instant) -> Result<(), CommandError> {
        self.begin(now, |mount, now| {
            Work::mount(now, None, &mount.config, Then::Prompt, Banners::One)
        })
    }

    /// Unmounts the folder. [`Event::Unmounted`] or [`Event::Failed`] follows.
    ///
    /// # Errors
    /// Those of [`mount`](Self::mount).
    pub fn unmount(&mut self, now: Instant) -> Result<(), CommandError> {
        self.is_mounted = false;
        self.begin(now, |mount, now| {
            Work::unmount(now, &mount.config, mount.directory.as_deref())
        })
    }

    /// Sends the client's data to the board: immediately, or once the board has its answer. Returns false if there was
    /// not enough space.
    pub fn send(&mut self, now: Instant, bytes: &[u8]) -> bool {
        let has_room = self.typed.len() + bytes.len() <= TYPED_LIMIT;
        if has_room {
            self.typed.extend_from_slice(bytes);
            self.send_typed(now);
        }
        has_room
    }

    /// Answers a question. An answer that the board is not waiting for is ignored.
    pub fn answer(&mut self, now: Instant, id: QuestionId, answer: &Answer) {
        let inflates = self.board.as_ref().is_some_and(|board| board.inflate);
        let Some(exchange) = self.exchange.as_mut().filter(|exchange| exchange.is(id)) else {
            return;
        };
        let frame = answer::frame(exchange.number(), answer, inflates);
        self.last = Some((exchange.question().to_vec(), frame.clone()));
        exchange.answer(now, frame);
        self.go_on(now);
    }

    /// Returns true if the folder is mounted, as far as is known.
    #[must_use]
    pub const fn is_mounted(&self) -> bool {
        self.is_mounted
    }

    /// Returns the capabilities of the board, once the folder is mounted.
    #[must_use]
    pub const fn capabilities(&self) -> Option<&Capabilities> {
        self.board.as_ref()
    }

    fn begin(
        &mut self,
        now: Instant,
        work: impl FnOnce(&Self, Instant) -> Work,
    ) -> Result<(), CommandError> {
        match self.state {
            State::Passing { .. } => {}
            State::Working(_) => return Err(CommandError::Busy),
            State::Lost => return Err(CommandError::Lost),
        }
        self.dismiss_suspicion();
        self.drop_exchange();
        let work = work(self, now);
        self.state = State::Working(Box::new(work));
        self.work(now);
        Ok(())
    }

    fn drop_exchange(&mut self) {
        self.exchange = None;
        self.last = None;
    }

    fn report(&mut self, event: Event) {
        self.output.push_back(Output::Event(event));
    }

    fn transmit(&mut self, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.output.push_back(Output::Transmit(bytes));
        }
    }

    fn send_typed(&mut self, now: Instant) {
        let is_free = self.exchange.is_none()
            && self.suspicion.is_none()
            && matches!(self.state, State::Passing { .. });
        if is_free && !self.typed.is_empty() {
            let typed = mem::take(&mut self.typed);
            self.watch.typed(now, &typed);
            self.transmit(typed);
        }
    }
}

/// Handling of the board's output.
impl Mount {
    fn take(&mut self, now: Instant, piece: Piece) {
        match piece {
            Piece::Text(text) => self.take_text(now, text),
            Piece::Question(payload) => self.ask(now, payload),
            Piece::Credit(bytes) => {
                if let Some(exchange) = &mut self.exchange {
                    exchange.credit(now, bytes);
                    self.go_on(now);
                }
            }
            Piece::Typed(typed) => self.transmit(typed),
        }
    }

    fn take_text(&mut self, now: Instant, text: Vec<u8>) {
        match &mut self.state {
            State::Working(work) => {
                work.handle(now, Input::Bytes(&text));
                self.work(now);
            }
            State::Passing { skips: Some(skip) } => {
                let end = skip.find_end(&text);
                // This is the requested banner; the next one is not.
                let _ = self.watch.find(now, &text[..end.unwrap_or(text.len())]);
                if let Some(length) = end {
                    self.state = State::Passing { skips: None };
                    self.take_text(now, text[length..].to_vec());
                }
            }
            State::Passing { skips: None } => self.pass_on(now, text),
            State::Lost => {}
        }
    }

    /// Passes text to the client. After a restart, the folder is mounted before the client sees the prompt.
    fn pass_on(&mut self, now: Instant, mut text: Vec<u8>) {
        if let Some(suspicion) = &mut self.suspicion {
            let mut output = Vec::new();
            let end = suspicion.push(now, &text, &mut output);
            self.report_output(output);
            if let Some(length) = end {
                self.restarted(now, text.split_off(length));
            }
            return;
        }
        let reset = self.watch.find(now, &text).filter(|_| self.is_mounted);
        let Some((length, reset)) = reset else {
            return self.report_output(text);
        };
        let rest = text.split_off(length);
        if reset == Reset::Raw {
            text.pop();
        }
        self.report_output(text);
        self.suspicion = Some(Suspicion::new(now, reset));
        if !rest.is_empty() {
            self.pass_on(now, rest);
        }
    }

    /// Handles the board's answer that it is at its prompt, and the output after it.
    fn restarted(&mut self, now: Instant, rest: Vec<u8>) {
        let Some(suspicion) = self.suspicion.take() else {
            return;
        };
        self.drop_exchange();
        let banners = Banners::after(self.watch.may_answer() || suspicion.may_answer_again());
        self.mount_again(now, Then::after(suspicion.reset()), banners);
        if !rest.is_empty() {
            self.take_text(now, rest);
        }
        self.work(now);
    }

    fn dismiss_suspicion(&mut self) {
        if let Some(suspicion) = self.suspicion.take() {
            self.report_output(suspicion.dismiss());
        }
    }

    fn report_output(&mut self, text: Vec<u8>) {
        if !text.is_empty() {
            self.report(Event::Output(text));
        }
    }

    fn ask(&mut self, now: Instant, payload: Vec<u8>) {
        // The folder sends a request, so it is mounted.
        self.dismiss_suspicion();
        if self
            .exchange
            .as_ref()
            .is_some_and(|exchange| exchange.asks(&payload))
        {
            return;
        }
        let Some((number, question)) = question::parse(&payload) else {
            return;
        };
        self.asked = self.asked.wrapping_add(1);
        let id = QuestionId(self.asked);
        let known = self.last.take().filter(|(last, _)| *last == payload);
        let mut exchange = Exchange::new(id, number, payload);
        if let Some((question, frame)) = known {
            exchange.answer(now, frame.clone());
            self.last = Some((question, frame));
            self.exchange = Some(exchange);
            return self.go_on(now);
        }
        self.exchange = Some(exchange);
        match question {
            Some(question) => self.report(Event::Asked(id, question)),
            None => self.answer(now, id, &Err(Errno::INVALID)),
        }
    }

    /// Sends as much as the board has room for.
    fn go_on(&mut self, now: Instant) {
        let Some(exchange) = &mut self.exchange else {
            return;
        };
        let (bytes, is_done) = exchange.take();
        if is_done {
            self.exchange = None;
        }
        self.transmit(bytes);
        self.send_typed(now);
    }
}

/// Handling of time, and of the steps to a mounted folder.
impl Mount {
    fn deadline(&self) -> Option<Instant> {
        let frame = self.frames.deadline();
        let exchange = self.exchange.as_ref().and_then(Exchange::deadline);
        let work = match &self.state {
            State::Working(work) => work.deadline(),
            State::Passing { .. } | State::Lost => None,
        };
        let suspicion = self.suspicion.as_ref().map(Suspicion::deadline);
        [frame, exchange, work, suspicion]
            .into_iter()
            .flatten()
            .min()
    }

    fn wake(&mut self, now: Instant) {
        let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if is_due(self.frames.deadline()) {
            let mut pieces = Vec::new();
            self.frames.give_up(now, &mut pieces);
            pieces.into_iter().for_each(|piece| self.take(now, piece));
        }
        self.wake_suspicion(now);
        if is_due(self.exchange.as_ref().and_then(Exchange::deadline)) {
            match self
                .exchange
                .as_mut()
                .and_then(|exchange| exchange.fill(now))
            {
                Some(filler) => self.transmit(filler),
                None => self.exchange = None,
            }
            self.send_typed(now);
        }
        if let State::Working(work) = &mut self.state
            && is_due(work.deadline())
        {
            work.handle(now, Input::Timeout);
            self.work(now);
        }
    }

    fn wake_suspicion(&mut self, now: Instant) {
        let is_due = |suspicion: &&mut Suspicion| suspicion.deadline() <= now;
        let Some(suspicion) = self.suspicion.as_mut().filter(is_due) else {
            return;
        };
        match suspicion.wake(now) {
            Action::Ask(question) => self.transmit(question),
            Action::Dismiss(output) => {
                self.suspicion = None;
                self.report_output(output);
                self.send_typed(now);
            }
        }
    }

    /// Handles the work's output and its end.
    fn work(&mut self, now: Instant) {
        let State::Working(work) = &mut self.state else {
            return;
        };
        let done = work.run(now, &self.config);
        let sent = work.take_transmit();
        self.watch.sent(now, &sent);
        self.transmit(sent);
        let Some(done) = done else { return };
        let State::Working(work) = mem::replace(&mut self.state, State::Passing { skips: None })
        else {
            return;
        };
        self.board = work.board().cloned().or(self.board.take());
        self.directory = work.directory().or(self.directory.take());
        let then = work.then();
        let was_refused = mem::replace(&mut self.was_refused, false);
        if !was_refused && then != Then::Prompt && matches!(done, Err(Failure::Raised(_))) {
            return self.try_again(now, then);
        }
        self.finish(now, then, done);
    }

    /// Tries again: input from the client during the restart may have mixed with the program that mounts the folder.
    fn try_again(&mut self, now: Instant, then: Then) {
        self.was_refused = true;
        self.mount_again(now, then, Banners::after(self.watch.may_answer()));
        self.work(now);
    }

    /// Mounts again after a restart: input sent to the board in the meantime may still be pending, and is answered by
    /// its prompt.
    fn mount_again(&mut self, now: Instant, then: Then, banners: Banners) {
        let work = Work::mount(now, self.board.clone(), &self.config, then, banners);
        self.state = State::Working(Box::new(work));
    }

    fn finish(&mut self, now: Instant, then: Then, done: Result<Event, Failure>) {
        match &done {
            Ok(event) => self.is_mounted = *event == Event::Mounted,
            // A board that restarts again reaches its prompt later, and mounting is then retried.
            Err(Failure::Restarted) => {}
            Err(_) => self.is_mounted = false,
        }
        let is_silent = matches!(done, Err(Failure::Lost(_)));
        match then {
            Then::Raw => self.report_output(b">".to_vec()),
            Then::PromptAlone if !is_silent => {
                let skips = Some(Skip::default());
                self.state = State::Passing { skips };
            }
            Then::Prompt | Then::PromptAlone => {}
        }
        self.report(done.unwrap_or_else(Event::Failed));
        self.send_typed(now);
    }
}

impl Machine for Mount {
    type Event = Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.wake(now);
        match input {
            Input::Bytes(bytes) => {
                let mut pieces = Vec::new();
                self.frames.push(now, bytes, &mut pieces);
                pieces.into_iter().for_each(|piece| self.take(now, piece));
            }
            Input::Closed if !matches!(self.state, State::Lost) => {
                self.state = State::Lost;
                self.drop_exchange();
                self.report(Event::Closed);
            }
            Input::Closed | Input::Timeout => {}
        }
    }

    fn poll_output(&mut self) -> Output<Event> {
        let output = self.output.pop_front();
        output.unwrap_or_else(|| Output::Idle(self.deadline()))
    }
}

/// Size limit of input during an answer, in bytes.
const TYPED_LIMIT: usize = 256 * 1024;
/// Size in bytes: the data sent to the board with an answer's header.
const AT_ONCE: usize = 2 * WINDOW;
