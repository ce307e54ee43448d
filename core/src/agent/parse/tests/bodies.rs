//! Tests the text between the tags of a command.

use super::*;

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
fn bodies_have_unix_line_ends() {
    assert_eq!(
        content("[CREATE_FILE path=\"a\"]\r\nx\r\n\r\ny\r\n[/CREATE_FILE]\r\n"),
        "x\n\ny\n"
    );
    // The result of some clipboards processing text from other ones.
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
