//! The decisions about messages, one sentence each.

use alloc::{format, string::String, string::ToString, vec, vec::Vec};

use super::*;
use crate::agent::{Command, LineRange, ReadRequest};

fn read(message: &str) -> Inbox {
    parse(message, ParseOptions::default()).unwrap()
}

/// `+KIND` for a command, `-` and the reason for an error.
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
fn tags_of_other_commands_in_a_body_are_content() {
    let message = format!("[CREATE_FILE path=\"a.md\"]\n{HIDDEN}[/CREATE_FILE]\n");
    assert_eq!(outline(&message), ["+CREATE_FILE"]);
    assert_eq!(content(&message), HIDDEN);
}

#[test]
fn a_body_with_its_own_opening_tag_is_ambiguous_to_its_balanced_end() {
    let nested = "[CREATE_FILE path=\"a\"]\n[CREATE_FILE path=\"b\"]\nx\n[/CREATE_FILE]\n";
    let message = format!("{nested}{HIDDEN}[/CREATE_FILE]\n[READ_FILE path=\"c\"]\n");
    assert_eq!(outline(&message), ["-Ambiguous", "+READ_FILE"]);
    let fault = read(&message).faults().next().unwrap().1.to_string();
    assert!(
        fault.starts_with("'a' contains another [CREATE_FILE …] (line 2)"),
        "{fault}"
    );
    assert_eq!(outline(&format!("{nested}{HIDDEN}")), ["-Ambiguous"]);
}

#[test]
fn a_token_makes_any_body_expressible() {
    let message = "[CREATE_FILE path=\"a\" end=\"EOF-1\"]\n[CREATE_FILE path=\"b\"]\n[/CREATE_FILE]\n[/CREATE_FILE EOF]\n[/CREATE_FILE EOF-1]\n";
    assert_eq!(
        content(message),
        "[CREATE_FILE path=\"b\"]\n[/CREATE_FILE]\n[/CREATE_FILE EOF]\n"
    );
    assert_eq!(
        outline("[DONE end=\"no blanks\"]\n[/DONE]\n"),
        ["-InvalidAttribute"]
    );
    assert_eq!(outline("[DONE end=\"T\"]\nx\n[/DONE]\n"), ["-Unclosed"]);
}

#[test]
fn a_stray_closing_tag_holds_back_all_that_may_be_content() {
    let message = format!(
        "[READ_FILE path=\"r\"]\n[CREATE_FILE path=\"a\"]\n[/CREATE_FILE]\n{HIDDEN}[/CREATE_FILE]\n"
    );
    assert_eq!(
        outline(&message),
        ["+READ_FILE", "-HeldBack", "-HeldBack", "-StrayClosing"]
    );
    let cut_off = format!("{HIDDEN}[/CREATE_FILE]\n[MESSAGE]\nm\n[/MESSAGE]\n");
    assert_eq!(
        outline(&cut_off),
        ["-HeldBack", "-StrayClosing", "+MESSAGE"]
    );
}

#[test]
fn an_opening_tag_behind_other_text_is_remembered_when_its_closing_tag_comes() {
    let inner = "[CREATE_FILE path=\"b\"]\n[/CREATE_FILE]\n";
    let message =
        format!("Sure: [CREATE_FILE path=\"a\"]\n{HIDDEN}{inner}{HIDDEN}[/CREATE_FILE]\n");
    assert_eq!(
        outline(&message),
        ["-HeldBack", "-HeldBack", "-HeldBack", "-StrayClosing"]
    );
}

#[test]
fn an_unclosed_block_takes_the_rest_and_says_what_it_took() {
    let message = format!(
        "[READ_FILE path=\"r\"]\n[CREATE_FILE path=\"a\"]\n{HIDDEN}[DELETE_FILE path=\"x\"]\n"
    );
    assert_eq!(outline(&message), ["+READ_FILE", "-Unclosed"]);
    let fault = read(&message).faults().next().unwrap().1.to_string();
    assert!(
        fault.contains("[/CREATE_FILE] is missing") && fault.contains("2 commands after it"),
        "{fault}"
    );
}

