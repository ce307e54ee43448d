//! A client and its session in one process, with nothing between them.

use alloc::string::String;
use core::task::Waker;

use super::{
    client::{ClientEvent, ZylispClient},
    evaluator::Evaluator,
    server::ServerConfig,
    session::{Session, SessionEvent, SessionLimits},
};
use crate::{Input, Instant, Pump};

/// A [`ZylispClient`] and the [`Session`] that answers it. Messages are handed over as they are.
///
/// ```
/// use core::task::Waker;
/// use flylead_core::{Instant, zylisp::*};
///
/// let language = Zylisp::new(lang::Interpreter::new(lang::Limits::default()));
/// let now = Instant::START;
/// let mut zylisp = InProcess::new(now, ServerConfig::default(), SessionLimits::default(), language);
/// zylisp.command(now, |client| client.eval(now, "(+ 1 2)")).unwrap();
/// while zylisp.run(now, 10_000, Waker::noop()) {}
/// let Some(ClientEvent::Reply(reply)) = zylisp.poll_event() else { panic!("it is answered") };
/// assert!(matches!(reply.outcome, ReplyOutcome::Value { value, .. } if value == 3));
/// ```
#[derive(Debug)]
pub struct InProcess<E> {
    client: Pump<ZylispClient>,
    session: Session<E>,
    load: Option<String>,
}

impl<E: Evaluator> InProcess<E> {
    /// A session that begins at `now`, and its client.
    #[must_use]
    pub fn new(now: Instant, config: ServerConfig, limits: SessionLimits, evaluator: E) -> Self {
        Self {
            client: Pump::new(ZylispClient::in_process()),
            session: Session::in_process(now, config, limits, evaluator),
            load: None,
        }
    }

    /// Gives the client a command, and the session what it asks for.
    pub fn command<R>(&mut self, now: Instant, command: impl FnOnce(&mut ZylispClient) -> R) -> R {
        let answer = self.client.command(command);
        self.exchange(now);
        answer
    }

    /// Evaluates for at most about `fuel` operations. Whether there is more to do at once: if not, a
    /// [busy](Self::is_busy) session waits for its waker, or for a file.
    pub fn run(&mut self, now: Instant, fuel: u64, waker: &Waker) -> bool {
        let more = self.session.run(now, fuel, waker);
        self.exchange(now);
        more
    }

