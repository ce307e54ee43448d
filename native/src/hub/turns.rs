//! Queue of turns at a board.

use std::collections::{BTreeMap, VecDeque};

use tokio::time::{Duration, Instant};

use super::{
    member::{Received, Seat},
    watch::Shown,
};
use crate::link::turn::{Mode, News, Shows, Use};

/// Tools of one board.
#[derive(Debug, Default)]
pub(super) struct Turns {
    seats: BTreeMap<u64, Seat>,
    queue: VecDeque<Waiting>,
    holder: Option<Holder>,
}

#[derive(Debug, Clone, Copy)]
struct Holder {
    id: u64,
    since: Instant,
}

#[derive(Debug)]
struct Waiting {
    id: u64,
    since: Instant,
    /// Time at which the tool is notified about the holder it waits for, or that it would have to wait.
    notice: Option<Instant>,
    waits: bool,
}

/// Effect of seating a tool, possibly by ending another's turn.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seated {
    Quietly,
    ByForce,
}

impl Turns {
    /// Seats a new tool. It is queued if it wants its turn at once.
    pub(super) fn seat(&mut self, id: u64, seat: Seat, now: Instant) -> Seated {
        let (mode, force, waits) = (seat.ask.mode, seat.ask.force, seat.ask.waits);
        self.seats.insert(id, seat);
        if mode == Mode::Shared {
            return Seated::Quietly;
        }
        if !force {
            self.enqueue(id, waits, now);
            return Seated::Quietly;
        }
        self.queue.push_front(Waiting::new(id, true, now));
        match self.release() {
            Some(holder) => {
                self.taken_from(holder.id, id);
                Seated::ByForce
            }
            None => Seated::Quietly,
        }
    }

    /// Takes the turn from a tool that has kept the first one in the queue waiting for too long. The tool gets its draft
    /// back at its next turn, if there is one.
    pub(super) fn pass_on(&mut self, draft: Option<Vec<u8>>) {
        if let Some(next) = self.queue.front().map(|waiting| waiting.id)
            && let Some(holder) = self.release()
        {
            match draft {
                Some(draft) => self.pause(holder.id, next, draft),
                None => self.taken_from(holder.id, next),
            }
        }
    }

    /// Reminds the holder of the turn that others have been waiting for it since then.
    pub(super) fn remind(&self, since: Instant, now: Instant) {
        if let Some(holder) = self.holder
            && let Some(next) = self.queue.front()
            && let Some(seat) = self.seats.get(&next.id)
        {
            let who = seat.ask.who.clone();
            let since = now.saturating_duration_since(since);
            self.tell(holder.id, News::Wanted(Use { who, since }));
        }
    }

    /// Releases the turn.
    fn release(&mut self) -> Option<Holder> {
        let holder = self.holder.take()?;
        if let Some(seat) = self.seats.get(&holder.id) {
            seat.set_busy(false);
        }
        Some(holder)
    }

    /// Notifies a tool that will not wait that the board is in use, and does not seat it.
    pub(super) fn turn_away(&self, seat: &Seat, now: Instant) {
        let by = match self.holder {
            Some(holder) => self.in_use(holder, now),
            None => Use {
                who: "a program on the board".into(),
                since: Duration::ZERO,
            },
        };
        // A tool that stops reading has gone.
        let _ = seat.outbox.try_send(Received::News(News::InUse(by)));
    }

    /// Handles a tool that has data to send.
    pub(super) fn want(&mut self, id: u64, now: Instant) {
        let has_it = self.holder.is_some_and(|holder| holder.id == id);
        let waits = self.queue.iter().any(|waiting| waiting.id == id);
        if !has_it && !waits && self.seats.contains_key(&id) {
            self.enqueue(id, true, now);
        }
    }

    fn enqueue(&mut self, id: u64, waits: bool, now: Instant) {
        self.queue.push_back(Waiting::new(id, waits, now));
        if let Some(seat) = self.seats.get(&id) {
            seat.set_busy(true);
        }
        if let Some(holder) = self.holder {
            self.tell_wanted(holder.id, id);
        }
    }

    /// Notifies the holder of the turn of a tool that begins to wait for it.
    fn tell_wanted(&self, holder: u64, id: u64) {
        if let Some(seat) = self.seats.get(&id) {
            let since = Duration::ZERO;
            let who = seat.ask.who.clone();
            self.tell(holder, News::Wanted(Use { who, since }));
        }
    }

    /// Grants the turn to the next tool that still waits, if it is free. Returns the draft of the tool, which may be empty.
    pub(super) fn grant(&mut self, now: Instant) -> Option<Vec<u8>> {
        while self.holder.is_none() {
            let id = self.queue.pop_front()?.id;
            let Some(seat) = self.seats.get_mut(&id) else {
                continue;
            };
            seat.tell_missed();
            if seat.outbox.try_send(Received::News(News::Turn)).is_err() {
                self.seats.remove(&id);
                continue;
            }
            let holder = Holder { id, since: now };
            seat.set_busy(true);
            self.holder = Some(holder);
            let in_use = self.in_use(holder, now);
            for waiting in &self.queue {
                // A tool that was told about another holder.
                if waiting.notice.is_none() {
                    self.tell(waiting.id, News::Waiting(in_use.clone()));
                }
            }
            if let Some(next) = self.queue.front().map(|waiting| waiting.id) {
                self.tell_wanted(id, next);
            }
            let seat = self.seats.get_mut(&id);
            return seat.map(|seat| std::mem::take(&mut seat.draft));
        }
        None
    }

