//! Tests the decisions about messages.

use alloc::{format, string::String, string::ToString, vec, vec::Vec};

use super::*;
use crate::agent::{Command, LineRange, ReadRequest};

mod bodies;
mod drafts;

fn read(message: &str) -> Inbox {
    parse(message, ParseOptions::default()).unwrap()
}

/// Returns `+KIND` for a command, `-` and the reason for an error.
fn outline(message: &str) -> Vec<String> {
    summary(&read(message))
}

fn strict(message: &str) -> Vec<String> {
    let options = ParseOptions {
        strict: true,
        ..ParseOptions::default()
    };
    summary(&parse(message, options).unwrap())
}

fn summary(inbox: &Inbox) -> Vec<String> {
    let name = |reason: &Reason| {
        let name = format!("{reason:?}");
        name.split([' ', '(']).next().unwrap().to_string()
    };
    let item = |item: &Item| match &item.outcome {
        Ok(command) => format!("+{}", command.kind().name()),
        Err(fault) => format!("-{}", name(&fault.reason)),
    };
    inbox.items.iter().map(item).collect()
}

fn content(message: &str) -> String {
    match read(message).commands().next().unwrap() {
        Command::CreateFile { content, .. } => content.clone(),
        other => panic!("{other:?}"),
    }
}

const HIDDEN: &str = "[RUN_COMMAND]\nrm -rf build\n[/RUN_COMMAND]\n";

#[test]
fn other_programs_forms_are_named_and_what_is_in_them_is_content() {
    for (form, message) in [
        (
            "XML TAG",
            format!("<CREATE_FILE path=\"a\">\n{HIDDEN}</CREATE_FILE>\n"),
        ),
        (
            "XML TAG",
            format!("<create_file path=\"a\">\n{HIDDEN}</create_file>\n"),
        ),
        ("XML TAG", "<read-file path=\"a\"/>\n".into()),
        ("TOOL CALL", format!("<tool_call>\n{HIDDEN}</tool_call>\n")),
        (
            "DIFF",
            format!(
                "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n {}\n",
                HIDDEN.trim_end().replace('\n', "\n ")
            ),
        ),
        ("DIFF", format!("```diff\n-a\n{HIDDEN}```\n")),
        ("DIFF", format!("*** Begin Patch\n{HIDDEN}*** End Patch\n")),
        (
            "SEARCH/REPLACE",
            format!("a.py\n<<<<<<< SEARCH\n{HIDDEN}=======\n>>>>>>> REPLACE\n"),
        ),
    ] {
        let inbox = read(&format!("{message}[READ_FILE path=\"a\"]\n"));
        assert_eq!(summary(&inbox), ["-Foreign", "+READ_FILE"], "{message}");
        let (_, fault) = inbox.faults().next().unwrap();
        assert_eq!(fault.command, form);
        assert!(fault.to_string().contains("write"), "{fault}");
    }
    assert_eq!(outline("```python\nx = 1\n```\n"), ["-Foreign"]);
    assert_eq!(outline("<div>\n<b>no command</b>\n--- \n---\n"), [""; 0]);
}

#[test]
fn a_body_that_was_copied_with_its_line_numbers_is_refused() {
    let numbered = |open: &str| format!("{open}\n    9| a\n   10| b\n   11|\n[/CREATE_FILE]\n");
    assert_eq!(
        outline(&numbered("[CREATE_FILE path=\"a\"]")),
        ["-Numbered"]
    );
    assert_eq!(
        outline(&numbered("[CREATE_FILE path=\"a\" numbered=\"no\"]")),
        ["+CREATE_FILE"]
    );
    for body in ["1| a\n3| b\n", "a | b\n", "", "1 | 2\n", "| 1 |\n"] {
        let message = format!("[CREATE_FILE path=\"a\"]\n{body}[/CREATE_FILE]\n");
        assert_eq!(outline(&message), ["+CREATE_FILE"], "{body}");
    }
}

#[test]
fn backslashes_of_markdown_leave_a_path_and_those_of_windows_stay() {
    for (written, path) in [
        (r"a\_b.py", "a_b.py"),
        (r"src/\_\_init\_\_.py", "src/__init__.py"),
        (r"src\main\_x.py", r"src\main\_x.py"),
        (r"src\lib.rs", r"src\lib.rs"),
    ] {
        let inbox = read(&format!("[READ_FILE path=\"{written}\"]\n"));
        assert_eq!(inbox.commands().next().unwrap().path().unwrap(), path);
        let is_noted = inbox.items[0].notes.contains(&Note::Unescaped);
        assert_eq!(is_noted, written != path);
    }
}

