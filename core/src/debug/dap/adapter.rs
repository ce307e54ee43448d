//! A session with an editor.

use alloc::{
    collections::{BTreeMap, VecDeque},
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde_json::{Value, json};

use super::{
    attach::Host,
    framing::{Framing, FramingError, frame},
    inspect::Question,
    outcome::Text,
    request::Request,
    stops::Stops,
};
use crate::{
    Instant,
    debug::{
        Action, Breakpoint, End, Exceptions, FunctionId, Launch, ModuleId, Note, Project, Reach,
        RequestId, Session,
    },
    raw_repl,
};

/// Action that an adapter requests.
#[derive(Debug)]
pub enum Want {
    /// Send this to the editor.
    Transmit(Vec<u8>),
    /// Read the program and its imports, and open the board. The application then calls [`Adapter::opened`].
    Open(LaunchRequest),
    /// Reset the board, before the actions that follow.
    Reset,
    /// Carry out this action on the board.
    Board(Action),
    /// Print this output of a program that editors [attach](Adapter::host) to.
    Print(Vec<u8>),
    /// Report this about a program that editors [attach](Adapter::host) to.
    Note(Note),
    /// Report the end of a program that editors [attach](Adapter::host) to.
    Ended(End),
    /// The conversation with the editor is over.
    End,
}

/// Arguments of the editor's `launch` request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchRequest {
    /// The program's file; the board's own program needs none.
    pub program: String,
    /// True to debug the board's own `main.py`, after a reset.
    pub boot: bool,
    /// The board's address, if the editor names one.
    pub port: Option<String>,
    /// Folders to search for modules; defaults to the program's own.
    pub modules: Vec<String>,
    /// True to stop at the first statement.
    pub stop_on_entry: bool,
    /// Functions that get hooks.
    pub reach: Reach,
    /// True to reset the board first.
    pub reset: bool,
    /// True if hooks report the parts of expressions.
    pub parts: bool,
    /// The program's words in `sys.argv`, after its file.
    pub args: Vec<String>,
}

/// A session with an editor, for one run of a program.
#[derive(Debug)]
pub struct Adapter {
    pub(super) framing: Framing,
    token: String,
    pub(super) session: Option<Session>,
    pub(super) stops: Stops,
    pub(super) questions: BTreeMap<RequestId, Question>,
    pub(super) launch: Option<(Request, LaunchRequest)>,
    /// Breakpoints in lines and at functions, which editors set apart.
    pub(super) lines: BTreeMap<ModuleId, Vec<Breakpoint>>,
    pub(super) functions: BTreeMap<ModuleId, Vec<Breakpoint>>,
    pub(super) exceptions: Exceptions,
    pub(super) text: Text,
    /// True if the editor counts lines from 0.
    pub(super) lines_from_zero: bool,
    /// True if the editor counts columns from 0.
    pub(super) columns_from_zero: bool,
    /// Functions that the last answer offered to step into.
    pub(super) targets: Vec<Vec<(ModuleId, FunctionId)>>,
    /// True if the program's files are on the board alone.
    pub(super) is_boot: bool,
    /// True if each run begins with a reset of the board.
    pub(super) resets: bool,
    /// Request for another run, to answer once the program has ended.
    pub(super) restarting: Option<Request>,
    /// Request to answer once the program has ended.
    pub(super) closing: Option<Request>,
    pub(super) is_closed: bool,
    /// The program that editors attach to, instead of launching one.
    pub(super) host: Option<Host>,
    pub(super) seq: u64,
    wants: VecDeque<Want>,
    pub(super) is_over: bool,
}

impl Adapter {
    /// Creates a session that has not begun. The token is that of [`Launch::token`].
    #[must_use]
    pub fn new(token: String) -> Self {
        Self {
            framing: Framing::default(),
            token,
            session: None,
            stops: Stops::default(),
            questions: BTreeMap::new(),
            launch: None,
            lines: BTreeMap::new(),
            functions: BTreeMap::new(),
            exceptions: Exceptions::default(),
            text: Text::default(),
            lines_from_zero: false,
            columns_from_zero: false,
            targets: Vec::new(),
            resets: false,
            is_boot: false,
            restarting: None,
            closing: None,
            is_closed: false,
            host: None,
            seq: 0,
            wants: VecDeque::new(),
            is_over: false,
        }
    }

    /// Takes data from the editor. Bytes may be split anywhere.
    ///
    /// # Errors
    /// [`FramingError`], if they violate the protocol; the session is then over.
    pub fn receive(&mut self, now: Instant, bytes: &[u8]) -> Result<(), FramingError> {
        self.framing.push(bytes);
        while let Some(message) = self.framing.next() {
            let message = match message {
                Err(error @ FramingError::Json) => {
                    self.ignored(error);
                    continue;
                }
                message => message?,
            };
            if let Some(request) = Request::new(&message) {
                self.request(now, request);
                self.settle();
            }
        }
        Ok(())
    }