#[test]
fn a_bad_opening_tag_still_has_its_body() {
    for tag in [
        "[CREATE_FILE]",
        "[CREATE_FILE path=]",
        "[CREATE_FILE path=\"a\"] text",
        "[CREATE_FILE path=\"a\"",
        "[CREATE_FILE: a]",
    ] {
        let message = format!("{tag}\n{HIDDEN}[/CREATE_FILE]\n[READ_FILE path=\"c\"]\n");
        let outline = outline(&message);
        assert!(
            outline.len() == 2 && outline[0].starts_with('-') && outline[1] == "+READ_FILE",
            "{tag} {outline:?}"
        );
    }
    assert_eq!(
        outline("[EDIT_FILE path=\"a\" start_line=\"1\"]\n[/EDIT_FILE]"),
        ["-MissingAttribute"]
    );
}

#[test]
fn blanks_in_a_closing_tag_are_passed_over_but_attributes_are_not() {
    assert_eq!(outline("[MESSAGE]\nx\n[/MESSAGE ]\n"), ["+MESSAGE"]);
    assert_eq!(outline("[MESSAGE]\nx\n[/MESSAGE a=\"b\"]\n"), ["-Unclosed"]);
    assert_eq!(strict("[MESSAGE]\nx\n[/MESSAGE ]\n"), ["-Unclosed"]);
}

#[test]
fn short_commands_may_stand_on_one_line_and_files_may_not() {
    assert_eq!(
        outline("[MESSAGE]hi[/MESSAGE]\n[RUN_COMMAND]ls[/RUN_COMMAND]\n[DONE]ok[/DONE]"),
        ["+MESSAGE", "+RUN_COMMAND", "+DONE"]
    );
    assert_eq!(
        outline("[CREATE_FILE path=\"a\"]x[/CREATE_FILE]\n[MESSAGE]a\n[/MESSAGE]"),
        ["-OneLine", "-TextAfterTag"]
    );
    assert_eq!(
        outline("[RUN_COMMAND]echo '[/RUN_COMMAND]'[/RUN_COMMAND]"),
        ["-OneLine"]
    );
    assert_eq!(strict("[MESSAGE]hi[/MESSAGE]"), ["-OneLine"]);
}

#[test]
fn a_command_without_a_body_may_be_closed_but_encloses_nothing() {
    assert_eq!(
        outline(
            "[READ_FILE path=\"a\"][/READ_FILE]\n[READ_FILE path=\"b\"]\n\n[/READ_FILE]\n[READ_FILE path=\"c\" /]"
        ),
        ["+READ_FILE"; 3]
    );
    let inbox = read("[DELETE_FILE path=\"a\"]\nbecause\n[/DELETE_FILE]\n");
    assert_eq!(
        (summary(&inbox), &inbox.items[0].notes),
        (vec!["+DELETE_FILE".into()], &vec![Note::BodyIgnored])
    );
    let around = format!("[READ_FILE path=\"a\"]\n{HIDDEN}[/READ_FILE]\n");
    assert_eq!(
        outline(&around),
        ["-HeldBack", "-HeldBack", "-StrayClosing"]
    );
}

#[test]
fn prose_holds_no_commands() {
    assert_eq!(read(""), Inbox::default());
    assert!(
        outline("Hello [WARNING] [1] [x]\n[WARNING]\n[1]\n[x]\n[package]\n[text](url)\n[ ] todo\n")
            .is_empty()
    );
}

