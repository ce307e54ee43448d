//! Replies as models write them, each with what must become of it: the files of `tests/replies`, carried out on a real
//! folder. No script of theirs runs; each is refused, after it was noted down.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use flylead_core::agent::{Outbox, Task, render_outbox};
use flylead_native::agent::{
    Agent, AgentError, Approval, Given, Home, Location, Options, Settings,
};

#[test]
fn of_each_reply_becomes_what_its_file_says() {
    let replies = replies();
    assert!(replies.len() >= 100, "only {} replies", replies.len());
    let rewrites = std::env::var_os("FLYLEAD_WRITE_REPLIES").is_some();
    let wrong = replies.iter().filter_map(|path| {
        let written = fs::read_to_string(path).unwrap();
        let became = become_of(&Reply::read(&written));
        if rewrites {
            fs::write(path, &became).unwrap();
        }
        let name = path.file_name().unwrap().display();
        (became != written).then(|| format!("{name}, where it became:\n{became}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(rewrites || wrong.is_empty(), "{}", wrong.join("\n"));
}

fn replies() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("replies");
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "txt"))
        .collect();
    paths.sort();
    paths
}

/// The part of a file that says what is given.
struct Reply<'a> {
    /// Reason for the sample, up to the first section.
    why: &'a str,
    files: BTreeMap<&'a str, &'a str>,
    /// Files among them that the LLM has not seen.
    unseen: Vec<&'a str>,
    reply: &'a str,
    has_returns: bool,
}

impl<'a> Reply<'a> {
    fn read(text: &'a str) -> Self {
        let text = text.strip_suffix('\n').unwrap_or(text);
        let (why, rest) = text.split_once(MARK).expect("it has sections");
        let mut reply = Self {
            why,
            files: BTreeMap::new(),
            unseen: Vec::new(),
            reply: "",
            has_returns: false,
        };
        for section in rest.split(&format!("\n{MARK}")) {
            let (title, body) = section.split_once('\n').unwrap_or((section, ""));
            match title.split_once(' ').unwrap_or((title, "")) {
                ("file", path) => drop(reply.files.insert(path, body)),
                ("unseen", path) => {
                    reply.files.insert(path, body);
                    reply.unseen.push(path);
                }
                ("reply", how) => (reply.reply, reply.has_returns) = (body, how == "crlf"),
                _ => {}
            }
        }
        reply
    }

    fn given(&self) -> String {
        let mut text = self.why.to_owned();
        for (path, content) in &self.files {
            let kind = if self.unseen.contains(path) {
                "unseen"
            } else {
                "file"
            };
            text += &section(&format!("{kind} {path}"), content);
        }
        let how = if self.has_returns { " crlf" } else { "" };
        text + &section(&format!("reply{how}"), self.reply)
    }
}

/// The whole file as it would have to be: what is given, and what became of it.
fn become_of(reply: &Reply<'_>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    for (path, content) in &reply.files {
        let path = work.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{content}\n")).unwrap();
    }
    let root = work.canonicalize().unwrap().to_string_lossy().into_owned();
    let home = Home::create(&Location {
        workspace: Some(root.clone()),
        home: Some(folder.path().join("home")),
        ..Location::default()
    });
    let seen = reply.files.keys().filter(|it| !reply.unseen.contains(it));
    let given = Given {
        add: seen.map(|path| (*path).to_owned()).collect(),
        ..Given::default()
    };
    let mut agent =
        Agent::begin_with(home.unwrap(), "the task", Settings::default(), given).unwrap();
    let id = agent.session().session_id.clone();
    let sent = reply
        .reply
        .replace("{workspace}", &root)
        .replace("{session}", &id)
        + "\n";
    let sent = match reply.has_returns {
        true => sent.replace('\n', "\r\n"),
        false => sent,
    };
    let mut scripts = Vec::new();
    let done = agent.apply(
        sent.as_bytes(),
        Options::default(),
        &mut |step| match step.task {
            Task::Run { script } => {
                scripts.push(script.to_owned());
                Approval::Refuse("the person refused".into())
            }
            Task::Change { .. } | Task::Read { .. } => Approval::Run,
        },
    );
    let mut became = reply.given();
    for script in &scripts {
        became += &section("runs", script);
    }
    became += &changes(&reply.files, &work);
    became += &match done {
        Err(AgentError::Rejected(why)) => section("refused", &why.to_string()),
        Err(AgentError::Unfit(why)) => section("refused", &why.to_string()),
        Err(error) => panic!("{}: {error}", reply.why),
        Ok(done) => {
            let said = done.messages.iter().map(|text| section("says", text));
            let said: String = said.collect();
            let end = if done.outbox.is_none() {
                "%%% the session is complete\n"
            } else {
                ""
            };
            said + &section("told", &told(&agent)) + end
        }
    };
    became
        .replace(&root, "{workspace}")
        .replace(&id, "{session}")
}

/// The results as the LLM reads them.
fn told(agent: &Agent) -> String {
    let mut session = agent.session().clone();
    session.sequence_number = 2;
    let outbox = render_outbox(&Outbox {
        session: &session,
        files: &[],
        more_files: 0,
        map: &[],
        contents: &[],
    });
    let (_, results) = outbox.split_once("## Previous Command Results\n").unwrap();
    let (results, _) = results.split_once("\n\n=== PROMPT ===").unwrap();
    results.to_owned()
}

fn changes(before: &BTreeMap<&str, &str>, work: &Path) -> String {
    let after = files(work, "");
    let mut changes = String::new();
    for (path, content) in &after {
        let same = before
            .get(&**path)
            .is_some_and(|before| format!("{before}\n") == *content);
        if !same {
            let ended = content.strip_suffix('\n');
            let how = if ended.is_some() {
                "after"
            } else {
                "after, without a newline,"
            };
            changes += &section(&format!("{how} {path}"), ended.unwrap_or(content));
        }
    }
    for path in before.keys().filter(|path| !after.contains_key(**path)) {
        changes += &format!("{MARK}gone {path}\n");
    }
    changes
}

fn files(folder: &Path, prefix: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => files.extend(self::files(&entry.path(), &format!("{name}/"))),
            false => drop(files.insert(name, fs::read_to_string(entry.path()).unwrap())),
        }
    }
    files
}

fn section(title: &str, body: &str) -> String {
    format!("{MARK}{title}\n{body}\n")
}

const MARK: &str = "%%% ";
