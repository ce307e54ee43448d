//! Requests on their way to the board, and reports on their way back. A program is a command of the REPL, and what it prints
//! is the application's; everything else is a job, which gets the reports for its next step.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{
    Answer, Board, Capabilities, Error, Event, error,
    jobs::{
        Job,
        probe::Probe,
        query, quick,
        receiver::Receiver,
        transfer::{
            ChunkedRead, ChunkedWrite, Delivery, OneByOne, StreamRead, StreamWrite, fits,
            temporary_name,
        },
    },
    request::{NewEntry, Request},
    work::Work,
};
use crate::{
    Instant, Machine, Output,
    raw_repl::{self, Command, CommandError, LostReason, Mode, Outcome, check_source},
};

/// Requests from the application.
impl Board {
    /// Begins a request. Exactly one [`Event::Answered`] follows, after any number of [`Event::Stdout`] and
    /// [`Event::Progress`].
    ///
    /// # Errors
    /// [`CommandError::Busy`] during a request, [`CommandError::Lost`] after the connection was lost,
    /// [`CommandError::ControlByte`] for a program that raw mode cannot carry. Nothing is sent in these cases.
    pub fn request(&mut self, now: Instant, request: Request) -> Result<(), CommandError> {
        self.check_idle()?;
        if let Request::Exec { source, .. } = &request {
            check_source(source)?;
        }
        self.begin(now, request);
        self.run(now);
        Ok(())
    }

    /// Begins a request, or first determines the board's capabilities.
    pub(super) fn begin(&mut self, now: Instant, request: Request) {
        if self.capabilities.is_none()
            && self.may_be_quick()
            && let Some(job) = quick::job(&request, &self.config)
        {
            self.work = Some(Work {
                quick: Some(request),
                ..Work::new(Some(job), now)
            });
            return self.ask_job(now, |job, context| job.start(context));
        }
        self.begin_fully(now, request);
    }

    /// Returns false if the board is remembered as one that runs no quick programs.
    fn may_be_quick(&self) -> bool {
        let remembered = self.config.remembered.as_ref();
        remembered.is_none_or(|board| board.sha256 && board.stat)
    }

    pub(super) fn begin_fully(&mut self, now: Instant, request: Request) {
        let known = self.capabilities.clone();
        if let (Request::Capabilities, Some(known)) = (&request, &known) {
            return self.answer(Ok(Answer::Capabilities(known.clone())));
        }
        if self.must_forget() && request.is_of_the_application() {
            return self.forget(now, Some(request));
        }
        let (job, next): (Box<dyn Job>, _) = match known {
            None if matches!(request, Request::Capabilities) => {
                (Box::new(Probe::new(self.config.remembered.take())), None)
            }
            None if request.needs_capabilities() => {
                let probe = Probe::new(self.config.remembered.take());
                (Box::new(probe), Some(request))
            }
            known => match way(request, &known.unwrap_or_default(), self.config.text_link) {
                Ok(Way::Command(command)) => {
                    self.work = Some(Work::new(None, now));
                    return self.command(now, &command);
                }
                Ok(Way::Job(job)) => (job, None),
                Err(error) => return self.answer(Err(error)),
            },
        };
        self.begin_job(now, job, next);
    }

    fn command(&mut self, now: Instant, command: &Command) {
        let begun = self.repl.command(now, command);
        self.check_begun(begun);
    }

    pub(super) fn check_idle(&self) -> Result<(), CommandError> {
        match self.repl.mode() {
            Mode::Lost => Err(CommandError::Lost),
            Mode::Normal | Mode::Raw if self.work.is_none() && !self.is_released() => Ok(()),
            Mode::Normal | Mode::Raw | Mode::Entering | Mode::Running | Mode::Resetting => {
                Err(CommandError::Busy)
            }
        }
    }
}

/// Reports from the REPL.
impl Board {
    /// Handles the REPL's output and events until none remain.
    pub(super) fn run(&mut self, now: Instant) {
        loop {
            match self.repl.poll_output() {
                Output::Transmit(bytes) => self.output.push_back(Output::Transmit(bytes)),
                Output::Event(event) => self.on_event(now, event),
                Output::Idle(_) if self.goes_on_releasing(now) => {}
                Output::Idle(_) => return,
            }
        }
    }

    /// Forwards typed input.
    pub(super) fn take_repl_output(&mut self) {
        while let Output::Transmit(bytes) = self.repl.poll_output() {
            self.output.push_back(Output::Transmit(bytes));
        }
    }

    fn on_event(&mut self, now: Instant, event: raw_repl::Event) {
        use raw_repl::Event as Repl;

        match event {
            Repl::Terminal(bytes) => self.report(Event::Terminal(bytes)),
            Repl::Stdout(bytes) if self.runs_command() => self.report(Event::Stdout(bytes)),
            Repl::Stdout(bytes) => {
                self.has_receiver();
                self.ask_job(now, |job, context| job.on_stdout(bytes, context));
            }
            Repl::Frame(frame) => {
                self.has_receiver();
                self.ask_job(now, |job, _| job.on_frame(frame));
            }
            Repl::Loaded => {
                if let Some(work) = &mut self.work {
                    work.expect_within(now, work.limit_when_loaded);
                }
            }
            Repl::Finished(outcome) => self.on_end(now, outcome),
            Repl::SoftReset => {
                self.forgotten();
                self.finish(Ok(Answer::Done));
            }
            Repl::Entered | Repl::Left => self.finish(Ok(Answer::Done)),
            Repl::Lost { reason } => self.on_loss(reason),
        }
    }