#[test]
fn the_examples_of_a_pasted_outbox_are_no_commands() {
    let outbox = format!(
        "=== HEADER ===\nSession: a\n=== PROTOCOL ===\n{HIDDEN}=== CONTEXT ===\n{HIDDEN}=== PROMPT ===\ntask\n"
    );
    let end = "(end of message 1 of session a1b2c3d4; your reply follows)\n";
    let inbox = read(&format!(
        "{HIDDEN}{outbox}{HIDDEN}{end}[READ_FILE path=\"a\"]\n"
    ));
    assert_eq!(
        (summary(&inbox), inbox.outbox_copy),
        (vec!["+READ_FILE".into()], Some(19))
    );
    let without_end = read(&format!("{outbox}[READ_FILE path=\"a\"]\n"));
    assert_eq!(
        (summary(&without_end), without_end.outbox_copy.is_some()),
        (vec!["+READ_FILE".into()], true)
    );
    assert!(outline(&format!("=== HEADER ===\n=== PROTOCOL ===\n{HIDDEN}")).is_empty());
    let quoted = format!("[CREATE_FILE path=\"a\"]\n{outbox}[/CREATE_FILE]\n");
    assert_eq!(read(&quoted).outbox_copy, None);
    let part = format!(
        "(part 2 of 3 of message 1 of session a1b2c3d4)\n{HIDDEN}(end of part 2 of 3 of message 1 of session a1b2c3d4)\n"
    );
    assert_eq!(
        (outline(&part).len(), read(&part).outbox_copy),
        (0, Some(5))
    );
}

#[test]
fn a_thought_that_an_outbox_seems_to_end_ends_with_the_outbox() {
    let outbox = format!(
        "=== HEADER ===\nTask: what is <think>?\n=== PROTOCOL ===\n=== CONTEXT ===\n--- a ---\n</think>\n{HIDDEN}--- end a ---\n=== PROMPT ===\nt\n(end of message 1 of session a1b2c3d4; your reply follows)\n"
    );
    for before in ["", "<think>\n", "Use `<think>` or <think>.\n"] {
        let inbox = read(&format!("{before}{outbox}[READ_FILE path=\"a\"]\n"));
        assert_eq!(
            (summary(&inbox), inbox.outbox_copy.is_some()),
            (vec!["+READ_FILE".into()], true),
            "{before}"
        );
    }
}

#[test]
fn the_example_path_is_refused_wherever_it_stands() {
    assert_eq!(
        outline("[DELETE_FILE path=\"relative/path/to/file\"]\n"),
        ["-Path"]
    );
}

#[test]
fn thoughts_are_drafts() {
    assert_eq!(
        outline(&format!(
            "<think>\n{HIDDEN}</think>\n[READ_FILE path=\"a\"]\n"
        )),
        ["+READ_FILE"]
    );
    assert_eq!(
        outline(&format!(
            "{HIDDEN}so be it</think>\n[READ_FILE path=\"a\"]\n"
        )),
        ["-Draft", "+READ_FILE"]
    );
    assert_eq!(
        outline(&format!(
            "{HIDDEN}The template strips all up to </think> now.\n"
        )),
        ["+RUN_COMMAND"]
    );
    assert_eq!(
        outline(&format!("Use `<think>` well.\n{HIDDEN}")),
        ["+RUN_COMMAND"]
    );
    let unclosed = parse(&format!("Hm\n<think>\n{HIDDEN}"), ParseOptions::default());
    assert_eq!(unclosed, Err(Rejected::UnclosedThought { line: 2 }));
    assert_eq!(
        content("[CREATE_FILE path=\"a\"]\n<think>\n[/CREATE_FILE]\n"),
        "<think>\n"
    );
}

#[test]
fn commands_in_a_fence_run_because_chats_copy_them_so() {
    assert_eq!(
        outline("```\n[MESSAGE]\nhi\n[/MESSAGE]\n```\n"),
        ["+MESSAGE"]
    );
}

#[test]
fn a_fence_around_a_body_stays_unless_it_is_unwanted() {
    let message = "[CREATE_FILE path=\"a.py\"]\n```python\nx\n```\n[/CREATE_FILE]\n";
    let inbox = read(message);
    assert_eq!(
        (content(message).as_str(), &inbox.items[0].notes),
        ("```python\nx\n```\n", &vec![Note::Fenced])
    );
    let options = ParseOptions {
        strip_fences: true,
        ..ParseOptions::default()
    };
    let stripped = parse(message, options).unwrap();
    assert_eq!(
        stripped.commands().next(),
        Some(&Command::CreateFile {
            path: "a.py".into(),
            content: "x\n".into()
        })
    );
    assert!(
        read(&message.replace("a.py", "a.md")).items[0]
            .notes
            .is_empty()
    );
}