#[test]
fn other_spellings_are_that_command_when_they_can_be_nothing_else() {
    let inbox = read(
        "[create_file path=\"a\"]\nx\n[/create_file]\n[done]\n[message]\nhi\n[/message]\n[DONE]\nd\n[/DONE]\n",
    );
    assert_eq!(summary(&inbox), ["+CREATE_FILE", "+MESSAGE", "+DONE"]);
    assert_eq!(inbox.items[0].notes, [Note::OtherCase]);
    let escaped = read("[CREATE\\_FILE path=\"a\"]\nx\n[/CREATE\\_FILE]\n");
    assert_eq!(
        (summary(&escaped), escaped.items[0].notes.len()),
        (vec!["+CREATE_FILE".into()], 0)
    );
    let inner =
        "[CREATE_FILE path=\"a\"]\n[create_file path=\"b\"]\n[/create_file]\n[/CREATE_FILE]\n";
    assert_eq!(content(inner), "[create_file path=\"b\"]\n[/create_file]\n");
    assert_eq!(
        strict(&format!(
            "[create_file path=\"a\"]\n{HIDDEN}[/create_file]\n"
        )),
        ["-Unknown"]
    );
}

#[test]
fn an_unknown_command_is_an_error_and_its_body_is_skipped() {
    assert_eq!(
        outline(&format!(
            "[WRITE]\n{HIDDEN}[/WRITE]\n[READ_FILE path=\"a\"]\n"
        )),
        ["-Unknown", "+READ_FILE"]
    );
    assert_eq!(
        outline("[MOVE_FILE from=\"a\" to=\"b\" /]\n[READ_FILE path=\"a\"]\n"),
        ["-Unknown", "+READ_FILE"]
    );
    let message = format!("[WRITE_FILE path=\"a\"]\n{HIDDEN}");
    assert_eq!(outline(&message), ["-Unknown"]);
    let fault = read(&message).faults().next().unwrap().1.to_string();
    assert!(
        fault.starts_with("unknown command WRITE_FILE (known: CREATE_FILE")
            && fault.contains("1 command after it"),
        "{fault}"
    );
}

#[test]
fn text_behind_a_tag_makes_it_no_command() {
    assert_eq!(
        outline("[DELETE_FILE path=\"a\"] is what I would run [later]\n"),
        ["-TextAfterTag"]
    );
}

#[test]
fn values_hold_brackets_but_no_quotes() {
    assert_eq!(
        read("[READ_FILE path=\"a]b.txt\"]")
            .commands()
            .next()
            .unwrap()
            .path()
            .unwrap(),
        "a]b.txt"
    );
    assert_eq!(outline("[DELETE_FILE path=\"a\\\"b\"]"), ["-UnreadableTag"]);
}

#[test]
fn quotes_of_word_processors_are_quotes() {
    for value in ["“a.txt”", "'a.txt'", "‘a.txt’", "„a.txt“"] {
        let inbox = read(&format!("[READ_FILE path={value}]"));
        assert_eq!(
            (summary(&inbox), &inbox.items[0].notes),
            (vec!["+READ_FILE".into()], &vec![Note::OtherQuotes])
        );
    }
    assert_eq!(strict("[READ_FILE path='a.txt']"), ["-OtherQuotes"]);
    assert_eq!(outline("[READ_FILE path=a.txt]"), ["-UnquotedValue"]);
    assert_eq!(
        outline("[READ_FILE path=\"a\" start_line=3]"),
        ["+READ_FILE"]
    );
}

#[test]
fn attributes_are_there_once_known_or_passed_over_and_never_empty() {
    assert_eq!(
        outline("[READ_FILE path=\"a\" Path=\"b\"]"),
        ["-DuplicateAttribute"]
    );
    assert_eq!(
        outline("[READ_FILE data-path=\"a\"]"),
        ["-MissingAttribute"]
    );
    assert_eq!(outline("[READ_FILE path=\"\"]"), ["-EmptyAttribute"]);
    let inbox = read("[READ_FILE PATH=\"a\" mode=\"x\"]");
    assert_eq!(
        inbox.items[0].notes,
        [Note::UnknownAttribute { key: "mode".into() }]
    );
}