    /// Ends the turn. A tool with shared turns stays, and is queued again if it has more to send.
    pub(super) fn end(&mut self, now: Instant, has_gone: bool) {
        let Some(Holder { id, .. }) = self.release() else {
            return;
        };
        let stays = |seat: &Seat| seat.ask.mode == Mode::Shared && !has_gone;
        match self.seats.get(&id) {
            Some(seat) if stays(seat) => {
                if !seat.inbox.is_empty() {
                    self.want(id, now);
                }
            }
            _ => drop(self.seats.remove(&id)),
        }
    }

    /// Returns the holder of the turn.
    pub(super) fn holder(&self) -> Option<&Seat> {
        self.seats.get(&self.holder?.id)
    }

    /// Returns the holder of the turn, for receiving its messages.
    pub(super) fn holder_mut(&mut self) -> Option<&mut Seat> {
        self.seats.get_mut(&self.holder?.id)
    }

    /// Returns the tool that has the turn, and those that wait for it.
    pub(super) fn uses(&self, now: Instant) -> (Option<Use>, Vec<Use>) {
        let holder = self.holder.map(|holder| self.in_use(holder, now));
        let waiting = self.queue.iter().map(|waiting| {
            let Waiting { id, since, .. } = *waiting;
            self.in_use(Holder { id, since }, now)
        });
        (holder, waiting.collect())
    }

    pub(super) fn somebody_waits(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Returns the time since when a client has waited for the holder of the turn.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        let holder = self.holder?;
        let first = self.queue.iter().map(|waiting| waiting.since).min()?;
        // Time spent waiting for earlier holders is not this holder's fault.
        Some(first.max(holder.since))
    }

    /// Notifies the tools in the queue about the holder they wait for, and tools that do not wait that they would have
    /// to.
    pub(super) fn notify(&mut self, now: Instant) {
        let Some(holder) = self.holder else { return };
        let in_use = self.in_use(holder, now);
        let mut queue = std::mem::take(&mut self.queue);
        queue.retain_mut(|waiting| {
            if waiting.notice.is_none_or(|notice| notice > now) {
                return true;
            }
            waiting.notice = None;
            if waiting.waits {
                self.tell(waiting.id, News::Waiting(in_use.clone()));
            } else {
                self.tell(waiting.id, News::InUse(in_use.clone()));
                self.seats.remove(&waiting.id);
            }
            waiting.waits
        });
        self.queue = queue;
    }

