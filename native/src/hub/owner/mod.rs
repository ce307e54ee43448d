//! The task that owns one board.

mod draft;
mod line;
mod patience;
mod recovery;

use std::{
    collections::VecDeque,
    future::pending,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    sync::mpsc,
    time::{Duration, Instant},
};

use super::{
    connection::{Connection, State, baud, or_never, read, write},
    member::{Received, Request, Said, Seat},
    status::{Activity, Status},
    turns::{Seated, Turns},
    watch::Watch,
};
use crate::{
    link::{
        Address, Link, OpenError, Place,
        turn::{Mode, News},
    },
    os::time::sleep_until,
};
use draft::Draft;
use line::Changes;
use patience::{Due, Patience};
use recovery::{Recovery, Step};

/// Moves bytes between a board and the holder of the turn, and grants the turns.
pub(super) struct Owner {
    address: Address,
    connection: Connection,
    state: Arc<Mutex<State>>,
    requests: mpsc::Receiver<Request>,
    turns: Turns,
    watch: Watch,
    /// Bytes that the board has not taken yet.
    unsent: VecDeque<u8>,
    /// Output of the board that the holder of the turn has not taken yet.
    unread: Option<Vec<u8>>,
    /// Time at which the holder of the turn last took data.
    told_at: Instant,
    /// Time of the board's last output.
    heard: Instant,
    /// Time of the last input to the board.
    written: Instant,
    /// True if data was sent to the board after its last output.
    has_written: bool,
    recovery: Option<Recovery>,
    /// Settings of the line changed by the holder of the turn.
    changes: Changes,
    /// Input of the holder of the turn since the board's prompt.
    draft: Draft,
    absent_since: Instant,
    /// Time of the last tool's arrival.
    asked_at: Instant,
    patience: Patience,
    /// Time that an interactive tool may keep others waiting while it is inactive.
    idle_limit: Duration,
}

/// Next event of the loop.
enum Next {
    Request(Option<Request>),
    Opened(Result<(Place, Link), OpenError>),
    Wrote(io::Result<usize>),
    Read(io::Result<Vec<u8>>),
    Said(Option<Said>),
    /// The holder of the turn took the unread data, or never will.
    Told,
    /// A tool has gone, or a deadline has passed.
    Time,
}

impl Owner {
    /// Creates the owner of a board, which takes requests for it.
    pub(super) fn new(
        address: Address,
        state: Arc<Mutex<State>>,
        requests: mpsc::Receiver<Request>,
        idle_limit: Duration,
    ) -> Self {
        Self {
            connection: Connection::opening(&address, None),
            address,
            state,
            requests,
            turns: Turns::default(),
            watch: Watch::new(),
            unsent: VecDeque::new(),
            unread: None,
            told_at: Instant::now(),
            heard: Instant::now(),
            written: Instant::now(),
            has_written: false,
            recovery: None,
            changes: Changes::default(),
            draft: Draft::default(),
            absent_since: Instant::now(),
            asked_at: Instant::now(),
            patience: Patience::default(),
            idle_limit,
        }
    }

    pub(super) async fn run(mut self) {
        loop {
            let now = Instant::now();
            self.advance(now);
            let next = self.next(now).await;
            if !self.happened(next) {
                return;
            }
        }
    }

    async fn next(&mut self, now: Instant) -> Next {
        let deadline = self.deadline(now);
        let pauses = self.is_overdue(now) && self.is_idle();
        let recovers = self.recovery.is_some();
        let (opening, reader, writer) = self.connection.parts();
        let is_open = reader.is_some();
        let (sends, told) = (!self.unsent.is_empty(), self.unread.is_none());
        let outbox = self.turns.holder().map(|seat| seat.outbox.clone());
        let leaves = sends && !recovers && !self.patience.is_leaving();
        let inbox = self.turns.holder_mut().map(|seat| &mut seat.inbox);
        let listens = is_open && !sends && !recovers && !pauses;
        // In random order: a board with endless output must not keep anybody from being heard.
        tokio::select! {
            request = self.requests.recv() => Next::Request(request),
            opened = or_never(opening) => Next::Opened(opened),
            wrote = write(writer, self.unsent.as_slices().0), if sends => Next::Wrote(wrote),
            () = tell(outbox.as_ref(), &mut self.unread), if !told => Next::Told,
            read = read(reader), if told => Next::Read(read),
            said = receive(inbox), if listens => Next::Said(said),
            () = gone(outbox.as_ref()), if leaves => Next::Time,
            () = sleep_until(deadline) => Next::Time,
        }
    }

