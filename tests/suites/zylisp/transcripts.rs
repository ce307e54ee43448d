//! Conversations of both halves of the protocol, byte by byte: `$ new client` and `$ new server`.

use core::task::Waker;

use flylead_core::{
    Input, Instant, Machine, Output,
    zylisp::{
        ClientEvent, Encoding, Reply, ReplyOutcome, ServerConfig, Session, SessionEvent,
        SessionLimits, Status, Zylisp, ZylispClient,
        lang::{Interpreter, Limits},
    },
};
use flylead_tests::transcript::{Protocol, play_folder};

struct Repl;

/// One half. What it tells is text already.
enum Half {
    Client(Box<ZylispClient>),
    Server(Box<Session<Zylisp>>),
}

impl Protocol for Repl {
    type Machine = Half;

    fn start(options: &str) -> Half {
        let mut words = options.split_whitespace();
        match words.next() {
            Some("client") => Half::Client(Box::new(ZylispClient::new(Encoding::Json, 1 << 16))),
            Some("server") => Half::server(words),
            _ => panic!("a transcript begins with `$ new client` or `$ new server`"),
        }
    }

    fn command(machine: &mut Half, now: Instant, text: &str) -> Result<(), String> {
        match machine {
            Half::Client(client) => ask(client, now, text),
            Half::Server(session) => {
                tell(session, now, text);
                run(session, now);
                Ok(())
            }
        }
    }

    fn event(event: &String) -> String {
        event.clone()
    }
}

impl Half {
    fn server<'a>(options: impl Iterator<Item = &'a str>) -> Self {
        let mut config = ServerConfig::default();
        config.session = "s1".into();
        config.message_limit = 1_000;
        for option in options {
            match option.split_once('=') {
                Some(("token", token)) => config.token = Some(token.into()),
                Some(("faults", limit)) => config.fault_limit = limit.parse().unwrap(),
                _ => panic!("unknown option {option}"),
            }
        }
        let language = Zylisp::new(Interpreter::new(Limits::default()));
        let limits = SessionLimits::default();
        Self::Server(Box::new(Session::new(
            Instant::START,
            config,
            limits,
            language,
        )))
    }
}

impl Machine for Half {
    type Event = String;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match self {
            Self::Client(client) => client.handle_input(now, input),
            Self::Server(session) => {
                session.handle_input(now, input);
                run(session, now);
            }
        }
    }

    fn poll_output(&mut self) -> Output<String> {
        match self {
            Self::Client(client) => match client.poll_output() {
                Output::Transmit(bytes) => Output::Transmit(bytes),
                Output::Event(event) => Output::Event(told(event)),
                Output::Idle(deadline) => Output::Idle(deadline),
            },
            Self::Server(session) => {
                let bytes = session.take_transmit();
                if !bytes.is_empty() {
                    return Output::Transmit(bytes);
                }
                match session.poll_event() {
                    Some(event) => Output::Event(wanted(event)),
                    None => Output::Idle(session.deadline()),
                }
            }
        }
    }
}

/// Enough for anything here that ends at all.
fn run(session: &mut Session<Zylisp>, now: Instant) {
    for _ in 0..10 {
        session.run(now, 2_000, Waker::noop());
    }
}

fn ask(client: &mut ZylispClient, now: Instant, text: &str) -> Result<(), String> {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    let asked = match verb {
        "eval" => client.eval(now, rest),
        "eval-live" => client.eval_live(now, rest),
        "load" => client.load_file(now, rest),
        "describe" => client.describe(now),
        "auth" => client.authorize(now, rest),
        "interrupt" => client.interrupt(now, None),
        "interrupt-session" => client.interrupt_session(now, rest, None),
        // Whoever asked last no longer wants to know.
        "eval-and-cancel" => client
            .eval(now, rest)
            .inspect(|request| client.cancel(now, *request)),
        _ => return Err(format!("unknown command {verb}")),
    };
    asked.map(drop).map_err(|error| error.to_string())
}

fn tell(session: &mut Session<Zylisp>, now: Instant, text: &str) {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    match verb {
        "loaded" => session.loaded(now, Ok(rest.into())),
        "not-loaded" => session.loaded(now, Err(rest.into())),
        "interrupt" => drop(session.interrupt(now, None)),
        "interrupted" => session.interrupted(now, rest.into(), true),
        _ => panic!("unknown command {verb}"),
    }
}

fn told(event: ClientEvent) -> String {
    match event {
        ClientEvent::Output { request, output } => format!("Output {request} {output:?}"),
        ClientEvent::Reply(reply) => replied(&reply),
        ClientEvent::Notice(notice) => {
            let why = notice.protocol_error.as_deref().unwrap_or("nothing new");
            format!("Notice {:?} {why}", notice.id)
        }
        ClientEvent::Malformed(reason) => format!("Malformed {reason}"),
        ClientEvent::Lost { unanswered } => {
            let unanswered: Vec<_> = unanswered.iter().map(ToString::to_string).collect();
            format!("Lost unanswered=[{}]", unanswered.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn replied(reply: &Reply) -> String {
    let mut text = match &reply.outcome {
        ReplyOutcome::Value { value, text: None } => format!("value {value}"),
        ReplyOutcome::Value {
            value,
            text: Some(text),
        } => format!("value {value} text {text:?}"),
        ReplyOutcome::Error(error) => format!("{}: {}", error.kind, error.message),
        ReplyOutcome::Interrupted => "interrupted".into(),
        ReplyOutcome::Refused(why) => format!("refused: {why}"),
        other => format!("{other:?}"),
    };
    if !reply.output.is_empty() {
        text += &format!(" output {:?}", reply.output);
    }
    if reply.status.contains(&Status::SessionIdle) {
        text += " session-idle";
    }
    if let Some(ops) = reply.data.get("ops") {
        text += &format!(" ops {ops}");
    }
    format!("Reply {} {text}", reply.request)
}

fn wanted(event: SessionEvent) -> String {
    match event {
        SessionEvent::Load { path } => format!("Load {path}"),
        SessionEvent::InterruptElsewhere {
            session, target, ..
        } => format!("InterruptElsewhere {session} {target:?}"),
        SessionEvent::Ended { reason: None } => "Ended".into(),
        SessionEvent::Ended {
            reason: Some(reason),
        } => format!("Ended {reason}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn every_zylisp_transcript_plays() {
    play_folder::<Repl>("zylisp");
}