    /// Returns the time at which the first of these notifications is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.holder?;
        self.queue.iter().filter_map(|waiting| waiting.notice).min()
    }

    /// Handles the loss of the board, of which all tools are notified. The tool that has a single turn is removed; those
    /// that await one keep their places until [`give_up_waiting`](Self::give_up_waiting), and sharing tools lose what
    /// they typed.
    pub(super) fn away(&mut self, why: &str) {
        let why = why.to_owned();
        self.tell_all(&News::Away { why });
        let held = self.release().map(|holder| holder.id);
        let is_over = |seat: &Seat| seat.ask.mode != Mode::Shared;
        if let Some(id) = held
            && self.seats.get(&id).is_some_and(is_over)
        {
            self.seats.remove(&id);
        }
        // Input for the lost board must not reach another one that comes.
        for seat in self.seats.values_mut() {
            if seat.ask.mode == Mode::Shared {
                seat.set_busy(false);
                seat.draft.clear();
                while seat.inbox.try_recv().is_ok() {}
            }
        }
        let seats = &self.seats;
        let waits = |waiting: &Waiting| seats.get(&waiting.id).is_some_and(is_over);
        self.queue.retain(waits);
    }

    /// Removes the tools that wait for a board that stays absent.
    pub(super) fn give_up_waiting(&mut self, why: &str) {
        for Waiting { id, .. } in std::mem::take(&mut self.queue) {
            let why = why.to_owned();
            self.tell(id, News::Away { why });
            self.seats.remove(&id);
        }
    }

    pub(super) fn tell_all(&self, news: &News) {
        for id in self.seats.keys() {
            self.tell(*id, news.clone());
        }
    }

    /// Gives observers a copy. The board does not wait for one that stops reading: it is told later how much it missed.
    pub(super) fn show(&mut self, shown: &Shown) {
        let holder = self.holder.map(|holder| holder.id);
        let shows = self.holder().map(|seat| seat.ask.shows);
        let copy = match shows {
            Some(Shows::Nothing) => return,
            Some(Shows::Programs) => shown.program.clone(),
            Some(Shows::Everything) | None => [&shown.typed[..], &shown.program].concat(),
        };
        if copy.is_empty() {
            return;
        }
        let queue = &self.queue;
        self.seats.retain(|id, seat| {
            // A tool that has sent data awaits an answer, and must not mistake another's output for it.
            let waits = queue.iter().any(|waiting| waiting.id == *id);
            let looks_on = seat.ask.looks_on && Some(*id) != holder && !waits;
            !looks_on || seat.show(&copy)
        });
    }

    /// Forgets the tools that have vanished while they did not have their turn.
    pub(super) fn forget_the_gone(&mut self) {
        let holder = self.holder.map(|holder| holder.id);
        let seats = &mut self.seats;
        seats.retain(|id, seat| Some(*id) == holder || !seat.outbox.is_closed());
        self.queue.retain(|waiting| seats.contains_key(&waiting.id));
    }

    /// Shows the holder of the turn the prompt at which its draft is typed again.
    pub(super) fn show_prompt(&self) {
        if let Some(seat) = self.holder() {
            // A tool that stops reading has gone.
            let _ = seat.outbox.try_send(Received::Bytes(b"\r\n>>> ".to_vec()));
        }
    }

    /// Keeps the draft of the holder of the turn for its next turn.
    pub(super) fn keep_draft(&mut self, draft: Vec<u8>) {
        if let Some(seat) = self.holder_mut() {
            seat.draft = draft;
        }
    }

    /// Keeps the draft of an interactive tool that gives way to another one.
    fn pause(&mut self, id: u64, by: u64, draft: Vec<u8>) {
        let who = self.seats.get(&by).map(|seat| seat.ask.who.clone());
        let (who, since) = (who.unwrap_or_default(), Duration::ZERO);
        self.tell(id, News::Paused(Use { who, since }));
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.draft = draft;
        }
    }

    fn taken_from(&mut self, id: u64, by: u64) {
        let Some(seat) = self.seats.get(&by) else {
            return;
        };
        let (who, since) = (seat.ask.who.clone(), Duration::ZERO);
        self.tell(id, News::Taken(Use { who, since }));
        if let Some(seat) = self.seats.get_mut(&id) {
            while seat.inbox.try_recv().is_ok() {}
            if seat.ask.mode != Mode::Shared {
                self.seats.remove(&id);
            }
        }
    }

    fn in_use(&self, holder: Holder, now: Instant) -> Use {
        let who = self.seats.get(&holder.id).map(|seat| seat.ask.who.clone());
        Use {
            who: who.unwrap_or_default(),
            since: now.saturating_duration_since(holder.since),
        }
    }

    /// Sends news to a tool. If its queue is full, it has stopped reading.
    fn tell(&self, id: u64, news: News) {
        if let Some(seat) = self.seats.get(&id) {
            let _ = seat.outbox.try_send(Received::News(news));
        }
    }
}

impl Waiting {
    fn new(id: u64, waits: bool, now: Instant) -> Self {
        Self {
            id,
            since: now,
            notice: Some(now + HANDOVER),
            waits,
        }
    }
}

/// Time that a turn may take to pass from an interactive tool, or one that has just left, before a wait is reported.
const HANDOVER: Duration = Duration::from_millis(300);

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;
    use crate::{hub::member, link::turn::Ask};

    #[test]
    fn who_gets_its_turn_late_has_not_kept_the_others_waiting() {
        let (requests, _kept) = mpsc::channel(1);
        let mut turns = Turns::default();
        let start = Instant::now();
        let mut members = Vec::new();
        for id in [1, 2] {
            let (member, seat) = member::pair(id, Ask::shared("a page"), requests.clone());
            members.push(member);
            assert_eq!(turns.seat(id, seat, start), Seated::Quietly);
            turns.want(id, start);
        }
        let late = start + Duration::from_secs(10);
        assert!(turns.grant(late).is_some());
        assert_eq!(turns.waits_since(), Some(late));
        let later = late + Duration::from_secs(1);
        turns.end(later, true);
        assert!(turns.grant(later).is_some());
        assert_eq!(turns.waits_since(), None);
    }

    #[tokio::test]
    async fn an_observer_that_reads_late_keeps_its_place_and_is_told_what_it_missed() {
        let (requests, _kept) = mpsc::channel(1);
        let mut turns = Turns::default();
        let start = Instant::now();
        let (mut late, seat) = member::pair(1, Ask::shared("a terminal"), requests);
        turns.seat(1, seat, start);
        let shown = |text: &[u8]| Shown {
            typed: Vec::new(),
            program: text.to_vec(),
        };
        let (mut seen, mut missed) = (0, 0);
        for _ in 0..1000 {
            turns.show(&shown(b"ten bytes\n"));
        }
        turns.want(1, start);
        assert!(turns.grant(start).is_some());
        loop {
            match late.reader.next().await {
                Some(Received::Bytes(bytes)) => seen += bytes.len() as u64,
                Some(Received::News(News::Missed { bytes })) => missed += bytes,
                Some(Received::News(News::Turn)) => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(seen + missed, 10_000);
        assert!(seen > 0 && missed > 0, "{seen} {missed}");
        // It reads again, so it is shown what comes.
        turns.end(start, false);
        turns.show(&shown(b"more"));
        assert_eq!(
            late.reader.next().await,
            Some(Received::Bytes(b"more".to_vec()))
        );
    }
}
