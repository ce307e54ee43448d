//! Editors that speak nREPL, as their requests were recorded: CIDER 2.1 in Emacs 28.2 and Conjure 4.45 in Neovim 0.7.2.
//!
//! Neither can be installed where these tests run, so this sends what they sent, with each of their fields, and looks at
//! what they use of the answers.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value as Json, json};

/// Programs in the language of a server, each with what an editor should see of it.
#[derive(Debug, Clone, Copy)]
pub struct Programs {
    /// An expression and its value.
    pub value: (&'static str, &'static str),
    /// A program and its output.
    pub output: (&'static str, &'static str),
    /// A program that fails, and the kind of its error.
    pub error: (&'static str, &'static str),
    /// Name of a function, and the beginning of it.
    pub name: (&'static str, &'static str),
    /// A program that prints a line that it reads.
    pub reads: &'static str,
    /// A program that prints `ready` and runs until it is interrupted.
    pub endless: &'static str,
    /// A file's content and the value of its last form.
    pub file: (&'static str, &'static str),
}

/// Programs in Zylisp.
pub const ZYLISP: Programs = Programs {
    value: ("(+ 40 2)", "42"),
    output: ("(println \"hi\")", "hi\n"),
    error: ("(car 5)", "type-error"),
    name: ("car", "ca"),
    reads: "(println (read-line))",
    endless: "(define f (lambda () (f))) (println \"ready\") (f)",
    file: ("(define y 20)\n(+ y 1)", "21"),
};

/// Programs in the Python of a board.
pub const PYTHON: Programs = Programs {
    value: ("40 + 2", "42"),
    output: ("print('hi')", "hi\n"),
    error: ("1/0", "ZeroDivisionError"),
    name: ("print", "pri"),
    reads: "print('read', input())",
    endless: "print('ready')\nwhile True: pass",
    file: ("y = 20\ny + 1", "21"),
};

/// Goes through a day of CIDER at the server on this address: two sessions, every operation that CIDER uses.
///
/// # Panics
/// An answer is not as CIDER needs it.
pub fn work_with_cider(address: &str, programs: Programs) {
    let mut link = Link::to(address);
    let [session, tooling] = [1, 2].map(|_| {
        let clone = json!({"client-name": "CIDER", "client-version": "2.1.0", "op": "clone"});
        text(&link.ask(clone), "new-session")
    });
    let described = link.ask(json!({"op": "describe", "session": session}));
    let operations = described.iter().find_map(|reply| reply.get("ops"));
    let operations = operations.and_then(Json::as_object).expect("operations");
    for used in [
        "complete",
        "eldoc",
        "info",
        "interrupt",
        "load-file",
        "stdin",
    ] {
        assert!(operations.contains_key(used), "{used}");
    }
    let eval = |link: &mut Link, session: &str, code: &str| {
        link.ask(json!({
            "op": "eval", "code": code, "session": session, "ns": "user", "line": 3, "column": 1,
            "file": "*cider-repl*", "content-type": "true", "inhibit-cider-middleware": "true",
            "nrepl.middleware.print/buffer-size": 4096, "nrepl.middleware.print/options": {"right-margin": 70},
            "nrepl.middleware.print/print": "cider.nrepl.pprint/pr", "nrepl.middleware.print/stream?": [],
        }))
    };
    // What it asks of Clojure is an error here, and nothing else.
    let strange = eval(&mut link, &tooling, "(require 'clojure.stacktrace)");
    assert!(has_status(&strange, "eval-error"), "{strange:?}");
    check_programs(programs, |code| eval(&mut link, &session, code));
    check_names(&mut link, &session, programs);
    check_input(&mut link, &session, programs);
    check_interrupt(&mut link, &session, programs);
    let loaded = link.ask(json!({
        "op": "load-file", "file": programs.file.0, "file-name": "t", "file-path": "/home/me/t", "session": session,
        "nrepl.middleware.print/quota": 1_048_576, "nrepl.middleware.print/stream?": [],
    }));
    assert_eq!(text(&loaded, "value"), programs.file.1);
    for session in [session, tooling] {
        let closed = link.ask(json!({"op": "close", "session": session}));
        assert!(has_status(&closed, "session-closed"), "{closed:?}");
    }
}

