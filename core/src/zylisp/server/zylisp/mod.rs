//! The Zylisp protocol: the meaning of its requests.

mod field;
mod reply;

use alloc::{
    boxed::Box,
    collections::VecDeque,
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use serde_json::json;
use zylisp_lang::{Place, Source};

use super::{Core, Dialect, Server, ServerConfig, ServerLost};
use crate::{
    Instant,
    zylisp::{
        codec::{AnyTokens, Encoding, Field, Level, Malformed, Request},
        evaluator::{EvaluatorFactory, Question, Task},
        message::{Message, Status},
        session::{Interrupted, Job, News, Work},
    },
};

/// The server's side of the Zylisp protocol, for one connection.
pub type ZylispServer = Server<ZylispDialect>;

/// The Zylisp dialect of a server.
#[derive(Debug)]
pub struct ZylispDialect {
    encoding: Encoding,
    /// Messages to a client in the same process, which are not encoded.
    messages: Option<VecDeque<Box<Message>>>,
}

impl ZylispServer {
    /// Creates a connection accepted at `now`. Its sessions use evaluators created by the factory.
    #[must_use]
    pub fn new(
        now: Instant,
        config: impl Into<Arc<ServerConfig>>,
        factory: EvaluatorFactory,
    ) -> Self {
        Self::with_messages(None, now, config.into(), factory)
    }

    /// Creates a connection within a process: nothing is encoded. Messages arrive by
    /// [`handle_message`](Self::handle_message), and leave by [`take_message`](Self::take_message).
    #[must_use]
    pub fn in_process(
        now: Instant,
        config: impl Into<Arc<ServerConfig>>,
        factory: EvaluatorFactory,
    ) -> Self {
        Self::with_messages(Some(VecDeque::new()), now, config.into(), factory)
    }

    fn with_messages(
        messages: Option<VecDeque<Box<Message>>>,
        now: Instant,
        config: Arc<ServerConfig>,
        factory: EvaluatorFactory,
    ) -> Self {
        let encoding = config.encoding;
        let dialect = ZylispDialect { encoding, messages };
        Self::speaking(now, dialect, config, factory)
    }

    /// Handles a message of a client in the same process.
    pub fn handle_message(&mut self, now: Instant, message: Message) {
        self.request(now, field::request_of(message));
    }

    /// Returns the next message to a client in the same process.
    pub fn take_message(&mut self) -> Option<Box<Message>> {
        self.dialect().messages.as_mut()?.pop_front()
    }
}

impl ZylispDialect {
    fn send(&mut self, out: &mut Vec<u8>, message: Message) {
        match &mut self.messages {
            Some(messages) => messages.push_back(Box::new(message)),
            None => self.encoding.encode(&message, out),
        }
    }

    fn refuse(&mut self, core: &mut Core, id: String, why: impl Into<String>) {
        self.send(&mut core.out, Message::protocol_error(id, why));
    }

    fn done(&mut self, core: &mut Core, id: String, data: serde_json::Value) {
        let reply = Message {
            data: data.as_object().filter(|data| !data.is_empty()).cloned(),
            ..Message::reply(id, Status::Done)
        };
        self.send(&mut core.out, reply);
    }

    /// Carries out an operation, or returns the reason for a refusal.
    fn carry_out(&mut self, core: &mut Core, now: Instant, request: Request) -> Result<(), String> {
        let op: String = request.op().into();
        if op != "auth" && !core.is_authorized() {
            return Err(
                "this server requires a token: send the operation `auth` with data.token first"
                    .into(),
            );
        }
        match op.as_str() {
            "auth" => self.authorize(core, &request),
            "describe" => self.describe(core, now, &request),
            "eval" => eval(core, request),
            "load-file" => load(core, request),
            "more" => enqueue(core, &request, |page| {
                Work::Task(Task::Page { length: page })
            }),
            "interrupt" => self.interrupt(core, request),
            "stdin" => self.input(core, now, &request),
            "complete" => {
                let prefix = request.get(Field::Prefix).unwrap_or_default().into();
                self.help(core, now, &request, Question::Complete { prefix })
            }
            "info" | "lookup" | "eldoc" => {
                let name = request.get(Field::Symbol).unwrap_or_default().into();
                self.help(core, now, &request, Question::LookUp { name })
            }
            "ls-sessions" => {
                let names: Vec<_> = core.sessions.names().collect();
                let data = json!({"sessions": names});
                self.done(core, request.id(), data);
                Ok(())
            }
            "clone" => self.clone_session(core, now, &request),
            "close" => self.close_session(core, now, &request),
            op => Err(format!("unknown operation: {}", brief(op))),
        }
    }

    fn authorize(&mut self, core: &mut Core, request: &Request) -> Result<(), String> {
        if core.authorize(request.get(Field::Token)) {
            self.done(core, request.id(), json!({}));
        } else {
            let why = "not the token of this server";
            self.refuse(core, request.id(), why);
            core.lose(ServerLost::Unauthorized);
        }
        Ok(())
    }

    fn interrupt(&mut self, core: &mut Core, mut request: Request) -> Result<(), String> {
        let id = request.id();
        let target = request.take(Field::InterruptId);
        let session = session_of(&request).map(String::from);
        match session {
            Some(session) if !core.sessions.has(Some(&session)) => {
                core.elsewhere(id, session, target);
            }
            session => {
                let found = core.interrupt(self, session.as_deref(), target.as_deref());
                self.interrupted(core, id, found);
            }
        }
        Ok(())
    }

    fn input(&mut self, core: &mut Core, now: Instant, request: &Request) -> Result<(), String> {
        let text = request.get(Field::Input);
        let text = text.ok_or(
            "`stdin` needs data.stdin: lines with their ends, or nothing for the end of the input",
        )?;
        core.sessions.input(now, session_of(request), text)?;
        self.done(core, request.id(), json!({}));
        Ok(())
    }

    /// Answers a question about names immediately if the evaluator can, otherwise in turn.
    fn help(
        &mut self,
        core: &mut Core,
        now: Instant,
        request: &Request,
        question: Question,
    ) -> Result<(), String> {
        check_session(core, request)?;
        match core.sessions.help(now, session_of(request), &question) {
            Some(help) => {
                self.send(&mut core.out, reply::help(request.id(), &help));
                Ok(())
            }
            None => enqueue(core, request, |_| Work::Task(Task::Help(question))),
        }
    }

    fn clone_session(
        &mut self,
        core: &mut Core,
        now: Instant,
        request: &Request,
    ) -> Result<(), String> {
        let name = core.sessions.clone_of(now, session_of(request))?;
        self.done(core, request.id(), json!({"session": name}));
        Ok(())
    }

    fn close_session(
        &mut self,
        core: &mut Core,
        now: Instant,
        request: &Request,
    ) -> Result<(), String> {
        check_session(core, request)?;
        core.with_sessions(self, |sessions, told| {
            sessions.close(now, session_of(request), told)
        });
        self.done(core, request.id(), json!({}));
        Ok(())
    }

    fn describe(&mut self, core: &mut Core, now: Instant, request: &Request) -> Result<(), String> {
        let abilities = core.sessions.abilities(now, session_of(request));
        let ops: Vec<_> = OPS.iter().filter(|op| abilities.allow(op)).collect();
        let encoding = match self.messages {
            None => self.encoding.name(),
            Some(_) => "none",
        };
        let config = &core.config;
        let data = json!({
            "versions": {"zylisp": "0.1.0", "protocol": "0.1.0"},
            "ops": ops,
            "transports": config.transports,
            "server": {"name": "flylead", "version": env!("CARGO_PKG_VERSION")},
            "encoding": encoding,
            "stream": true,
            "evaluator": config.evaluator,
            "session": core.sessions.names().next(),
            "limits": {"message": config.message_limit, "page": config.page},
        });
        self.done(core, request.id(), data);
        Ok(())
    }
}

impl Dialect for ZylispDialect {
    type Tokens = AnyTokens;

    fn tokens(&self) -> AnyTokens {
        AnyTokens::new(self.encoding)
    }

    fn field(level: Level, name: &[u8]) -> Option<Field> {
        field::field(level, name)
    }

    fn request(&mut self, core: &mut Core, now: Instant, request: Request) {
        let id = request.id();
        if let Err(why) = self.carry_out(core, now, request) {
            self.refuse(core, id, why);
        }
    }

    fn malformed(&mut self, core: &mut Core, malformed: &Malformed) {
        self.refuse(core, malformed.id.clone(), malformed.reason.to_string());
    }

    fn news(&mut self, out: &mut Vec<u8>, _session: &str, id: &str, news: News) {
        let message = match news {
            News::Output(output) => Message::output(id, output),
            News::NeedsInput => Message::reply(id, Status::NeedInput),
            News::Done(finished) => reply::finished(id.into(), finished),
            // This protocol never requests each form's value.
            News::Form(_) | News::Load(_) => return,
        };
        self.send(out, message);
    }

    fn interrupted(&mut self, core: &mut Core, id: String, found: Option<Interrupted>) {
        let mut reply = Message::reply(id, Status::Done);
        match found {
            Some(Interrupted::Found) => {}
            Some(Interrupted::Mismatch) => reply.status.push(Status::InterruptIdMismatch),
            Some(Interrupted::Idle) | None => reply.status.push(Status::SessionIdle),
        }
        self.send(&mut core.out, reply);
    }

    /// Sends a line end, which JSON readers ignore; in MessagePack, an empty map is a message without content.
    fn probe(&mut self, core: &mut Core) {
        core.out.push(match self.encoding {
            Encoding::Json => b'\n',
            Encoding::MessagePack => 0x80,
        });
    }
}

fn eval(core: &mut Core, mut request: Request) -> Result<(), String> {
    let code = request.take(Field::Code).ok_or("`eval` needs `code`")?;
    let source = source_of(code, &request);
    enqueue(core, &request, |page| {
        Work::Task(Task::Eval { source, page })
    })
}

/// Returns a program, and its origin.
fn source_of(code: String, request: &Request) -> Source {
    let name = request.get(Field::FilePath).or(request.get(Field::File));
    let name = name.or(request.get(Field::FileName));
    Source {
        name: name.filter(|name| !name.is_empty()).map(Into::into),
        start: Place {
            line: request.number(Field::Line).unwrap_or(1).max(1),
            column: request.number(Field::Column).unwrap_or(1).max(1),
        },
        ..Source::from(code)
    }
}

fn load(core: &mut Core, request: Request) -> Result<(), String> {
    let paths = [Field::FilePath, Field::File].map(|field| request.get(field));
    let mut paths = paths.into_iter().flatten().filter(|path| !path.is_empty());
    let path = paths
        .next()
        .ok_or("`load-file` needs `file-path` or `file`")?;
    let path = path.into();
    enqueue(core, &request, |page| Work::Load { path, page })
}

fn enqueue(
    core: &mut Core,
    request: &Request,
    work: impl FnOnce(usize) -> Work,
) -> Result<(), String> {
    check_session(core, request)?;
    let longest = core.config.page;
    let page = request.number(Field::Page).unwrap_or(longest);
    let job = Job {
        id: request.id(),
        work: work(page.clamp(1, longest)),
        streams: request.get(Field::Stream) == Some("true"),
    };
    core.enqueue(session_of(request), job).map_err(String::from)
}

fn check_session(core: &Core, request: &Request) -> Result<(), String> {
    match core.sessions.has(session_of(request)) {
        true => Ok(()),
        false => {
            Err("there is no such session on this connection; `ls-sessions` lists them".into())
        }
    }
}

/// Returns the session that a request names; an empty name counts as none.
fn session_of(request: &Request) -> Option<&str> {
    request.get(Field::Session).filter(|name| !name.is_empty())
}

fn brief(op: &str) -> &str {
    &op[..op.floor_char_boundary(100)]
}

const OPS: [&str; 14] = [
    "eval",
    "load-file",
    "describe",
    "interrupt",
    "auth",
    "stdin",
    "complete",
    "info",
    "eldoc",
    "lookup",
    "ls-sessions",
    "clone",
    "close",
    "more",
];
