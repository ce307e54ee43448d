//! Replies carried out on files in memory.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::{
    convert::Infallible,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use super::{
    path::{Root, WorkspacePath},
    *,
};
use crate::agent::{Eol, Numbering, ParseOptions, ReadRequest, Session, parse};

/// Carries a reply out on files in memory; every shell command succeeds.
fn carry_out(reply: &str, session: &mut Session, files: &mut BTreeMap<String, Vec<u8>>) {
    carry_out_with(
        reply,
        session,
        &mut Memory {
            files,
            allows: true,
        },
    );
}

fn carry_out_with(reply: &str, session: &mut Session, host: &mut Memory<'_>) {
    let inbox = parse(reply, ParseOptions::default()).unwrap();
    let mut turn = Turn::new(inbox, session.clone(), root());
    let Poll::Ready(Ok(())) =
        pin!(turn.carry_out(host)).poll(&mut Context::from_waker(Waker::noop()))
    else {
        panic!("files in memory are there at once");
    };
    *session = turn.end("2026-01-01T00:00:01Z".into());
}

/// Files in memory, and a person who allows everything or nothing.
struct Memory<'a> {
    files: &'a mut BTreeMap<String, Vec<u8>>,
    allows: bool,
}

impl Host for Memory<'_> {
    type Error = Infallible;

    async fn approve(&mut self, _: &Step<'_>) -> Result<Approval, Infallible> {
        Ok(match self.allows {
            true => Approval::Run,
            false => Approval::Refuse("the person refused".into()),
        })
    }

    async fn read(
        &mut self,
        _: &Step<'_>,
        path: &WorkspacePath,
    ) -> Result<Option<Vec<u8>>, Failure<Infallible>> {
        Ok(self.files.get(path.as_str()).cloned())
    }

    async fn change(
        &mut self,
        _: &Step<'_>,
        path: &WorkspacePath,
        before: Option<&[u8]>,
        change: &mut Change,
    ) -> Result<(), Failure<Infallible>> {
        assert_eq!(before, self.files.get(path.as_str()).map(Vec::as_slice));
        if path.as_str() == "full" {
            return Err(Failure::Step("the disk is full".into()));
        }
        match change.after.clone() {
            Some(after) => self.files.insert(path.to_string(), after),
            None => self.files.remove(path.as_str()),
        };
        Ok(())
    }

    async fn run(&mut self, _: &Step<'_>, script: &str) -> Result<Ran, Failure<Infallible>> {
        Ok(Ran {
            success: true,
            summary: format!("Ran '{script}'"),
            output: script.repeat(1000).into_bytes(),
            notes: Vec::new(),
        })
    }
}

fn root() -> Root {
    Root {
        path: Some("/work/app".into()),
        ..Root::default()
    }
}

fn session() -> Session {
    Session::new("a1b2c3d4".into(), "t".into(), "2026-01-01T00:00:00Z".into())
}

fn two_edits() -> &'static str {
    "[EDIT_FILE path=\"a\" start_line=\"1\" end_line=\"1\"]\nx\ny\n[/EDIT_FILE]\n\
     [EDIT_FILE path=\"a\" start_line=\"3\" end_line=\"3\"]\nz\n[/EDIT_FILE]\n"
}

fn with_file(content: &str) -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([("a".into(), content.into())])
}

#[test]
fn edits_count_in_the_file_as_it_is_and_a_moved_line_is_told() {
    let (mut session, mut files) = (session(), with_file("1\n2\n3\n"));
    session.edit_numbering = Numbering::Sequential;
    carry_out(two_edits(), &mut session, &mut files);
    assert_eq!(files["a"], b"x\ny\nz\n3\n");
    let notes = &session.last_results[1].notes;
    assert!(notes[0].contains("moved these lines by +1"), "{notes:?}");
}

#[test]
fn with_snapshot_numbering_edits_count_in_the_file_as_it_was() {
    let (mut session, mut files) = (session(), with_file("1\n2\n3\n"));
    carry_out(SHOW, &mut session, &mut files);
    carry_out(two_edits(), &mut session, &mut files);
    assert_eq!(files["a"], b"x\ny\n2\nz\n");
    assert!(session.last_results[1].notes.is_empty());
    let overlapping = two_edits().replace('3', "1");
    let mut files = with_file("1\n2\n");
    carry_out(SHOW, &mut session, &mut files);
    carry_out(&overlapping, &mut session, &mut files);
    assert_eq!(files["a"], b"x\ny\n2\n");
    let why = &session.last_results[1].summary;
    assert!(
        why.contains("lines 1-1 of 'a' overlap an earlier edit"),
        "{why}"
    );
}