    fn runs_command(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.job.is_none())
    }

    fn on_end(&mut self, now: Instant, outcome: Outcome) {
        if matches!(outcome, Outcome::Exited | Outcome::BoardReset) {
            self.forgotten();
        }
        let Some(work) = &mut self.work else { return };
        if work.job.is_none() {
            return self.finish(Ok(Answer::Ran(outcome)));
        }
        if work.is_stalled {
            return self.finish(Err(Error::Stalled));
        }
        let outcome = match &self.capabilities {
            Some(board) if board.wasi_errors => error::from_wasi(outcome),
            Some(_) | None => outcome,
        };
        if work.parts.is_some() && self.receiver.has_any() && lacks_receiver(&outcome) {
            // The interpreter has restarted unnoticed.
            self.receiver = Receiver::default();
            self.ask_job(now, |job, context| job.start(context));
        } else {
            self.ask_job(now, |job, context| job.on_end(outcome, context));
        }
    }

    fn on_loss(&mut self, reason: LostReason) {
        self.release = None;
        self.finish(Err(Error::Lost(reason.clone())));
        self.report(Event::Lost { reason });
    }
}

/// Answers to the application.
impl Board {
    pub(super) fn finish(&mut self, answer: Result<Answer, Error>) {
        // The receiver itself may have been damaged on the way.
        let reason = answer.as_ref().err().map(Error::reason);
        if matches!(reason, Some(Error::Stalled | Error::Damaged)) {
            self.receiver = Receiver::default();
        }
        if self.work.as_ref().is_some_and(|work| work.is_silent) {
            self.work = None;
        } else if let Some(work) = &self.work {
            let answer = answer.map_err(|error| match &work.job {
                Some(job) => job.explain(error),
                None => error,
            });
            self.answer(answer);
        }
    }

    fn answer(&mut self, answer: Result<Answer, Error>) {
        self.work = None;
        self.report(Event::Answered(answer));
    }

    pub(super) fn report(&mut self, event: Event) {
        self.output.push_back(Output::Event(event));
    }
}

/// Returns true if Python does not know `__fl__`, or not this part of it.
fn lacks_receiver(outcome: &Outcome) -> bool {
    let Outcome::Raised(traceback) = outcome else {
        return false;
    };
    matches!(traceback.exception.as_str(), "NameError" | "KeyError")
}

/// Way in which a request is carried out.
enum Way {
    /// Command of the REPL; its result belongs to the application, and may take any time.
    Command(Command),
    /// Programs of this crate.
    Job(Box<dyn Job>),
}

/// Returns the way to carry out a request, or the reason why this board cannot. `text_link` is true if the link carries
/// only text.
fn way(request: Request, board: &Capabilities, text_link: bool) -> Result<Way, Error> {
    let job: Result<Box<dyn Job>, Error> = match request {
        Request::Enter => return Ok(Way::Command(Command::Enter)),
        Request::SoftReset => return Ok(Way::Command(Command::SoftReset)),
        Request::Leave => return Ok(Way::Command(Command::Leave)),
        Request::Exec { source, timeout } => {
            return Ok(Way::Command(Command::Exec { source, timeout }));
        }
        Request::Capabilities => Ok(Box::new(Probe::default())),
        Request::List { path, .. } => query::list(board, &path, false, false),
        Request::Tree { path, hashes } => query::list(board, &path, true, hashes),
        Request::Stat { path } => query::stat(board, &path),
        Request::Remove { path } => query::remove(&path),
        Request::RemoveTree { path } => query::remove_tree(board, &path),
        Request::MakeDirectory { path, parents } => query::make_directory(board, &path, parents),
        Request::Rename { from, to } => query::rename(board, &from, &to),
        Request::Touch { path } => query::touch(&path),
        Request::Space { path } => query::space(board, &path),
        Request::Hash { path } => query::hash(board, &path),
        Request::Read { path } if board.writes_binary && !text_link => {
            Ok(Box::new(StreamRead::new(path, Delivery::at_the_end())))
        }
        Request::Read { path } => Ok(Box::new(ChunkedRead::new(path, Delivery::at_the_end()))),
        Request::ReadStream { path } if board.writes_binary && !text_link => {
            Ok(Box::new(StreamRead::new(path, Delivery::as_it_comes())))
        }
        Request::ReadStream { path } => {
            Ok(Box::new(ChunkedRead::new(path, Delivery::as_it_comes())))
        }
        Request::Write { path, data } => Ok(write(path, data, None, board, text_link)),
        Request::WriteTree { entries } => Ok(write_tree(entries, board, text_link)),
        Request::Append { .. } if !board.stat => Err(Error::Unsupported {
            what: "append mode",
        }),
        Request::Append { path, data } => {
            // Written beside the file, then joined on the board: a transfer that fails leaves the file as it was. Its
            // name is the same for every addition to the file, so that a file left behind by a restart is replaced by
            // the next one.
            let [tail, part] = ["tail", "part"].map(|kind| temporary_name(&path, b"", kind));
            let join = query::join(&path, &tail, &part);
            Ok(write(tail, data, Some(join), board, text_link))
        }
    };
    job.map(Way::Job)
}

fn write(
    path: String,
    data: Vec<u8>,
    then: Option<String>,
    board: &Capabilities,
    text_link: bool,
) -> Box<dyn Job> {
    let entry = NewEntry::File { path, data };
    match board.reads_binary && !text_link && fits(&entry) {
        true => Box::new(StreamWrite::file(entry, then)),
        false => Box::new(ChunkedWrite::new(entry, then)),
    }
}

fn write_tree(entries: Vec<NewEntry>, board: &Capabilities, text_link: bool) -> Box<dyn Job> {
    match board.reads_binary && !text_link && entries.iter().all(fits) {
        true => Box::new(StreamWrite::tree(entries)),
        false => Box::new(OneByOne::new(entries)),
    }
}