#[test]
fn a_quoted_tag_is_no_command_and_neither_is_its_body() {
    for mark in ["> ", "`", "```", "\\", "* `", "| "] {
        let message = format!("{mark}[CREATE_FILE path=\"a\"]\n{HIDDEN}{mark}[/CREATE_FILE]\n");
        assert_eq!(outline(&message), ["-Decorated"], "{mark}");
    }
    let listed = read("- [RUN_COMMAND] runs it\n- [DONE]\n- [READ_FILE]\n[DONE]\nx\n[/DONE]\n");
    assert_eq!(
        (summary(&listed), listed.hints),
        (vec!["+DONE".into()], vec![1, 2, 3])
    );
    assert_eq!(
        outline("- [DELETE_FILE path=\"a\"] goes\n"),
        ["-TextAfterTag"]
    );
    assert_eq!(outline("Then `[DELETE_FILE path=\"a\"]` goes\n"), [""; 0]);
    assert_eq!(outline("> [DELETE_FILE path=\"a\"]\n"), ["-Decorated"]);
}

#[test]
fn a_tag_in_a_list_a_heading_or_emphasis_is_that_tag() {
    for (mark, end) in [
        ("- ", ""),
        ("* ", ""),
        ("1. ", ""),
        ("12) ", ""),
        ("• ", ""),
        ("**", "**"),
        ("### ", ""),
        ("2. **", "**"),
        ("_", "_"),
    ] {
        let message = format!(
            "{mark}[CREATE_FILE path=\"a\"]{end}\n{HIDDEN}{mark}[/CREATE_FILE]{end}\n{mark}[READ_FILE path=\"b\"]{end}\n"
        );
        let inbox = read(&message);
        assert_eq!(summary(&inbox), ["+CREATE_FILE", "+READ_FILE"], "{mark}");
        assert_eq!(inbox.items[0].notes, [Note::Marked]);
        assert_eq!(content(&message), HIDDEN);
        assert!(
            strict(&message).iter().all(|item| item.starts_with('-')),
            "{mark}"
        );
    }
    let plain_end = format!("**[CREATE_FILE path=\"a\"]**\n{HIDDEN}[/CREATE_FILE]\n");
    assert_eq!(content(&plain_end), HIDDEN);
    let indented = "1. [CREATE_FILE path=\"a\"]\n   if x:\n       y\n\n   [/CREATE_FILE]\n";
    assert_eq!(content(indented), "if x:\n    y\n\n");
    let flush = "1. [CREATE_FILE path=\"a\"]\nif x:\n       y\n   [/CREATE_FILE]\n";
    assert_eq!(content(flush), "if x:\n       y\n");
}

#[test]
fn a_tag_that_a_list_only_mentions_does_not_take_the_commands_after_it() {
    let plan = format!("1. [RUN_COMMAND]\n2. [DONE]\n{HIDDEN}[DONE]\nx\n[/DONE]\n");
    assert_eq!(outline(&plan), ["+RUN_COMMAND", "+DONE"]);
    let cut_off = format!("**[CREATE_FILE path=\"a\"]**\n{HIDDEN}");
    assert_eq!(outline(&cut_off), ["-Unclosed"]);
}

#[test]
fn no_fence_around_a_script_reaches_the_shell() {
    let script = |body: &str| match read(&format!("[RUN_COMMAND]\n{body}\n[/RUN_COMMAND]\n"))
        .commands()
        .next()
    {
        Some(Command::RunCommand { command }) => command.clone(),
        other => panic!("{other:?}"),
    };
    for body in [
        "```bash\nls\n```",
        "```\nls\n```\n",
        "~~~~sh\nls\n~~~~",
        "\n  ```\nls\n  ```",
        "`ls`",
    ] {
        assert_eq!(script(body), "ls", "{body}");
    }
    let documents = "cat > a.md <<'E'\n```sh\nls\n```\nE";
    assert_eq!(script(documents), documents);
    assert_eq!(script("echo `date` `ls`"), "echo `date` `ls`");
    assert_eq!(
        outline("[RUN_COMMAND]\n```\nls\n```\nand\n```\npwd\n```\n[/RUN_COMMAND]\n"),
        ["-FencedPart"]
    );
    assert_eq!(
        outline("[RUN_COMMAND]`ls`[/RUN_COMMAND]\n"),
        ["+RUN_COMMAND"]
    );
}