/// Goes through a day of Conjure at the server on this address, in the session that the connection has.
///
/// # Panics
/// An answer is not as Conjure needs it.
pub fn work_with_conjure(address: &str, programs: Programs) {
    let mut link = Link::to(address);
    let described = link.ask(json!({"op": "describe"}));
    assert!(has_status(&described, "done"));
    let listed = link.ask(json!({"op": "ls-sessions"}));
    let sessions = listed.iter().find_map(|reply| reply["sessions"].as_array());
    let session = sessions.expect("sessions")[0].as_str().expect("a name");
    let eval = |link: &mut Link, code: &str| {
        link.ask(json!({
            "op": "eval", "code": code, "session": session, "file": "/home/me/x",
            "nrepl.middleware.print/options": {"associative": 1, "length": 500, "level": 50},
        }))
    };
    let strange = eval(&mut link, "#?(:clj 'clj :default 'unknown)");
    assert!(has_status(&strange, "done"), "{strange:?}");
    check_programs(programs, |code| eval(&mut link, code));
    let completed = link.ask(json!({
        "op": "complete", "symbol": programs.name.1, "session": session, "enhanced-cljs-completion?": "t",
        "extra-metadata": ["arglists", "doc"],
    }));
    check_candidate(&completed, programs);
    check_interrupt(&mut link, session, programs);
}

fn check_programs(programs: Programs, mut eval: impl FnMut(&str) -> Vec<Json>) {
    assert_eq!(text(&eval(programs.value.0), "value"), programs.value.1);
    assert_eq!(text(&eval(programs.output.0), "out"), programs.output.1);
    let failed = eval(programs.error.0);
    assert_eq!(text(&failed, "ex"), programs.error.1);
    assert!(
        text(&failed, "err").contains(programs.error.1),
        "{failed:?}"
    );
    assert!(has_status(&failed, "eval-error"), "{failed:?}");
}

fn check_names(link: &mut Link, session: &str, programs: Programs) {
    let (name, prefix) = programs.name;
    let completed = link.ask(json!({
        "op": "complete", "prefix": prefix, "session": session, "ns": "user", "context": "nil",
        "enhanced-cljs-completion?": "t", "sort-order": "by-name",
    }));
    check_candidate(&completed, programs);
    let question = json!({"sym": name, "session": session, "ns": "user", "context": "nil"});
    let ask = |link: &mut Link, operation: &str| {
        let mut question = question.clone();
        question["op"] = operation.into();
        link.ask(question)
    };
    let info = ask(link, "info");
    assert_eq!(text(&info, "name"), name);
    assert!(!text(&info, "arglists-str").is_empty(), "{info:?}");
    let eldoc = ask(link, "eldoc");
    assert!(
        eldoc.iter().any(|reply| reply["eldoc"].is_array()),
        "{eldoc:?}"
    );
}

fn check_candidate(completed: &[Json], programs: Programs) {
    let candidates = completed
        .iter()
        .filter_map(|reply| reply["completions"].as_array());
    let names: Vec<_> = candidates
        .flatten()
        .map(|entry| &entry["candidate"])
        .collect();
    assert!(
        names.iter().any(|name| **name == programs.name.0),
        "{names:?}"
    );
}

fn check_input(link: &mut Link, session: &str, programs: Programs) {
    let reading = link.send(json!({"op": "eval", "code": programs.reads, "session": session}));
    link.until(|reply| has_status(std::slice::from_ref(reply), "need-input"));
    link.send(json!({"op": "stdin", "stdin": "typed\n", "session": session}));
    let replies = link.answers(&reading);
    assert!(text(&replies, "out").contains("typed"), "{replies:?}");
}

/// An interrupt of what runs, and one of what has ended.
fn check_interrupt(link: &mut Link, session: &str, programs: Programs) {
    let running = link.send(json!({"op": "eval", "code": programs.endless, "session": session}));
    link.until(|reply| {
        reply["out"]
            .as_str()
            .is_some_and(|out| out.contains("ready"))
    });
    link.send(json!({"op": "interrupt", "interrupt-id": running, "session": session}));
    let replies = link.answers(&running);
    assert!(has_status(&replies, "interrupted"), "{replies:?}");
    let late = link.ask(json!({"op": "interrupt", "interrupt-id": running, "session": session}));
    assert!(has_status(&late, "done"), "{late:?}");
}

/// The texts of all replies that have this field.
fn text(replies: &[Json], field: &str) -> String {
    let texts = replies.iter().filter_map(|reply| reply[field].as_str());
    texts.collect()
}

fn has_status(replies: &[Json], status: &str) -> bool {
    let words = replies
        .iter()
        .filter_map(|reply| reply["status"].as_array());
    words.flatten().any(|word| *word == status)
}

