//! Lets editors attach to a running program, and detach from it.

use alloc::{string::String, vec::Vec};

use serde_json::json;

use super::{Adapter, framing::Framing, outcome::Text, request::Request};
use crate::{
    Instant,
    debug::{Exceptions, Launch, Project, Session, Step},
};

/// State of a program that runs without an editor as well.
#[derive(Debug, Default)]
pub(super) struct Host {
    is_attached: bool,
    is_started: bool,
    /// Notes about the board, for each editor that attaches.
    pub(super) notes: Vec<String>,
}

/// Sessions that editors attach to and leave.
impl Adapter {
    /// Creates a session of a program that editors attach to and leave, one after the other. While no editor is
    /// attached, the program does not stop.
    ///
    /// `boot` is true if its files are only on the board, and `reset` if another run begins with a reset of the board.
    #[must_use]
    pub fn host(project: Project, launch: Launch, boot: bool, reset: bool) -> Self {
        let mut adapter = Self::new(launch.token.clone());
        adapter.is_boot = boot;
        adapter.resets = reset;
        adapter.session = Some(Session::new(project, launch));
        adapter.host = Some(Host::default());
        adapter
    }

    /// Starts the program, unless it has been started. If this is never called, the first editor that attaches starts it.
    pub fn start(&mut self) {
        self.start_once();
        self.settle();
    }

    /// Returns true if the program was asked to end, and has not ended yet.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.session.as_ref().is_some_and(Session::is_ending)
    }

    /// Ends the program, even one that an editor wants to restart.
    pub fn terminate_program(&mut self, now: Instant) {
        if let Some(request) = self.restarting.take() {
            self.refuse(&request, "the program is ending");
        }
        match &mut self.session {
            Some(session) if !session.is_over() => session.terminate(now),
            _ => {}
        }
        self.settle();
    }

    /// Prepares the conversation with another editor, after [`Want::End`](super::Want::End).
    pub fn next_editor(&mut self) {
        self.framing = Framing::default();
        self.closing = None;
        self.restarting = None;
        self.seq = 0;
        self.is_closed = false;
        self.is_over = false;
    }

    pub(super) fn attach(&mut self, request: &Request) {
        let session = self.session.as_ref();
        let ends = session.is_some_and(|session| session.is_over() || session.is_ending());
        let notes = match &mut self.host {
            None => return self.refuse(request, NOTHING_RUNS),
            Some(_) if ends => return self.refuse(request, PROGRAM_ENDED),
            Some(host) => {
                host.is_attached = true;
                host.notes.clone()
            }
        };
        // Half a character belongs to the output that this editor has missed.
        self.text = Text::default();
        self.answer(request, json!({}));
        self.event("initialized", json!({}));
        notes.iter().for_each(|note| self.say("console", note));
    }

    /// Starts the program, unless it has been started.
    pub(super) fn start_once(&mut self) {
        let is_started = self
            .host
            .as_mut()
            .is_some_and(|host| core::mem::replace(&mut host.is_started, true));
        match &mut self.session {
            Some(session) if !is_started => session.start(),
            _ => {}
        }
    }

    /// Detaches from the program, which goes on without breakpoints. Returns false for a program that ends with its
    /// editor.
    pub(super) fn detach(&mut self, now: Instant) -> bool {
        let (Some(host), Some(session)) = (&mut self.host, &mut self.session) else {
            return false;
        };
        if session.is_over() || session.is_ending() {
            return false;
        }
        host.is_attached = false;
        let lines = core::mem::take(&mut self.lines);
        let functions = core::mem::take(&mut self.functions);
        for module in lines.into_keys().chain(functions.into_keys()) {
            session.set_breakpoints(now, module, &[]);
        }
        self.exceptions = Exceptions::default();
        session.set_exceptions(now, self.exceptions);
        session.cancel_pause();
        self.questions.clear();
        self.targets.clear();
        self.go_on_alone(now);
        true
    }

    /// Resumes a program that has stopped while no editor is attached.
    pub(super) fn go_on_alone(&mut self, now: Instant) {
        let is_alone = self.is_alone();
        let Some(session) = self.session.as_mut().filter(|_| is_alone) else {
            return;
        };
        if session.stopped().is_some() && session.resume(now, Step::Continue).is_ok() {
            self.stops.forget();
        }
    }

    /// Returns true if editors attach to a program, and launch none.
    pub(super) fn is_hosted(&self) -> bool {
        self.host.is_some()
    }

    /// Returns true if no editor is attached to the program.
    pub(super) fn is_alone(&self) -> bool {
        self.host.as_ref().is_some_and(|host| !host.is_attached)
    }
}

pub(super) const PROGRAM_ENDED: &str = "the program has ended";
const NOTHING_RUNS: &str = "no program to attach to: start one with `flylead debug --dap ADDRESS main.py` and attach to that \
                            address, or use `launch`";