#[test]
fn drafts_of_every_kind_hold_no_commands() {
    for (open, close) in [
        ("<think>", "</think>"),
        ("<Thinking>", "</Thinking>"),
        ("<thought>", "</thought>"),
        ("<scratchpad>", "</scratchpad>"),
        ("<think time=\"3\">", "</think>"),
        ("◁think▷", "◁/think▷"),
        ("[THINK]", "[/THINK]"),
        (
            "<|channel|>analysis<|message|>",
            "<|end|><|start|>assistant<|channel|>final<|message|>",
        ),
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
        ("<details type=\"reasoning\" done=\"true\">", "</details>"),
    ] {
        for between in ["", "\n"] {
            let message =
                format!("{open}{between}Hm\n{HIDDEN}{close}{between}[READ_FILE path=\"a\"]\n");
            assert_eq!(outline(&message), ["+READ_FILE"], "{message}");
        }
        let unclosed = parse(&format!("{open}\n{HIDDEN}"), ParseOptions::default());
        assert_eq!(
            unclosed,
            Err(Rejected::UnclosedThought { line: 1 }),
            "{open}"
        );
    }
    let glued = format!("analysisWe run it.\n{HIDDEN}assistantfinal[READ_FILE path=\"a\"]\n");
    assert_eq!(outline(&glued), ["+READ_FILE"]);
    assert_eq!(
        outline(&format!("analysis of it\n{HIDDEN}")),
        ["+RUN_COMMAND"]
    );
}

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
fn bodies_have_unix_line_ends() {
    assert_eq!(
        content("[CREATE_FILE path=\"a\"]\r\nx\r\n\r\ny\r\n[/CREATE_FILE]\r\n"),
        "x\n\ny\n"
    );
    // What some clipboards make of what others had made of it.
    assert_eq!(
        content("[CREATE_FILE path=\"a\"]\r\nx\r\r\ny\rz\r\n[/CREATE_FILE]\r\n"),
        "x\ny\rz\n"
    );
}

#[test]
fn byte_order_marks_are_removed_and_bytes_that_are_no_text_are_refused() {
    assert_eq!(decode(b"\xef\xbb\xbfhi").unwrap(), "hi");
    assert_eq!(decode(b"\xff\xfeh\0i\0").unwrap(), "hi");
    assert_eq!(decode(b"\xfe\xff\0h\0i").unwrap(), "hi");
    assert_eq!(decode(b"ab\xffc"), Err(Rejected::NotText { offset: 2 }));
    assert_eq!(
        decode(b"\xff\xfe\x00\xd8"),
        Err(Rejected::NotText { offset: 2 })
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
fn a_file_is_the_text_between_the_tags_with_its_last_newline() {
    assert_eq!(
        content("[CREATE_FILE path=\"a\"]\nx\n[/CREATE_FILE]"),
        "x\n"
    );
    assert_eq!(content("[CREATE_FILE path=\"a\"]\n[/CREATE_FILE]"), "");
    assert_eq!(content("[CREATE_FILE path=\"a\"]\n\n[/CREATE_FILE]"), "\n");
    assert_eq!(
        content("[CREATE_FILE path=\"a\" final_newline=\"no\"]\nx\n[/CREATE_FILE]"),
        "x"
    );
    assert_eq!(
        content("[CREATE_FILE path=\"a\"]\n  x \t\n[/CREATE_FILE]"),
        "  x \t\n"
    );
}

#[test]
fn an_empty_command_is_an_error() {
    assert_eq!(
        outline("[RUN_COMMAND]\n\n[/RUN_COMMAND]\n"),
        ["-EmptyCommand"]
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