/// A connection that blocks.
struct Link {
    stream: TcpStream,
    unread: Vec<u8>,
    asked: usize,
    /// Replies that came while others were waited for.
    earlier: Vec<Json>,
}

impl Link {
    fn to(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        let patience = Some(Duration::from_secs(60));
        stream.set_read_timeout(patience).expect("it is not zero");
        Self {
            stream,
            unread: Vec::new(),
            asked: 0,
            earlier: Vec::new(),
        }
    }

    /// Sends a request and returns its id.
    fn send(&mut self, mut request: Json) -> String {
        self.asked += 1;
        let id = self.asked.to_string();
        request["id"] = id.clone().into();
        let mut bytes = Vec::new();
        encode(&request, &mut bytes);
        self.stream.write_all(&bytes).expect("it is read");
        id
    }

    /// All replies to a request, none of which refuses it.
    fn ask(&mut self, request: Json) -> Vec<Json> {
        let shown = request.to_string();
        let id = self.send(request);
        let replies = self.answers(&id);
        assert!(!has_status(&replies, "unknown-op"), "{shown}: {replies:?}");
        replies
    }

    fn answers(&mut self, id: &str) -> Vec<Json> {
        let of_id = |reply: &Json| reply["id"] == id;
        let mut replies: Vec<_> = self.earlier.extract_if(.., |reply| of_id(reply)).collect();
        while !has_status(&replies, "done") {
            let reply = self.next();
            match of_id(&reply) {
                true => replies.push(reply),
                false => self.earlier.push(reply),
            }
        }
        replies
    }

    fn until(&mut self, wanted: impl Fn(&Json) -> bool) {
        loop {
            let reply = self.next();
            let found = wanted(&reply);
            self.earlier.push(reply);
            if found {
                return;
            }
        }
    }

    fn next(&mut self) -> Json {
        let mut chunk = [0; 4096];
        loop {
            let mut rest = &self.unread[..];
            if let Some(reply) = decode(&mut rest) {
                self.unread = rest.to_vec();
                return reply;
            }
            let length = self.stream.read(&mut chunk).expect("it answers");
            assert!(length > 0, "the connection ended");
            self.unread.extend_from_slice(&chunk[..length]);
        }
    }
}

/// Bencode (<https://www.bittorrent.org/beps/bep_0003.html>): integers, strings, lists and dictionaries.
fn encode(value: &Json, out: &mut Vec<u8>) {
    match value {
        Json::String(text) => {
            out.extend_from_slice(format!("{}:{text}", text.len()).as_bytes());
        }
        Json::Array(items) => {
            out.push(b'l');
            items.iter().for_each(|item| encode(item, out));
            out.push(b'e');
        }
        Json::Object(fields) => {
            out.push(b'd');
            for (key, value) in fields {
                encode(&Json::from(key.as_str()), out);
                encode(value, out);
            }
            out.push(b'e');
        }
        number => out.extend_from_slice(format!("i{number}e").as_bytes()),
    }
}

/// The next value, if it is whole.
fn decode(bytes: &mut &[u8]) -> Option<Json> {
    match *bytes.first()? {
        b'i' => {
            let digits = before(&bytes[1..], b'e')?;
            *bytes = &bytes[digits.len() + 2..];
            digits.parse::<i64>().ok().map(Json::from)
        }
        b'l' => items(bytes).map(Json::Array),
        b'd' => {
            let mut items = items(bytes)?.into_iter();
            let pairs = std::iter::from_fn(|| items.next().zip(items.next()));
            let pairs = pairs.map(|(key, value)| (key.as_str().unwrap_or_default().into(), value));
            Some(Json::Object(pairs.collect()))
        }
        _ => {
            let length = before(bytes, b':')?;
            let start = length.len() + 1;
            let text = bytes.get(start..start + length.parse::<usize>().ok()?)?;
            let text = Json::from(String::from_utf8_lossy(text));
            *bytes = &bytes[start + length.parse::<usize>().ok()?..];
            Some(text)
        }
    }
}

fn items(bytes: &mut &[u8]) -> Option<Vec<Json>> {
    let mut rest = &bytes[1..];
    let mut items = Vec::new();
    while *rest.first()? != b'e' {
        items.push(decode(&mut rest)?);
    }
    *bytes = &rest[1..];
    Some(items)
}

fn before(bytes: &[u8], end: u8) -> Option<&str> {
    let length = bytes.iter().position(|byte| *byte == end)?;
    std::str::from_utf8(&bytes[..length]).ok()
}