    /// Handles an event. Returns true to go on.
    fn happened(&mut self, next: Next) -> bool {
        let now = Instant::now();
        match next {
            Next::Request(None) => return false,
            Next::Request(Some(request)) => self.asked(request, now),
            Next::Opened(Ok((place, link))) => self.opened(place, link, now),
            Next::Opened(Err(error)) => self.not_opened(&error, now),
            Next::Wrote(Ok(length @ 1..)) => {
                self.unsent.drain(..length);
                self.patience.wrote(now);
            }
            Next::Read(Ok(bytes)) if !bytes.is_empty() => self.read(bytes, now),
            Next::Wrote(Err(error)) | Next::Read(Err(error)) => {
                self.lost(&error.to_string(), now);
            }
            Next::Wrote(Ok(_)) | Next::Read(Ok(_)) => self.lost("it was unplugged or ended", now),
            Next::Said(said) => self.said(said, now),
            Next::Told => self.told_at = now,
            Next::Time => {}
        }
        true
    }

    fn asked(&mut self, request: Request, now: Instant) {
        self.turns.forget_the_gone();
        match request {
            Request::Seat(_, seat) if seat.ask.mode == Mode::Idle && !self.is_free(now) => {
                self.turns.turn_away(&seat, now);
            }
            Request::Seat(id, seat) => {
                self.asked_at = now;
                if self.turns.seat(id, seat, now) == Seated::ByForce {
                    self.cut_off();
                    self.recovery = Some(Recovery::interrupt(now));
                }
            }
            Request::Want(id) => self.turns.want(id, now),
            // Whoever asked may have gone.
            Request::Status(tell) => drop(tell.send(self.status(now))),
        }
    }

    fn status(&self, now: Instant) -> Status {
        let (holder, waiting) = self.turns.uses(now);
        Status {
            activity: self.activity(),
            holder,
            waiting,
        }
    }

    fn activity(&self) -> Activity {
        if !self.connection.is_open() {
            return Activity::Away;
        }
        if self.recovery.is_some() {
            return Activity::Returning;
        }
        match &self.watch {
            _ if self.is_idle() => Activity::Prompt,
            watch if watch.is_editing() => Activity::Line,
            watch if !watch.is_python() => Activity::Unknown,
            watch if watch.awaits_input() => Activity::Exchange,
            _ => Activity::Program,
        }
    }

    fn said(&mut self, said: Option<Said>, now: Instant) {
        match said {
            Some(Said::Bytes(bytes)) => {
                self.draft.add(&bytes);
                self.write(bytes);
            }
            Some(Said::Set(setting, done)) => {
                self.changes.note(&setting, baud(&self.address));
                // A socket or a process has no settable line, and needs none.
                let set = self
                    .connection
                    .controls()
                    .map_or(Ok(()), |controls| controls.set(&setting));
                // The tool may have stopped waiting for the result.
                let _ = done.send(set);
            }
            Some(Said::Leave) => {
                self.turns.end(now, true);
                self.reset_line();
                if !self.is_idle() && self.watch.is_python() {
                    self.recovery = Some(Recovery::settle(now));
                }
            }
            None => self.vanished(now),
        }
    }

    /// Drops unsent and unread data of a tool that has lost its turn.
    fn cut_off(&mut self) {
        self.reset_line();
        self.unsent.clear();
        self.unread = None;
        self.patience.restart();
    }

    /// Handles a holder of the turn that vanished without leaving.
    fn vanished(&mut self, now: Instant) {
        self.turns.end(now, true);
        self.cut_off();
        if self.watch.is_python() && !self.is_idle() {
            self.recovery = Some(Recovery::interrupt(now));
        }
    }

    /// Resets the line, so that the next tool finds it as if it had opened the port itself.
    fn reset_line(&mut self) {
        let undo = self.changes.undo(baud(&self.address));
        if let Some(controls) = self.connection.controls() {
            // If the line refuses, it was unplugged, which reading reports.
            undo.for_each(|setting| drop(controls.set(&setting)));
        }
    }

