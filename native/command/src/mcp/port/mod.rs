//! One port as all calls see it, regardless of its owner.

mod echo;
mod state;
pub(crate) mod turn;
mod unread;
pub(crate) mod worker;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use flylead_core::export::Command;
use flylead_native::{export::Mark, link::Address};
use regex::bytes::Regex;
use tokio::{
    sync::{Notify, watch},
    time::{self, Instant},
};

use super::answer::{Fault, Status};
use state::{Activity, State};

/// Returns the address of a port of this computer, or of one that RFC 2217 serves from another.
pub(super) fn address_of(name: &str, baud: u32) -> Address {
    let remote = name.starts_with("rfc2217://").then(|| name.parse().ok());
    match remote.flatten() {
        Some(remote @ Address::Rfc2217 { .. }) => remote.or_baud(Some(baud)),
        _ => Address::Serial {
            path: name.to_owned(),
            baud: Some(baud),
        },
    }
}

/// A port: its device's output, and its current activity.
///
/// Reading its state never waits. Using the port takes its [turn](turn).
#[derive(Debug)]
pub(super) struct Port {
    pub(super) name: String,
    state: Mutex<State>,
    news: watch::Sender<()>,
    /// Signal that another tool waits for the board at the hub that owns it.
    wanted: watch::Sender<bool>,
}