#[test]
fn a_whole_file_gets_the_line_ends_that_it_has_or_that_new_files_shall_have() {
    let (mut session, mut files) = (session(), with_file("1\r\n2\r\n"));
    let create = |path: &str| format!("[CREATE_FILE path=\"{path}\"]\nx\ny\n[/CREATE_FILE]\n");
    carry_out(&(create("a") + &create("b")), &mut session, &mut files);
    assert_eq!(files["a"], b"x\r\ny\r\n");
    assert_eq!(files["b"], b"x\ny\n");
    session.eol = Eol::CrLf;
    files.insert("empty".into(), Vec::new());
    carry_out(
        &["b", "c", "empty"].map(create).concat(),
        &mut session,
        &mut files,
    );
    assert_eq!(files["b"], b"x\ny\n");
    assert_eq!(files["c"], b"x\r\ny\r\n");
    assert_eq!(files["empty"], b"x\r\ny\r\n");
}

#[test]
fn what_comes_after_done_is_skipped_and_refused_paths_reach_nobody() {
    let (mut session, mut files) = (session(), BTreeMap::new());
    let reply = "[DELETE_FILE path=\"../a\"]\n[CREATE_FILE path=\".git/x\"]\n[/CREATE_FILE]\n[DONE]\nd\n[/DONE]\n[RUN_COMMAND]\nrm x\n[/RUN_COMMAND]\n";
    carry_out(reply, &mut session, &mut files);
    let said: Vec<_> = session
        .last_results
        .iter()
        .map(|it| (it.success, it.summary.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (false, "REJECTED: Path is outside workspace: '../a'"),
            (
                false,
                "REJECTED: Path is protected (.git and the agent's own folders): '.git/x'"
            ),
            (
                false,
                "the session continues, because 2 of the reply's commands failed; send [DONE] again when everything has succeeded"
            ),
            (false, "SKIPPED: comes after [DONE]"),
        ]
    );
    assert!(!session.is_complete && session.sequence_number == 2 && files.is_empty());
}

#[test]
fn a_session_ends_when_nothing_is_left_that_the_llm_has_not_seen() {
    let done = "[DONE]\nd\n[/DONE]\n";
    let good = "[CREATE_FILE path=\"a\"]\n[/CREATE_FILE]\n";
    for (reply, is_complete) in [
        (format!("{good}{done}"), true),
        (format!("{done}[MESSAGE]\nm\n[/MESSAGE]\n{done}"), true),
        (format!("{done}{good}"), false),
        (format!("{done}[CREATE_FILE path=\"a\"]\n"), false),
        (format!("[READ_FILE path=\"b\"]\n{done}"), false),
    ] {
        let (mut session, mut files) = (session(), BTreeMap::new());
        carry_out(&reply, &mut session, &mut files);
        assert_eq!(session.is_complete, is_complete, "{reply}");
    }
}

#[test]
fn an_absolute_path_below_the_root_is_the_one_below_it() {
    let (mut session, mut files) = (session(), BTreeMap::new());
    let reply =
        "[CREATE_FILE path=\"/work/app/a\"]\nx\n[/CREATE_FILE]\n[READ_FILE path=\"/work/app/a\"]\n";
    carry_out(reply, &mut session, &mut files);
    assert_eq!(files["a"], b"x\n");
    assert_eq!(session.read_file_requests, [ReadRequest::plain("a".into())]);
    for result in &session.last_results {
        assert_eq!(result.notes, ["write paths relative to the workspace"]);
    }
}

#[test]
fn a_file_that_something_else_changed_since_it_was_shown_is_told() {
    let (mut session, mut files) = (session(), with_file("1\n"));
    carry_out(
        "[READ_FILE path=\"./a\"]\n[READ_FILE path=\"./a\"]\n",
        &mut session,
        &mut files,
    );
    assert_eq!(session.read_file_requests, [ReadRequest::plain("a".into())]);
    let edit = "[EDIT_FILE path=\"a\" start_line=\"1\" end_line=\"1\"]\nx\n[/EDIT_FILE]\n";
    carry_out(edit, &mut session, &mut files);
    assert!(session.last_results[0].notes.is_empty());
    files.insert("a".into(), b"other\n".to_vec());
    let before = session.clone();
    carry_out(edit, &mut session, &mut files);
    let why = &session.last_results[0].summary;
    assert!(why.contains("has changed since you saw it"), "{why}");
    assert_eq!(files["a"], b"other\n");
    // The file is in the next message, and from then on its line numbers are known.
    assert_eq!(session.read_file_requests[0].path, "a");
    carry_out(edit, &mut session, &mut files);
    assert_eq!(files["a"], b"x\n");
    let (mut session, mut files) = (before, with_file("other\n"));
    session.edit_numbering = Numbering::Sequential;
    carry_out(edit, &mut session, &mut files);
    let notes = &session.last_results[0].notes;
    assert!(
        notes[0].contains("has changed since you saw it"),
        "{notes:?}"
    );
}

