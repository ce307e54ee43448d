//! A client and its session in one process, without a link between them.

use super::{
    client::{ClientEvent, ZylispClient},
    evaluator::EvaluatorFactory,
    lang::Source,
    server::{ServerConfig, ServerEvent, ZylispServer},
};
use crate::{Input, Instant, Machine, Pump};
use alloc::string::String;

/// A [`ZylispClient`] and the [`ZylispServer`] that answers it. Messages are passed without encoding.
///
/// ```
/// use flylead_core::{Instant, zylisp::*};
///
/// let language = Zylisp::factory(lang::Limits::default(), lang::Budget::unlimited());
/// let now = Instant::START;
/// let mut zylisp = InProcess::new(now, ServerConfig::default(), language);
/// zylisp.command(now, |client| client.eval("(+ 1 2)")).unwrap();
/// while zylisp.run(now) {}
/// let Some(ClientEvent::Reply(reply)) = zylisp.poll_event() else { panic!("it is answered") };
/// assert!(matches!(reply.outcome, ReplyOutcome::Value { value, .. } if value == 3));
/// ```
#[derive(Debug)]
pub struct InProcess {
    client: Pump<ZylispClient>,
    server: Pump<ZylispServer>,
    load: Option<(String, String)>,
}

impl InProcess {
    /// Creates a session that begins at `now`, and its client.
    #[must_use]
    pub fn new(now: Instant, config: ServerConfig, factory: EvaluatorFactory) -> Self {
        Self {
            client: Pump::new(ZylispClient::in_process()),
            server: Pump::new(ZylispServer::in_process(now, config, factory)),
            load: None,
        }
    }

    /// Passes a command to the client, and the resulting requests to the session.
    pub fn command<R>(&mut self, now: Instant, command: impl FnOnce(&mut ZylispClient) -> R) -> R {
        let answer = self.client.command(command);
        self.exchange(now);
        answer
    }

    /// Evaluates for a turn. Returns true if work remains that can continue immediately: if not, a
    /// [busy](Self::is_busy) session waits for input, or for a file.
    pub fn run(&mut self, now: Instant) -> bool {
        self.server.handle_input(now, Input::Timeout);
        self.exchange(now);
        self.server.machine().wants_turn()
    }

    /// Returns the next event for the client.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.client.poll_event()
    }

    /// Returns a file to read now: the session's name, to pass to [`loaded`](Self::loaded), and the path.
    pub fn poll_load(&mut self) -> Option<(String, String)> {
        self.load.take()
    }

    /// Passes the file to a session, or the reason why it cannot be read.
    pub fn loaded(&mut self, now: Instant, session: &str, source: Result<Source, String>) {
        self.server
            .command(|server| server.loaded(now, session, source));
        self.exchange(now);
    }

    /// Time at which to [`run`](Self::run) it if no other event occurs.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.server.deadline()
    }

    /// Returns true while code is evaluated, or a file is read for it.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.server.machine().is_idle()
    }

    /// Exchanges messages until neither side has any. Requests for a full session wait with the client.
    fn exchange(&mut self, now: Instant) {
        loop {
            while self.server.machine().wants_input()
                && let Some(request) = self.client.command(ZylispClient::take_message)
            {
                self.server
                    .command(|server| server.handle_message(now, *request));
            }
            while let Some(reply) = self.server.command(ZylispServer::take_message) {
                self.client.command(|client| client.handle_message(*reply));
            }
            let Some(event) = self.server.poll_event() else {
                return;
            };
            self.event(now, event);
        }
    }

    fn event(&mut self, now: Instant, event: ServerEvent) {
        match event {
            ServerEvent::Load(load) => self.load = Some((load.session, load.path)),
            // No other session exists here.
            ServerEvent::InterruptElsewhere(elsewhere) => self
                .server
                .command(|server| server.interrupted(elsewhere.id, None)),
            ServerEvent::Ended { .. } => self.client.handle_input(now, Input::Closed),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec::Vec};
    use core::iter;

    use serde_json::json;

    use super::{
        super::{
            Reply, ReplyOutcome, Status, Zylisp,
            lang::{Budget, Limits},
        },
        *,
    };

    const NOW: Instant = Instant::START;

    fn zylisp(config: ServerConfig) -> InProcess {
        let language = Zylisp::factory(Limits::default(), Budget::unlimited());
        InProcess::new(NOW, config, language)
    }

    fn start() -> InProcess {
        zylisp(ServerConfig::default())
    }

    /// Returns the events up to the completion of all requests.
    fn events(zylisp: &mut InProcess) -> Vec<ClientEvent> {
        while zylisp.run(NOW) {}
        iter::from_fn(|| zylisp.poll_event()).collect()
    }

    fn replies(zylisp: &mut InProcess) -> Vec<Reply> {
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
                .command(NOW, |client| client.eval(format!("{number}")))
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
        let ask = |client: &mut ZylispClient| client.eval(forever).unwrap();
        let cancelled = zylisp.command(NOW, ask);
        zylisp.command(NOW, ask);
        assert!(zylisp.run(NOW));
        zylisp.command(NOW, |client| client.cancel(cancelled));
        assert!(zylisp.run(NOW));
        zylisp
            .command(NOW, |client| client.interrupt(None))
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
            .command(NOW, |client| client.load_file("two.zylisp"))
            .unwrap();
        let (session, path) = zylisp.poll_load().unwrap();
        assert_eq!(path, "two.zylisp");
        assert_eq!(zylisp.poll_load(), None);
        zylisp.loaded(NOW, &session, Ok(Source::from("(define a 1) (+ a 1)")));
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
            .command(NOW, |client| client.authorize("wrong"))
            .unwrap();
        let events = events(&mut zylisp);
        assert!(
            matches!(&events[..], [ClientEvent::Reply(reply), ClientEvent::Lost { .. }]
            if matches!(reply.outcome, ReplyOutcome::Refused(_))),
            "{events:?}"
        );
    }
}