    fn write(&mut self, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            (self.written, self.has_written) = (Instant::now(), true);
            self.unsent.extend(bytes);
        }
    }

    fn read(&mut self, bytes: Vec<u8>, now: Instant) {
        (self.heard, self.has_written) = (now, false);
        let shown = self.watch.push(&bytes);
        self.draft.answered(self.watch.prompts(), self.is_idle());
        if self.recovery.is_some() {
            return;
        }
        self.turns.show(&shown);
        if self.turns.holder().is_some() {
            (self.unread, self.told_at) = (Some(bytes), now);
        }
    }

    /// Performs all steps that are due: the end of a turn, a step of a recovery, the next turn.
    fn advance(&mut self, now: Instant) {
        if !self.connection.is_open() {
            return self.look_for_it(now);
        }
        self.recover(now);
        self.be_patient(now);
        if self.handover(now).is_some_and(|due| due <= now) {
            self.turns.end(now, false);
        }
        self.turns.notify(now);
        if self.recovery.is_none() && self.turns.holder().is_none() {
            self.grant(now);
        }
    }

    /// Grants the turn to the next tool, and retypes the line that it lost to another one.
    fn grant(&mut self, now: Instant) {
        let mut draft = self.turns.grant(now).unwrap_or_default();
        if !draft.is_empty() {
            match self.is_idle() {
                true => {
                    self.turns.show_prompt();
                    self.write(draft.clone());
                }
                // A program that was left running would read it.
                false => self.turns.keep_draft(std::mem::take(&mut draft)),
            }
        }
        self.draft = Draft::start(draft, self.watch.prompts());
    }

    fn recover(&mut self, now: Instant) {
        while let Some(recovery) = &mut self.recovery {
            match recovery.step(now, self.heard, &mut self.watch) {
                Step::Wait => return,
                Step::Done => self.recovery = None,
                Step::Send(bytes) => {
                    self.unsent.clear();
                    self.write(bytes);
                }
            }
        }
    }

    /// Ends the turn of a tool that has gone and whose last bytes the board does not take, and of a tool that keeps
    /// others waiting while it is inactive.
    fn be_patient(&mut self, now: Instant) {
        let has_gone = self.turns.holder().is_some_and(|it| it.outbox.is_closed());
        let leaves = has_gone && !self.unsent.is_empty() && self.recovery.is_none();
        if self.patience.gives_up_leaving(leaves, now) {
            return self.vanished(now);
        }
        match self.patience.due(self.paused_since(), self.limit(), now) {
            Due::Nothing => {}
            Due::Reminder(since) => self.turns.remind(since, now),
            Due::Turn => {
                let draft = self.line_can_return().then(|| self.draft.take());
                self.turns.pass_on(draft);
                self.cut_off();
                if self.watch.is_python() && !self.is_idle() {
                    self.recovery = Some(Recovery::interrupt(now));
                }
            }
        }
    }

    /// Returns the time since when others have waited for an interactive tool that neither sends nor takes anything,
    /// while no program runs.
    fn paused_since(&self) -> Option<Instant> {
        let holder = self.turns.holder()?;
        let waits_since = self.turns.waits_since()?;
        let types = holder.ask.mode == Mode::Shared && self.recovery.is_none();
        let since = match &self.unread {
            Some(_) => self.told_at,
            None if self.watch.awaits_input() && !self.is_idle() => self.heard.max(self.written),
            None => return None,
        };
        let says_nothing = holder.inbox.is_empty() || self.unread.is_some();
        (types && says_nothing).then(|| since.max(waits_since))
    }

    /// Returns the time that the holder of the turn may pause: less if its line can be given back as it was.
    fn limit(&self) -> Duration {
        match self.line_can_return() {
            true => self.idle_limit.min(LINE_LIMIT),
            false => self.idle_limit,
        }
    }

    /// Returns true if the holder of the turn has half typed a line that the hub can type again.
    fn line_can_return(&self) -> bool {
        self.unread.is_none() && self.watch.is_editing() && self.draft.can_return()
    }

    /// Returns the time at which the turn passes from an interactive tool to a waiting one.
    fn handover(&self, now: Instant) -> Option<Instant> {
        let holder = self.turns.holder()?;
        let pauses = holder.inbox.is_empty() || self.is_overdue(now);
        let types = holder.ask.mode == Mode::Shared && pauses;
        let ends = types && self.turns.somebody_waits() && self.is_idle();
        ends.then(|| self.heard.max(self.written) + STILL)
    }

    /// Returns true if others have waited so long for an interactive tool that the board takes no more of its input at
    /// the prompt.
    fn is_overdue(&self, now: Instant) -> bool {
        let types = |holder: &Seat| holder.ask.mode == Mode::Shared;
        let since = self.turns.waits_since();
        self.turns.holder().is_some_and(types)
            && since.is_some_and(|since| since + TYPING_LIMIT <= now)
    }

    /// Returns true if the board is at its prompt and has been sent nothing since.
    fn is_idle(&self) -> bool {
        self.watch.is_at_prompt() && !self.has_written && self.unsent.is_empty()
    }

    /// Returns true if the board is free at its prompt: an interactive tool has paused there.
    fn is_free(&self, now: Instant) -> bool {
        let has_paused = self.heard.max(self.written) + STILL <= now;
        let pauses = |holder: &Seat| {
            holder.ask.mode == Mode::Shared && holder.inbox.is_empty() && has_paused
        };
        // A board that was just left is settling at its prompt, which soon ends.
        self.connection.is_open()
            && self.is_idle()
            && !self.turns.somebody_waits()
            && self.turns.holder().is_none_or(pauses)
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        let recovery = self.recovery.as_ref();
        let recovery = recovery.map(|it| it.due(self.heard, &self.watch));
        let away = match self.connection {
            Connection::Away(next) => Some(next),
            Connection::Opening(_) if self.turns.somebody_waits() => Some(self.gives_up_at()),
            Connection::Opening(_) | Connection::Open { .. } => None,
        };
        let patience = self.patience.deadline(self.paused_since(), self.limit());
        [
            recovery,
            self.handover(now),
            self.turns.deadline(),
            away,
            patience,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Returns the time at which tools that wait for an absent board are notified: after at least one more attempt to
    /// open it.
    fn gives_up_at(&self) -> Instant {
        (self.absent_since + ABSENCE).max(self.asked_at + 3 * RETRY)
    }

    fn look_for_it(&mut self, now: Instant) {
        if self.turns.somebody_waits() && now >= self.gives_up_at() {
            let fault = self.locked().fault.clone();
            let fault = fault.unwrap_or_else(|| "it does not answer".to_owned());
            self.turns.give_up_waiting(&fault);
        }
        if let Connection::Away(next) = self.connection
            && next <= now
        {
            let place = self.locked().place.clone();
            self.connection = Connection::opening(&self.address, place);
        }
    }

    fn opened(&mut self, place: Place, link: Link, now: Instant) {
        let mut state = self.locked();
        let was_there = state.place.replace(place).is_some();
        state.fault = None;
        drop(state);
        self.connection = Connection::open(link);
        self.changes = Changes::default();
        self.watch = Watch::new();
        self.heard = now;
        if was_there {
            self.turns.tell_all(&News::Back);
        }
    }

    fn not_opened(&mut self, error: &OpenError, now: Instant) {
        self.locked().fault = Some(error.to_string());
        self.connection = Connection::Away(now + RETRY);
    }

    fn lost(&mut self, why: &str, now: Instant) {
        self.locked().fault = Some(why.to_owned());
        self.connection = Connection::Away(now + RETRY);
        self.absent_since = now;
        self.unsent.clear();
        self.unread = None;
        self.has_written = false;
        self.recovery = None;
        self.patience.restart();
        self.turns.away(why);
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn receive(inbox: Option<&mut mpsc::Receiver<Said>>) -> Option<Said> {
    match inbox {
        Some(inbox) => inbox.recv().await,
        None => pending().await,
    }
}

/// Hands over unread data, or drops it if the receiver is gone.
async fn tell(outbox: Option<&mpsc::Sender<Received>>, unread: &mut Option<Vec<u8>>) {
    if let Some(outbox) = outbox
        && let Ok(room) = outbox.reserve().await
        && let Some(bytes) = unread.take()
    {
        room.send(Received::Bytes(bytes));
    }
    *unread = None;
}

async fn gone(outbox: Option<&mpsc::Sender<Received>>) {
    match outbox {
        Some(outbox) => outbox.closed().await,
        None => pending().await,
    }
}

/// Time of silence in both directions at the prompt that ends the turn of an interactive tool. The prompt may respond
/// before the last bytes of the input have arrived, and over a network those need that time.
const STILL: Duration = Duration::from_millis(200);
/// Time that others wait for an interactive tool that never pauses, such as a script at a REPL.
const TYPING_LIMIT: Duration = Duration::from_millis(500);
/// Time that others wait for a tool with a half-typed line, which it gets back.
const LINE_LIMIT: Duration = Duration::from_secs(1);
/// Interval between attempts to open a board.
const RETRY: Duration = Duration::from_millis(200);
/// Time that tools wait for an absent board before they are notified.
const ABSENCE: Duration = Duration::from_secs(5);
