//! Replies carried out on files in memory.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use super::{path::Root, *};
use crate::agent::{Eol, Numbering, ParseOptions, ReadRequest, Session, parse};

/// Carries a reply out on files in memory; every shell command succeeds.
fn carry_out(reply: &str, session: &mut Session, files: &mut BTreeMap<String, Vec<u8>>) {
    let inbox = parse(reply, ParseOptions::default()).unwrap();
    let mut turn = Turn::new(&inbox, session, root());
    while let Some(task) = turn.next() {
        let outcome = match task {
            Step::Run { command } => Outcome::new(true, command),
            Step::Read { path } => match files.get(path.as_str()) {
                Some(content) => turn.found(content),
                None => Outcome::failed("not found"),
            },
            Step::Change { path, .. } => {
                match turn.change(files.get(path.as_str()).map(Vec::as_slice)) {
                    Err(why) => Outcome::failed(why),
                    Ok(change) => {
                        files.remove(path.as_str());
                        let outcome = Turn::changed(&change);
                        if let Some(after) = change.after {
                            files.insert(path.as_str().into(), after);
                        }
                        outcome
                    }
                }
            }
        };
        turn.done(outcome);
    }
    turn.end(session, "2026-01-01T00:00:01Z".into());
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
    carry_out(two_edits(), &mut session, &mut files);
    assert_eq!(files["a"], b"x\ny\nz\n3\n");
    let notes = &session.last_results[1].notes;
    assert!(notes[0].contains("moved these lines by +1"), "{notes:?}");
}

#[test]
fn with_snapshot_numbering_edits_count_in_the_file_as_it_was() {
    let (mut session, mut files) = (session(), with_file("1\n2\n3\n"));
    session.edit_numbering = Numbering::Snapshot;
    carry_out(two_edits(), &mut session, &mut files);
    assert_eq!(files["a"], b"x\ny\n2\nz\n");
    assert!(session.last_results[1].notes.is_empty());
    let overlapping = two_edits().replace('3', "1");
    let mut files = with_file("1\n2\n");
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
                "the session goes on, because 2 of the reply's commands failed; send [DONE] again when all is well"
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
    carry_out(edit, &mut session, &mut files);
    let notes = &session.last_results[0].notes;
    assert!(notes[0].contains("changed by something else"), "{notes:?}");
}