    /// What the client learns.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.client.poll_event()
    }

    /// The path of a file that is to be read now, and given to [`loaded`](Self::loaded).
    pub fn poll_load(&mut self) -> Option<String> {
        self.load.take()
    }

    /// Gives the file, or why there is none.
    pub fn loaded(&mut self, now: Instant, source: Result<String, String>) {
        self.session.loaded(now, source);
        self.exchange(now);
    }

    /// Whether something is evaluated, or a file is read for it.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.session.is_idle()
    }

    /// Hands messages over until neither half has any. Requests that find the session full wait with the client.
    fn exchange(&mut self, now: Instant) {
        loop {
            while self.session.wants_input()
                && let Some(request) = self.client.command(ZylispClient::take_message)
            {
                self.session.handle_message(now, *request);
            }
            while let Some(reply) = self.session.take_message() {
                self.client
                    .command(|client| client.handle_message(now, *reply));
            }
            let Some(event) = self.session.poll_event() else {
                return;
            };
            self.event(now, event);
        }
    }

    fn event(&mut self, now: Instant, event: SessionEvent) {
        match event {
            SessionEvent::Load { path } => self.load = Some(path),
            // There is no other session here.
            SessionEvent::InterruptElsewhere { id, .. } => self.session.interrupted(now, id, false),
            SessionEvent::Ended { .. } => self.client.handle_input(now, Input::Closed),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::String, vec::Vec};
    use core::iter;

    use serde_json::json;

    use super::{
        super::{
            Reply, ReplyOutcome, Status, Zylisp,
            lang::{Interpreter, Limits},
        },
        *,
    };

    const NOW: Instant = Instant::START;

    fn zylisp(config: ServerConfig) -> InProcess<Zylisp> {
        let language = Zylisp::new(Interpreter::new(Limits::default()));
        InProcess::new(NOW, config, SessionLimits::default(), language)
    }

    fn start() -> InProcess<Zylisp> {
        zylisp(ServerConfig::default())
    }

    /// What is told while everything that was asked is carried out.
    fn events(zylisp: &mut InProcess<Zylisp>) -> Vec<ClientEvent> {
        while zylisp.run(NOW, 10_000, Waker::noop()) {}
        iter::from_fn(|| zylisp.poll_event()).collect()
    }

    fn replies(zylisp: &mut InProcess<Zylisp>) -> Vec<Reply> {
        let replies = events(zylisp).into_iter().map(|event| match event {
            ClientEvent::Reply(reply) => reply,
            other => panic!("{other:?}"),
        });
        replies.collect()
    }

    #[test]
    fn what_was_asked_is_answered_in_its_order_however_much_it_is() {
        let mut zylisp = start();
        let count = 10_000;
        for number in 0..count {
            zylisp
                .command(NOW, |client| client.eval(NOW, format!("{number}")))
                .unwrap();
        }
        let values = replies(&mut zylisp).into_iter().map(|reply| reply.outcome);
        let wanted = (0..count).map(|number| ReplyOutcome::Value {
            value: json!(number),
            text: None,
        });
        assert!(values.eq(wanted));
        assert!(!zylisp.is_busy());
    }

    #[test]
    fn an_interrupt_overtakes_what_runs_and_a_cancelled_request_is_not_told() {
        let mut zylisp = start();
        let forever = "(define f (lambda () (f))) (f)";
        let ask = |client: &mut ZylispClient| client.eval(NOW, forever).unwrap();
        let cancelled = zylisp.command(NOW, ask);
        zylisp.command(NOW, ask);
        assert!(zylisp.run(NOW, 10_000, Waker::noop()));
        zylisp.command(NOW, |client| client.cancel(NOW, cancelled));
        assert!(zylisp.run(NOW, 10_000, Waker::noop()));
        zylisp
            .command(NOW, |client| client.interrupt(NOW, None))
            .unwrap();
        let told = replies(&mut zylisp);
        assert!(told.iter().any(|reply| reply.status == [Status::Done]));
        assert!(
            told.iter()
                .any(|reply| reply.outcome == ReplyOutcome::Interrupted)
        );
        assert_eq!(told.len(), 2);
    }

    #[test]
    fn a_file_is_asked_for_and_then_evaluated() {
        let mut zylisp = start();
        zylisp
            .command(NOW, |client| client.load_file(NOW, "two.zylisp"))
            .unwrap();
        assert_eq!(zylisp.poll_load().as_deref(), Some("two.zylisp"));
        assert_eq!(zylisp.poll_load(), None);
        zylisp.loaded(NOW, Ok(String::from("(define a 1) (+ a 1)")));
        let [reply] = &replies(&mut zylisp)[..] else {
            panic!("one request is one reply");
        };
        let value = ReplyOutcome::Value {
            value: json!(2),
            text: None,
        };
        assert_eq!(reply.outcome, value);
    }

    #[test]
    fn a_refused_token_is_answered_before_the_session_ends() {
        let config = ServerConfig {
            token: Some("right".into()),
            ..ServerConfig::default()
        };
        let mut zylisp = zylisp(config);
        zylisp
            .command(NOW, |client| client.authorize(NOW, "wrong"))
            .unwrap();
        let events = events(&mut zylisp);
        assert!(
            matches!(&events[..], [ClientEvent::Reply(reply), ClientEvent::Lost { .. }]
            if matches!(reply.outcome, ReplyOutcome::Refused(_))),
            "{events:?}"
        );
    }
}
