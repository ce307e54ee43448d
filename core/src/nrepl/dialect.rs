//! Interprets the requests of nREPL.

use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use zylisp_lang::{Place, Source};

use super::{
    bencode::{BencodeTokens, Map, Value},
    reply::{NAMESPACE, Replies},
};
use crate::{
    Instant,
    zylisp::{
        Abilities, Dialect, EvaluatorFactory, Interrupted, Outcome, Question, Server, ServerConfig,
        Task,
        codec::{Field, Level, Malformed, Request},
        server::Core,
        session::{Finished, Job, News, Work},
    },
};

/// The server's side of nREPL, for one connection.
///
/// A server with the one-page [driver](crate::Pump), and a handwritten request:
///
/// ```
/// use flylead_core::{nrepl::NreplServer, zylisp::{ServerConfig, Zylisp, lang::{Budget, Limits}}};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/driver.rs"));
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// let (mut editor, mut socket) = UnixStream::pair()?;
/// std::thread::spawn(move || {
///     let language = Zylisp::factory(Limits::default(), Budget::unlimited());
///     let server = NreplServer::nrepl(Instant::START, ServerConfig::default(), language);
///     drive(&mut socket, &mut Pump::new(server), |_, _| true)
/// });
/// editor.write_all(b"d4:code7:(+ 1 2)2:id1:12:op4:evale")?;
/// let (mut said, mut chunk) = (Vec::<u8>::new(), [0; 256]);
/// while !said.windows(6).any(|word| word == b"4:done") {
///     let length = editor.read(&mut chunk)?;
///     said.extend(&chunk[..length]);
/// }
/// assert!(said.windows(10).any(|word| word == b"5:value1:3"));
/// # Ok(())
/// # }
/// ```
pub type NreplServer = Server<NreplDialect>;

/// The nREPL dialect of a server.
#[derive(Debug)]
pub struct NreplDialect {
    /// Pending look-ups of names: the session, the request's id, and the operation.
    asked: Vec<(String, String, String)>,
}

impl NreplServer {
    /// Creates a connection that was accepted at `now`. Its sessions use evaluators created by the factory. The
    /// protocol cannot carry a token: with one in `config`, every request is refused.
    #[must_use]
    pub fn nrepl(
        now: Instant,
        config: impl Into<Arc<ServerConfig>>,
        factory: EvaluatorFactory,
    ) -> Self {
        let dialect = NreplDialect { asked: Vec::new() };
        Self::speaking(now, dialect, config.into(), factory)
    }
}