impl Port {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            state: Mutex::new(State::new()),
            news: watch::Sender::new(()),
            wanted: watch::Sender::new(false),
        }
    }

    /// Returns the port's address at this speed.
    pub(super) fn address(&self, baud: u32) -> Address {
        address_of(&self.name, baud)
    }

    /// Returns the mark of a recording at this port, which all programs share.
    fn mark(&self) -> Option<Mark> {
        Mark::of(&self.address(Address::DEFAULT_BAUD))
    }

    /// Returns an error while an export or a program is in progress.
    pub(super) fn check_free(&self) -> Result<(), Fault> {
        let state = self.state();
        match &state.activity {
            Activity::Closed | Activity::Open | Activity::Reconnecting => Ok(()),
            Activity::Running { .. } => Err(Fault::busy(
                "another call runs a program on this port; wait for it, or end it with serial.cancel",
            )),
            Activity::Exporting { .. } => {
                let id = state
                    .exports
                    .back()
                    .and_then(|export| export.export_id.clone());
                let id = id.unwrap_or_default();
                Err(Fault::busy(format!(
                    "the export {id} is under way on this port; wait for it, or end it with serial.cancel"
                )))
            }
        }
    }

    /// Returns an error while the device records: talking to a board interrupts the program that records, and so may
    /// opening the port at another speed.
    pub(super) fn check_not_recording(&self) -> Result<(), Fault> {
        match self.recording() {
            None => Ok(()),
            Some(run_id) => Err(Fault::new(
                "recording",
                format!(
                    "the run {run_id} is being recorded on this port, and this would end it; send STOP with serial.write first"
                ),
                false,
            )),
        }
    }

    /// Returns the run that is being recorded, regardless of the program that began it.
    pub(super) fn recording(&self) -> Option<String> {
        let own = self.state().recording.clone();
        own.or_else(|| Some(self.mark()?.read()?.run_id.to_string()))
    }

    /// Returns a receiver that is notified of anything new.
    pub(super) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// Returns the state of the port, or of its newest export if nothing was sent since.
    pub(super) fn status(&self) -> Status {
        self.state().status()
    }

    /// Returns the state of an export of this port.
    pub(super) fn export(&self, export_id: &str) -> Option<Status> {
        let state = self.state();
        let is = |export: &&Status| export.export_id.as_deref() == Some(export_id);
        let mut export = state.exports.iter().find(is)?.clone();
        export.device_reset_seen = state.reset_seen;
        Some(export)
    }

    /// Returns the device's output since the last call, and the number of bytes dropped; if there is too much output,
    /// only its oldest part.
    pub(super) fn take_lines(&self) -> (Vec<String>, u64) {
        let mut state = self.state();
        (state.unread.take_lines(), state.unread.take_lost())
    }

    /// Returns the position after the device's output so far, for [`find`](Self::find).
    pub(super) fn end_of_unread(&self) -> u64 {
        self.state().unread.end()
    }

    /// Takes the device's output up to the line that matches, if that comes after `from` and is not an echo.
    pub(super) fn find(&self, wanted: &Regex, from: u64) -> Option<Vec<String>> {
        self.state().unread.take_to(wanted, from)
    }

    /// Returns the last unread lines, which stay unread.
    pub(super) fn unread_lines(&self) -> Vec<String> {
        self.state().unread.last_lines()
    }

    /// Notes a use of the port, which keeps it open.
    pub(super) fn touch(&self) {
        self.state().used = Instant::now();
    }

    /// Waits until the port has been unused for this long. A port whose device records counts as used.
    pub(super) async fn idle(&self, idle: Duration) {
        loop {
            let used = self.state().used;
            time::sleep_until(used + idle).await;
            if self.is_unused_since(used) {
                return;
            }
            // A recording device is checked again later.
            time::sleep(idle.min(RECORDING_PAUSE)).await;
        }
    }

    /// Notes whether another tool waits for the board.
    pub(super) fn set_wanted(&self, is_wanted: bool) {
        self.wanted.send_replace(is_wanted);
    }

    /// Waits until another tool waits for the board and no call uses it.
    pub(super) async fn wanted(&self) {
        let mut wanted = self.wanted.subscribe();
        // This port keeps the sender.
        let _ = wanted.wait_for(|wanted| *wanted).await;
        self.idle(WANTED_IDLE).await;
    }

    fn is_unused_since(&self, used: Instant) -> bool {
        let state = self.state();
        state.used == used && state.recording.is_none()
    }

    pub(super) fn opened(&self, notice: Option<String>) {
        self.change(|state| {
            state.activity = Activity::Open;
            state.reset_seen = false;
            state.notice = notice.or(state.notice.take());
        });
    }

    pub(super) fn reconnecting(&self) {
        self.change(|state| {
            state.shows_export = false;
            state.activity = Activity::Reconnecting;
        });
    }

    pub(super) fn closed(&self, why: &str) {
        self.change(|state| {
            state.activity = Activity::Closed;
            state.notice = Some(why.to_owned());
        });
    }

    pub(super) fn take_notice(&self) -> Option<String> {
        self.state().notice.take()
    }

    /// Notes bytes that are being sent.
    pub(super) fn sending(&self, bytes: &[u8]) {
        match (Command::parse(bytes), self.mark()) {
            (Ok(Command::Start(run_id)), Some(mark)) => mark.begin(&run_id),
            (Ok(Command::Stop), Some(mark)) => mark.end(),
            _ => {}
        }
        self.change(|state| {
            state.shows_export = false;
            state.unread.sending(bytes);
            match Command::parse(bytes) {
                Ok(Command::Start(run_id)) => {
                    let run_id = run_id.to_string();
                    state.recording = Some(run_id);
                    state.line.clear();
                }
                Ok(Command::Stop) => state.recording = None,
                Ok(Command::Export { .. }) | Err(_) => {}
            }
        });
    }

    /// Adds output of the device that is not part of a log.
    pub(super) fn received(&self, bytes: &[u8]) {
        let mut has_ended = false;
        self.change(|state| {
            let was_recording = state.recording.is_some();
            state.unread.add(bytes);
            state.look_for_refusal(bytes);
            has_ended = was_recording && state.recording.is_none();
        });
        if has_ended {
            self.unmark();
        }
    }

    /// Removes the mark of a recording that has ended, for all programs.
    fn unmark(&self) {
        if let Some(mark) = self.mark() {
            mark.end();
        }
    }

    pub(super) fn reset_seen(&self) {
        self.unmark();
        self.change(|state| {
            state.reset_seen = true;
            state.recording = None;
        });
    }

    /// Begins an export, and returns the signal that cancels it.
    pub(super) fn begin_export(&self, export: Status) -> Arc<Notify> {
        let cancel = Arc::new(Notify::new());
        self.change(|state| {
            state.activity = Activity::Exporting {
                cancel: Arc::clone(&cancel),
            };
            state.shows_export = true;
            state.exports.push_back(export);
            let excess = state.exports.len().saturating_sub(EXPORTS);
            state.exports.drain(..excess);
        });
        cancel
    }

    /// Updates the newest export.
    pub(super) fn export_goes_on(&self, change: impl FnOnce(&mut Status)) {
        self.change(|state| {
            if let Some(export) = state.exports.back_mut() {
                change(export);
            }
        });
    }

    /// Ends the newest export.
    pub(super) fn end_export(&self, change: impl FnOnce(&mut Status)) {
        self.change(|state| {
            state.activity = Activity::Open;
            if let Some(export) = state.exports.back_mut() {
                change(export);
            }
        });
    }

    /// Begins the use of a board, and returns the signal that cancels it.
    pub(super) fn begin_running(&self) -> Arc<Notify> {
        let cancel = Arc::new(Notify::new());
        self.change(|state| {
            state.shows_export = false;
            state.in_background = false;
            state.activity = Activity::Running {
                cancel: Arc::clone(&cancel),
            };
        });
        cancel
    }

    /// Notes that the board's program goes on while the port is only listened to.
    pub(super) fn goes_on(&self) {
        self.change(|state| state.in_background = true);
    }

    /// Returns true if a program was left to run, and forgets it.
    pub(super) fn take_background(&self) -> bool {
        let mut was = false;
        self.change(|state| was = std::mem::take(&mut state.in_background));
        was
    }

    pub(super) fn end_running(&self) {
        self.change(|state| state.activity = Activity::Closed);
    }

    /// Cancels the current export or program. Returns false if there is none.
    pub(super) fn cancel(&self) -> bool {
        match &self.state().activity {
            Activity::Exporting { cancel } | Activity::Running { cancel } => {
                cancel.notify_one();
                true
            }
            Activity::Closed | Activity::Open | Activity::Reconnecting => false,
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.news.send_replace(());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time that a port which another tool waits for stays open after a call, in case another call follows.
const WANTED_IDLE: Duration = Duration::from_secs(1);
/// Time after the end of a recording until its port may count as unused.
const RECORDING_PAUSE: Duration = Duration::from_secs(10);
/// Number of exports to remember for a port.
const EXPORTS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_says_what_is_under_way_and_not_what_was() {
        let port = Port::new("COM7");
        let state = || port.status().state;
        assert_eq!(state(), "closed");
        port.opened(None);
        assert_eq!(state(), "open");
        port.sending(b"START run_id=run001\n");
        assert_eq!(
            (state(), port.status().run_id),
            ("recording".into(), Some("run001".into()))
        );
        port.sending(b"STOP\n");
        assert_eq!(state(), "open");
        port.begin_export(Status {
            state: "done".into(),
            ..Status::default()
        });
        port.end_export(|_| ());
        assert_eq!(state(), "done");
        port.sending(b"START run_id=run002\n");
        assert_eq!(state(), "recording");
        port.received(b"ERROR: no ca");
        assert_eq!(state(), "recording");
        port.received(b"rd\r\n");
        assert_eq!(state(), "open");
    }

    /// Cancels an export after its end, when nothing waits for the signal any more.
    #[tokio::test]
    async fn what_was_cancelled_too_late_does_not_cancel_the_next_export() {
        let port = Port::new("COM7");
        port.begin_export(Status::default());
        assert!(port.cancel());
        port.end_export(|_| ());
        assert!(!port.cancel(), "nothing is under way");
        let next = port.begin_export(Status::default());
        let cancelled = time::timeout(Duration::from_millis(50), next.notified());
        assert!(cancelled.await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_port_is_idle_when_nobody_looked_at_it_for_its_time_and_nothing_is_recorded() {
        let port = Port::new("COM7");
        let minutes = |count: u64| Duration::from_secs(60 * count);
        port.opened(None);
        let began = Instant::now();
        let polling = async {
            for _ in 0..3 {
                time::sleep(minutes(4)).await;
                port.touch();
            }
        };
        tokio::join!(polling, port.idle(minutes(5)));
        assert!(began.elapsed() >= minutes(17), "{:?}", began.elapsed());
        port.sending(b"START run_id=run001\n");
        let idle = time::timeout(minutes(60), port.idle(minutes(5))).await;
        assert!(idle.is_err(), "it records");
        port.sending(b"STOP\n");
        assert!(
            time::timeout(minutes(6), port.idle(minutes(5)))
                .await
                .is_ok()
        );
    }
}