    /// Tells the person that a message was ignored; the one after it begins where it ends.
    fn ignored(&mut self, error: FramingError) {
        let text = format!("{error}, and is ignored\n");
        self.event("output", json!({"category": "important", "output": text}));
    }

    /// Handles the end of the editor's connection.
    pub fn closed(&mut self, now: Instant) {
        self.is_closed = true;
        let is_left = self.detach(now);
        match &mut self.session {
            _ if is_left => self.end(),
            Some(session) if !session.is_over() => session.terminate(now),
            _ => self.end(),
        }
        self.settle();
    }

    /// Completes [`Want::Open`] with the program, or the reason for failure.
    pub fn opened(&mut self, project: Result<Project, String>) {
        let Some((request, launch)) = self.launch.take() else {
            return;
        };
        match project {
            Ok(project) => self.launched(&request, &launch, project),
            Err(message) => self.refuse(&request, &message),
        }
        self.settle();
    }

    fn launched(&mut self, request: &Request, launch: &LaunchRequest, project: Project) {
        self.resets = launch.reset;
        self.is_boot = launch.boot;
        let file = (!launch.boot).then_some(&launch.program).into_iter();
        let launch = Launch {
            arguments: file.chain(&launch.args).cloned().collect(),
            stop_on_entry: launch.stop_on_entry,
            exceptions: self.exceptions,
            reach: launch.reach,
            parts: launch.parts,
            token: self.token.clone(),
        };
        self.session = Some(Session::new(project, launch));
        self.answer(request, json!({}));
        // Breakpoints are in files, which are now known.
        self.event("initialized", json!({}));
    }

    /// Handles an event of the raw REPL.
    pub fn handle_event(&mut self, now: Instant, event: &raw_repl::Event) {
        if let Some(session) = &mut self.session {
            session.handle_event(now, event);
        }
        self.settle_alone(now);
    }

    /// Reports that a program could not be sent to the board, and the reason.
    pub fn refused(&mut self, why: impl ToString) {
        if let Some(session) = &mut self.session {
            session.refused(why);
        }
        self.settle();
    }

    /// Time at which [`handle_timeout`](Self::handle_timeout) is due.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.session.as_ref().and_then(Session::deadline)
    }

    /// Performs work due at `now`.
    pub fn handle_timeout(&mut self, now: Instant) {
        if let Some(session) = &mut self.session {
            session.handle_timeout(now);
        }
        self.settle_alone(now);
    }

    /// Returns the next action.
    pub fn poll_want(&mut self) -> Option<Want> {
        self.wants.pop_front()
    }

    /// Forwards the session's requests.
    pub(super) fn settle(&mut self) {
        while let Some(action) = self.session.as_mut().and_then(Session::poll_action) {
            match action {
                Action::Tell(event) => self.tell(event),
                Action::Exec(_) | Action::Send(_) | Action::Interrupt => {
                    self.want(Want::Board(action));
                }
            }
        }
    }

    /// Forwards the session's requests, and lets a program go on that has stopped without an editor.
    fn settle_alone(&mut self, now: Instant) {
        self.settle();
        self.go_on_alone(now);
        self.settle();
    }

    pub(super) fn want(&mut self, want: Want) {
        self.wants.push_back(want);
    }

    pub(super) fn end(&mut self) {
        if !core::mem::replace(&mut self.is_over, true) {
            self.want(Want::End);
        }
    }
}

/// Messages to the editor.
impl Adapter {
    fn send(&mut self, mut message: Value) {
        self.seq += 1;
        message["seq"] = self.seq.into();
        self.want(Want::Transmit(frame(&message)));
    }

    pub(super) fn event(&mut self, event: &str, body: Value) {
        // An editor that has not attached hears of nothing but the end.
        if self.is_alone() && !matches!(event, "exited" | "terminated") {
            return;
        }
        self.send(json!({"type": "event", "event": event, "body": body}));
    }

    pub(super) fn answer(&mut self, request: &Request, body: Value) {
        self.send(json!({
            "type": "response", "request_seq": request.seq, "success": true, "command": request.command, "body": body,
        }));
    }

    pub(super) fn refuse(&mut self, request: &Request, message: &str) {
        let error = json!({"id": 1, "format": message.replace('{', "(").replace('}', ")"), "showUser": true});
        self.send(json!({
            "type": "response", "request_seq": request.seq, "success": false, "command": request.command,
            "message": message, "body": {"error": error},
        }));
    }

    /// Shows a message in the editor's console.
    pub(super) fn say(&mut self, category: &str, text: &str) {
        self.event(
            "output",
            json!({"category": category, "output": format!("{text}\n")}),
        );
    }
}