#[test]
fn the_debris_of_pasting_around_a_tag_is_passed_over() {
    assert_eq!(
        outline("\u{feff}\u{a0} [MESSAGE]\u{200b}\nhi\n\t[/MESSAGE]\u{2003}"),
        ["+MESSAGE"]
    );
}

#[test]
fn numbers_are_ascii_digits() {
    for (number, good) in [
        ("3", true),
        (" 3 ", true),
        ("0", false),
        ("+5", false),
        ("1_0", false),
        ("٣", false),
        ("N", false),
        ("2147483648", false),
    ] {
        let outline = outline(&format!("[READ_FILE path=\"a\" start_line=\"{number}\"]"));
        assert_eq!(outline == ["+READ_FILE"], good, "{number}");
    }
}

#[test]
fn limits_refuse_the_whole_message_with_the_number() {
    assert_eq!(
        parse(
            &"x\n".repeat(MESSAGE_LIMIT / 2 + 1),
            ParseOptions::default()
        ),
        Err(Rejected::TooLong {
            bytes: MESSAGE_LIMIT + 2
        })
    );
    assert_eq!(
        parse(
            &format!("\n{}", "x".repeat(LINE_LIMIT + 1)),
            ParseOptions::default()
        ),
        Err(Rejected::LineTooLong { line: 2 })
    );
    let body = format!("\n[DONE]\n{}[/DONE]", "x\n".repeat(BODY_LIMIT / 2 + 1));
    assert_eq!(
        parse(&body, ParseOptions::default()),
        Err(Rejected::BodyTooLong { line: 2 })
    );
    let many = "[READ_FILE path=\"a\"]\n".repeat(COMMAND_LIMIT + 1);
    assert_eq!(
        parse(&many, ParseOptions::default()),
        Err(Rejected::TooManyCommands)
    );
}

#[test]
fn a_reply_may_say_what_it_answers() {
    let inbox = read("Session: a1b2c3d4\nSequence: 3\n[DONE]\nSession: x\n[/DONE]\n");
    assert_eq!(
        inbox.echo,
        Echo {
            session: Some("a1b2c3d4".into()),
            sequence: Some(3)
        }
    );
    for header in [
        "Session: a1b2c3d4 Sequence: 7",
        "**Session:** a1b2c3d4\n**Sequence:** 7\n",
        "Session: a1b2c3d4, Sequence: 7",
    ] {
        assert_eq!(read(header).echo.sequence, Some(7), "{header}");
    }
    let prose = "Session: stored in Redis\nSequence: 10 terms\nSession: a1b2c3d4 is the key\n";
    assert_eq!(read(prose).echo, Echo::default());
}

#[test]
fn what_was_parsed_is_written_down_the_same() {
    let range = LineRange { first: 2, last: 3 };
    let commands = [
        Command::CreateFile {
            path: "a\"b".into(),
            content: "no newline".into(),
        },
        Command::CreateFile {
            path: "c".into(),
            content: "[/CREATE_FILE]\nEND\n".into(),
        },
        Command::CreateFile {
            path: "numbers".into(),
            content: "    1| a\n    2| b".into(),
        },
        Command::EditFile {
            path: "d".into(),
            lines: range,
            replacement: "9| a\n".into(),
            expect: Some("it's".into()),
            sha: Some("01234567".into()),
        },
        Command::ReadFile(ReadRequest {
            path: "e".into(),
            numbered: true,
            first: Some(1),
            last: None,
        }),
        Command::DeleteFile { path: "f".into() },
        Command::RunCommand {
            command: "echo 1\necho 2\n".into(),
        },
        Command::Message {
            text: String::new(),
        },
        Command::Done {
            summary: "[DONE]".into(),
        },
    ];
    let message = render(&commands);
    assert_eq!(
        read(&message).commands().cloned().collect::<Vec<_>>(),
        commands
    );
    assert!(message.contains("[/CREATE_FILE END2]"), "{message}");
}

#[test]
fn a_command_loses_all_its_prompts_at_once_and_is_never_empty() {
    for (script, expected) in [
        ("$ $ ls", "ls"),
        ("$ a\n$ $ b", "a\nb"),
        ("$ \n$ $ ", "$ \n$ $ "),
    ] {
        let once = read(&format!("[RUN_COMMAND]\n{script}\n[/RUN_COMMAND]\n"));
        let commands: Vec<Command> = once.commands().cloned().collect();
        let expected = Command::RunCommand {
            command: expected.into(),
        };
        assert_eq!(commands, [expected]);
        assert!(read(&render(&commands)).commands().eq(&commands));
    }
}
