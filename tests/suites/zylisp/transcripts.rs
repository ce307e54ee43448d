//! Conversations of both halves of the protocol, byte by byte: `$ new client` and `$ new server`.

use flylead_core::{
    Input, Instant, Machine, Output,
    zylisp::{
        ClientEvent, Encoding, Interrupted, Program, Reply, ReplyOutcome, ServerConfig,
        ServerEvent, Status, Zylisp, ZylispClient, ZylispServer,
        lang::{Budget, Limits, Source},
    },
};
use flylead_tests::transcript::{Protocol, play_folder};

struct Repl;

/// One half. What it tells is text already.
enum Half {
    Client(Box<ZylispClient>),
    Server(Box<ZylispServer>),
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
            Half::Server(server) => {
                tell(server, now, text);
                run(server, now);
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
        let language = Zylisp::factory(Limits::default(), Budget::unlimited());
        Self::Server(Box::new(ZylispServer::new(
            Instant::START,
            config,
            language,
        )))
    }
}

impl Machine for Half {
    type Event = String;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match self {
            Self::Client(client) => client.handle_input(now, input),
            Self::Server(server) => {
                server.handle_input(now, input);
                run(server, now);
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
            Self::Server(server) => match server.poll_output() {
                Output::Transmit(bytes) => Output::Transmit(bytes),
                Output::Event(event) => Output::Event(wanted(event)),
                Output::Idle(deadline) => Output::Idle(deadline),
            },
        }
    }
}

/// Enough for anything here that ends at all.
fn run(server: &mut ZylispServer, now: Instant) {
    for _ in 0..10 {
        if server.wants_turn() {
            server.handle_input(now, Input::Timeout);
        }
    }
}

fn ask(client: &mut ZylispClient, _: Instant, text: &str) -> Result<(), String> {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    let asked = match verb {
        "eval" => client.eval(rest),
        "eval-live" => client.eval(Program::from(rest).live()),
        "input" => client.input(&rest.replace("\\n", "\n")),
        "complete" => client.complete(rest),
        "look-up" => client.look_up(rest),
        "more" => client.more(rest.parse().unwrap()),
        "clone" => client.clone_session(),
        "use" => {
            client.use_session(Some(rest.into()).filter(|name: &String| !name.is_empty()));
            return Ok(());
        }
        "load" => client.load_file(rest),
        "describe" => client.describe(),
        "auth" => client.authorize(rest),
        "interrupt" => client.interrupt(None),
        "interrupt-session" => client.interrupt_session(rest, None),
        // Whoever asked last no longer wants to know.
        "eval-and-cancel" => client.eval(rest).inspect(|request| client.cancel(*request)),
        _ => return Err(format!("unknown command {verb}")),
    };
    asked.map(drop).map_err(|error| error.to_string())
}

fn tell(server: &mut ZylispServer, now: Instant, text: &str) {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    match verb {
        "loaded" => server.loaded(now, "s1", Ok(Source::from(rest))),
        "not-loaded" => server.loaded(now, "s1", Err(rest.into())),
        "interrupt" => drop(server.interrupt(now, "s1", None)),
        "interrupted" => server.interrupted(rest.into(), Some(Interrupted::Found)),
        _ => panic!("unknown command {verb}"),
    }
}

fn told(event: ClientEvent) -> String {
    match event {
        ClientEvent::Output { request, output } => format!("Output {request} {output:?}"),
        ClientEvent::NeedsInput { request } => format!("NeedsInput {request}"),
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

fn wanted(event: ServerEvent) -> String {
    match event {
        ServerEvent::Load(load) => format!("Load {}", load.path),
        ServerEvent::InterruptElsewhere(elsewhere) => format!(
            "InterruptElsewhere {} {:?}",
            elsewhere.session, elsewhere.target
        ),
        ServerEvent::Ended { reason: None } => "Ended".into(),
        ServerEvent::Ended {
            reason: Some(reason),
        } => format!("Ended {reason}"),
    }
}

#[test]
fn every_zylisp_transcript_plays() {
    play_folder::<Repl>("zylisp");
}