/// A refusal: a keyword for programs, and a sentence for people.
type Refusal = (&'static str, String);

impl NreplDialect {
    fn carry_out(
        &mut self,
        core: &mut Core,
        now: Instant,
        request: Request,
    ) -> Result<(), Refusal> {
        if !core.is_authorized() {
            return Err((
                "unauthorized",
                "nREPL clients cannot present this server's token".into(),
            ));
        }
        let operation: String = request.op().into();
        if operation != "interrupt" {
            check_session(core, &request)?;
        }
        let abilities = core.sessions.abilities(now, session_of(&request));
        if !abilities.allow(&operation) {
            return Err(unknown_operation());
        }
        match operation.as_str() {
            "eval" => eval(core, request),
            "load-file" => load_file(core, request),
            "clone" => clone_session(core, now, &request),
            "close" => self.close(core, now, &request),
            "ls-sessions" => {
                let names = Value::from_iter(core.sessions.names());
                done(core, &request, [("sessions", names)]);
                Ok(())
            }
            "describe" => describe(core, &request, abilities),
            "interrupt" => {
                self.interrupt(core, request);
                Ok(())
            }
            "stdin" => input(core, now, &request),
            "completions" | "complete" => {
                let prefix = request.get(Field::Prefix).or(request.get(Field::Symbol));
                let prefix = prefix.unwrap_or_default().into();
                self.help(core, now, &request, Question::Complete { prefix })
            }
            "lookup" | "info" | "eldoc" => {
                let name = request.get(Field::Symbol).unwrap_or_default().into();
                self.help(core, now, &request, Question::LookUp { name })
            }
            _ => Err(unknown_operation()),
        }
    }

    /// Answers a look-up of names immediately if the evaluator can, otherwise in turn.
    fn help(
        &mut self,
        core: &mut Core,
        now: Instant,
        request: &Request,
        question: Question,
    ) -> Result<(), Refusal> {
        let session: String = session_name(core, request).into();
        match core.sessions.help(now, session_of(request), &question) {
            Some(help) => {
                replies(&mut core.out, &session, request).help(request.op(), &help);
                Ok(())
            }
            None => {
                enqueue(core, request, Work::Task(Task::Help(question)))?;
                self.asked
                    .push((session, request.id(), request.op().into()));
                Ok(())
            }
        }
    }

    /// Returns the operation whose look-up has now been answered, and removes it.
    fn asked(&mut self, session: &str, id: &str) -> Option<String> {
        let is_this = |asked: &(String, String, String)| asked.0 == session && asked.1 == id;
        let at = self.asked.iter().position(is_this)?;
        Some(self.asked.remove(at).2)
    }

    fn close(&mut self, core: &mut Core, now: Instant, request: &Request) -> Result<(), Refusal> {
        let session = session_of(request).ok_or_else(unknown_session)?;
        core.with_sessions(self, |sessions, told| {
            sessions.close(now, Some(session), told)
        });
        replies(&mut core.out, session, request).status(&["session-closed", "done"]);
        Ok(())
    }

    /// Interrupts a session, including one of another connection: editors open a second connection for that while the
    /// first one waits.
    fn interrupt(&mut self, core: &mut Core, mut request: Request) {
        let id = request.id();
        let target = request.take(Field::InterruptId);
        match session_of(&request) {
            Some(session) if !core.sessions.has(Some(session)) => {
                core.elsewhere(id, session.into(), target);
            }
            session => {
                let found = core.interrupt(self, session, target.as_deref());
                let session: String = session_name(core, &request).into();
                interrupted(&mut core.out, &session, &id, found);
            }
        }
    }
}

impl Dialect for NreplDialect {
    type Tokens = BencodeTokens;

    const FAULTS_ARE_FATAL: bool = true;

    fn tokens(&self) -> BencodeTokens {
        BencodeTokens::default()
    }

    fn field(level: Level, name: &[u8]) -> Option<Field> {
        Some(match (level, name) {
            (Level::Top, b"op") => Field::Op,
            (Level::Top, b"id") => Field::Id,
            (Level::Top, b"session") => Field::Session,
            (Level::Top, b"code") => Field::Code,
            (Level::Top, b"file") => Field::File,
            (Level::Top, b"file-path") => Field::FilePath,
            (Level::Top, b"file-name") => Field::FileName,
            (Level::Top, b"line") => Field::Line,
            (Level::Top, b"column") => Field::Column,
            (Level::Top, b"interrupt-id") => Field::InterruptId,
            (Level::Top, b"stdin") => Field::Input,
            (Level::Top, b"prefix") => Field::Prefix,
            (Level::Top, b"sym" | b"symbol") => Field::Symbol,
            (Level::Top, b"nrepl.middleware.print/quota") => Field::Page,
            _ => return None,
        })
    }

    fn request(&mut self, core: &mut Core, now: Instant, request: Request) {
        let (id, session) = (request.id(), session_name(core, &request).to_string());
        if let Err((word, why)) = self.carry_out(core, now, request) {
            let mut replies = Replies {
                out: &mut core.out,
                session: &session,
                id: &id,
            };
            replies.refuse(word, &why);
        }
    }

    fn malformed(&mut self, core: &mut Core, malformed: &Malformed) {
        let mut replies = Replies {
            out: &mut core.out,
            session: "",
            id: &malformed.id,
        };
        replies.refuse("malformed", &malformed.reason.to_string());
    }

    fn news(&mut self, out: &mut Vec<u8>, session: &str, id: &str, news: News) {
        let asked = match news {
            News::Done(_) if !self.asked.is_empty() => self.asked(session, id),
            _ => None,
        };
        let mut replies = Replies { out, session, id };
        match news {
            News::Done(Finished {
                outcome: Outcome::Help(help),
                ..
            }) => replies.help(asked.as_deref().unwrap_or("lookup"), &help),
            News::Output(text) => replies.output(text),
            News::Form(answer) => replies.value(&answer),
            News::NeedsInput => replies.status(&["need-input"]),
            News::Done(finished) => replies.finished(finished),
            // The content of a file comes with its request here.
            News::Load(_) => {}
        }
    }

    fn interrupted(&mut self, core: &mut Core, id: String, found: Option<Interrupted>) {
        interrupted(&mut core.out, "", &id, found);
    }

    /// Sends an empty dictionary, which is a message without content.
    fn probe(&mut self, core: &mut Core) {
        core.out.extend_from_slice(b"de");
    }
}

fn eval(core: &mut Core, mut request: Request) -> Result<(), Refusal> {
    let code = request.take(Field::Code);
    let code = code.ok_or_else(|| ("no-code", "`eval` needs `code`".into()))?;
    let file = request.get(Field::File);
    let source = Source {
        name: file.filter(|name| !name.is_empty()).map(Into::into),
        start: Place {
            line: request.number(Field::Line).unwrap_or(1).max(1),
            column: request.number(Field::Column).unwrap_or(1).max(1),
        },
        each_form: true,
        ..Source::from(code)
    };
    evaluate(core, &request, source)
}

/// Loads a file's content like any other program; its value is the last form's, as in Clojure.
fn load_file(core: &mut Core, mut request: Request) -> Result<(), Refusal> {
    let content = request.take(Field::File);
    let content =
        content.ok_or_else(|| ("no-file", "`load-file` needs `file`, the content".into()))?;
    let name = request
        .get(Field::FilePath)
        .or(request.get(Field::FileName));
    // An unnamed file is called as in Clojure.
    let source = Source::of_file(name.unwrap_or("NO_SOURCE_FILE"), content);
    evaluate(core, &request, source)
}

fn evaluate(core: &mut Core, request: &Request, source: Source) -> Result<(), Refusal> {
    let longest = core.config.page;
    let page = request.number(Field::Page).unwrap_or(longest);
    let page = page.clamp(1, longest);
    enqueue(core, request, Work::Task(Task::Eval { source, page }))
}

fn enqueue(core: &mut Core, request: &Request, work: Work) -> Result<(), Refusal> {
    let job = Job {
        id: request.id(),
        work,
        streams: true,
    };
    let kept = core.enqueue(session_of(request), job);
    kept.map_err(|why| ("out-of-memory", why.into()))
}

fn clone_session(core: &mut Core, now: Instant, request: &Request) -> Result<(), Refusal> {
    let cloned = core.sessions.clone_of(now, session_of(request));
    let name = cloned.map_err(|why| ("clone-error", why))?;
    done(core, request, [("new-session", name.into())]);
    Ok(())
}

fn input(core: &mut Core, now: Instant, request: &Request) -> Result<(), Refusal> {
    let text = request.get(Field::Input);
    let text = text.ok_or_else(|| {
        (
            "no-stdin",
            "the operation `stdin` requires the field `stdin`".into(),
        )
    })?;
    let taken = core.sessions.input(now, session_of(request), text);
    taken.map_err(|why| ("stdin-error", why))?;
    done(core, request, []);
    Ok(())
}

fn describe(core: &mut Core, request: &Request, abilities: Abilities) -> Result<(), Refusal> {
    let operations = OPERATIONS
        .iter()
        .filter(|operation| abilities.allow(operation));
    let operation = |name: &&'static str| (*name, Value::Map(Map::new()));
    let version = Map::from([("version-string", env!("CARGO_PKG_VERSION").into())]);
    let aux = Map::from([
        ("current-ns", NAMESPACE.into()),
        ("evaluator", core.config.evaluator.as_str().into()),
    ]);
    let fields = [
        ("ops", Value::Map(operations.map(operation).collect())),
        (
            "versions",
            Value::Map(Map::from([("flylead", Value::Map(version))])),
        ),
        ("aux", Value::Map(aux)),
    ];
    done(core, request, fields);
    Ok(())
}

fn interrupted(out: &mut Vec<u8>, session: &str, id: &str, found: Option<Interrupted>) {
    let words: &[&str] = match found {
        Some(Interrupted::Found) => &["done"],
        Some(Interrupted::Mismatch) => &["error", "interrupt-id-mismatch", "done"],
        Some(Interrupted::Idle) => &["session-idle", "done"],
        None => &["error", "unknown-session", "done"],
    };
    Replies { out, session, id }.status(words);
}

fn done(
    core: &mut Core,
    request: &Request,
    fields: impl IntoIterator<Item = (&'static str, Value)>,
) {
    let session: String = session_name(core, request).into();
    replies(&mut core.out, &session, request).done(fields);
}

fn replies<'a>(out: &'a mut Vec<u8>, session: &'a str, request: &'a Request) -> Replies<'a> {
    let id = request.get(Field::Id).unwrap_or_default();
    Replies { out, session, id }
}

fn check_session(core: &Core, request: &Request) -> Result<(), Refusal> {
    match core.sessions.has(session_of(request)) {
        true => Ok(()),
        false => Err(unknown_session()),
    }
}

fn unknown_operation() -> Refusal {
    let why = "the server has no such operation; describe lists those it has";
    ("unknown-op", why.into())
}

fn unknown_session() -> Refusal {
    let why = "this connection has no such session; clone creates one, and ls-sessions lists them";
    ("unknown-session", why.into())
}

/// Returns the session that a request names; an empty name counts as none.
fn session_of(request: &Request) -> Option<&str> {
    request.get(Field::Session).filter(|name| !name.is_empty())
}

/// Returns the session's name; defaults to the connection's own.
fn session_name<'a>(core: &'a Core, request: &'a Request) -> &'a str {
    let own = core.sessions.names().next();
    session_of(request).or(own).unwrap_or_default()
}

const OPERATIONS: [&str; 13] = [
    "clone",
    "close",
    "complete",
    "completions",
    "describe",
    "eldoc",
    "eval",
    "info",
    "interrupt",
    "load-file",
    "lookup",
    "ls-sessions",
    "stdin",
];