#[test]
fn line_numbers_of_a_file_that_was_never_shown_change_nothing_and_it_is_shown() {
    let (mut session, mut files) = (session(), with_file("1\n"));
    let edit = "[EDIT_FILE path=\"a\" start_line=\"1\" end_line=\"1\"]\nx\n[/EDIT_FILE]\n";
    // A file requested by the same reply has not been seen yet.
    for reply in [edit, &format!("{SHOW}{edit}")] {
        let (mut session, mut files) = (session.clone(), files.clone());
        carry_out(reply, &mut session, &mut files);
        let last = session.last_results.last().unwrap();
        assert!(last.summary.contains("was never shown to you"), "{last:?}");
        assert_eq!(files["a"], b"1\n");
        carry_out(edit, &mut session, &mut files);
        assert_eq!(files["a"], b"x\n");
    }
    let guarded = edit.replace(" end_line", " expect=\"1\" end_line");
    carry_out(&guarded, &mut session, &mut files);
    assert_eq!(files["a"], b"x\n");
}

#[test]
fn after_a_text_was_replaced_the_lines_of_its_file_have_no_known_numbers() {
    let replace =
        "[EDIT_FILE path=\"a\"]\n<<<<<<< SEARCH\n1\n=======\nx\ny\n>>>>>>> REPLACE\n[/EDIT_FILE]\n";
    let add = "[APPEND_FILE path=\"a\"]\n3\n[/APPEND_FILE]\n";
    let edit = "[EDIT_FILE path=\"a\" start_line=\"2\" end_line=\"2\"]\nz\n[/EDIT_FILE]\n";
    for reply in [replace, &format!("{replace}{add}")] {
        let (mut session, mut files) = (session(), with_file("1\n2\n"));
        carry_out(SHOW, &mut session, &mut files);
        carry_out(reply, &mut session, &mut files);
        let before = files["a"].clone();
        assert!(before.starts_with(b"x\ny\n2\n"));
        carry_out(edit, &mut session, &mut files);
        let why = &session.last_results[0].summary;
        assert!(why.contains("was never shown to you"), "{why}");
        assert_eq!(files["a"], before);
        // The file is in the next message.
        carry_out(edit, &mut session, &mut files);
        assert!(files["a"].starts_with(b"x\nz\n2\n"));
    }
}

#[test]
fn what_is_added_is_at_the_end_and_a_file_for_reading_stays() {
    let (mut session, mut files) = (session(), with_file("1"));
    let add = "[APPEND_FILE path=\"a\"]\n2\n[/APPEND_FILE]\n[APPEND_FILE path=\"b\"]\n2\n[/APPEND_FILE]\n";
    carry_out(add, &mut session, &mut files);
    assert_eq!(files["a"], b"1\n2\n");
    let said: Vec<_> = session.last_results.iter().map(|it| &*it.summary).collect();
    assert_eq!(said, ["Added to 'a' (1 -> 2 lines)", "File 'b' not found"]);
    session.read_only.push("a".into());
    carry_out(add, &mut session, &mut files);
    assert_eq!(files["a"], b"1\n2\n");
    let why = &session.last_results[0].summary;
    assert_eq!(why, "REJECTED: 'a' is read-only in this session");
}

const SHOW: &str = "[READ_FILE path=\"a\"]\n";

#[test]
fn what_is_refused_or_cannot_be_done_is_told_and_the_next_step_follows() {
    let reply = "[CREATE_FILE path=\"full\"]\n[/CREATE_FILE]\n[READ_FILE path=\"none\"]\n[RUN_COMMAND]\nls\n[/RUN_COMMAND]\n";
    let summaries = |allows| {
        let (mut session, mut files) = (session(), BTreeMap::new());
        let mut host = Memory {
            files: &mut files,
            allows,
        };
        carry_out_with(reply, &mut session, &mut host);
        assert!(files.is_empty());
        session.last_results
    };
    let results = summaries(true);
    let said: Vec<_> = results.iter().map(|it| it.summary.as_str()).collect();
    assert_eq!(
        said,
        ["the disk is full", "File 'none' not found", "Ran 'ls'"]
    );
    let output = results[2].output.as_ref().unwrap();
    assert_eq!(output.chars().count(), 2000);
    let results = summaries(false);
    let said: Vec<_> = results.iter().map(|it| it.summary.as_str()).collect();
    assert_eq!(
        said,
        [
            "'full' was not changed: the person refused",
            "'none' was not read: the person refused",
            "'ls' was not run: the person refused",
        ]
    );
}

#[test]
fn a_step_is_the_same_until_it_is_done_and_what_is_left_at_the_end_was_not_done() {
    let reply = "[MESSAGE]\nm\n[/MESSAGE]\n[READ_FILE path=\"a\"]\n[READ_FILE path=\"b\"]\n";
    let inbox = parse(reply, ParseOptions::default()).unwrap();
    let mut turn = Turn::new(inbox, session(), root());
    let first = format!("{:?}", turn.step());
    assert!(first.contains("index: 1, line: 4"), "{first}");
    assert_eq!(first, format!("{:?}", turn.step()));
    turn.done(turn.found(b"x\n"));
    assert_eq!(turn.step().unwrap().index, 2);
    let session = turn.end(String::new());
    let successes: Vec<_> = session.last_results.iter().map(|it| it.success).collect();
    assert_eq!(successes, [true, true, false]);
}
