//! Texts that are made to take long: whatever a message of the greatest length holds, it is read in time that grows
//! with its length alone.

use std::{sync::mpsc, thread, time::Duration};

use flylead_core::agent::{LINE_LIMIT, MESSAGE_LIMIT, ParseOptions, Rejected, parse};

/// Lines that make some part of the parser look far ahead, far back or at all that is before.
const LINES: [&str; 40] = [
    "(end of \n",
    "(end of message 1 of session a; x\n",
    "=== HEADER ===\n=== PROTOCOL ===\n",
    "=== HEADER ===\n=== PROTOCOL ===\n(end of message\n",
    "(part 1 of 2 of message 1 of session a)\n",
    "- [RUN_COMMAND]\n",
    "- [RUN_COMMAND end=\"x\"]\n",
    "- [RUN_COMMAND]\n- [MESSAGE]\n- [DONE]\n",
    "> [RUN_COMMAND]\n",
    "`[RUN_COMMAND]`\n[RUN_COMMAND]\n",
    "**[RUN_COMMAND]**\n**[/DONE]**\n",
    "[CREATE_FILE path=\"a\"]\n",
    "[CREATE_FILE path=\"a\" end=\"x\"]\n[/CREATE_FILE]\n",
    "[CREATE_FILE path=\"a\"]\n[/CREATE_FILE]\n",
    "[READ_FILE path=\"a\"]\ntext\n",
    "[/CREATE_FILE]\n",
    "[/a]\n",
    "[a b=\"c\"]\n",
    "[create_file]\n",
    "x [RUN_COMMAND]\n[/RUN_COMMAND]\n",
    "<think>\n",
    "</think>\n",
    "<think></think>\n",
    "[DONE]\nx\n[/DONE]\n</think>\n",
    "<|channel|>analysis\n",
    "<|channel|>final\n",
    "◁think▷\n</think>\n",
    "```\n",
    "```diff\n",
    "--- a\n",
    "--- a\n+++ b\n",
    "@@ -1 +1 @@\n\n",
    "<<<<<<< SEARCH\n",
    "<tool_call>\n",
    "<CREATE_FILE>\n</create_file>\n",
    "*** Begin Patch\n",
    "Session: a1b2c3d4\n",
    "    1| a\n",
    "[RUN_COMMAND]\n```\n",
    "analysisX assistantfinal\n",
];

/// Pieces that may fill a line.
const PIECES: [&str; 20] = [
    " ",
    "(end of ",
    "(end of message ",
    "[/",
    "[/a]",
    "[RUN_COMMAND]",
    "[RUN_COMMAND][/RUN_COMMAND]",
    "<think></think>",
    "<think></think><thought></thought>",
    "</think>",
    "<|channel|>analysis<|channel|>final",
    "<|x|>",
    "|>",
    "`",
    "[",
    "*",
    "<",
    "- ",
    "\u{200b}",
    "assistantfinal",
];

/// Possible beginnings and ends of such a line.
const ENDS: [(&str, &str); 9] = [
    ("", "\n"),
    ("[", "]\n"),
    ("[READ_FILE path=\"a\"", "]\n"),
    ("[RUN_COMMAND]", "[/RUN_COMMAND]\n"),
    ("**[DONE]", "\n"),
    ("> [DONE]", "\n"),
    ("<think>", "\n"),
    ("=== HEADER ===\n=== PROTOCOL ===\n", "\n"),
    ("[/DONE]", ">\n"),
];

#[test]
fn lines_over_and_over_are_read_in_bounded_time() {
    for line in LINES {
        for closed in ["", "[/RUN_COMMAND]\n"] {
            read(line.repeat(LONG / line.len()) + closed, line);
        }
    }
}

#[test]
fn lines_of_the_greatest_length_are_read_in_bounded_time() {
    for piece in PIECES {
        for (begin, end) in ENDS {
            let room = LINE_LIMIT - begin.len() - end.len();
            let line = format!("{begin}{}{end}", piece.repeat(room / piece.len()));
            read(line, &format!("{begin}{piece}{end}"));
        }
    }
    let attributes: String = (0..80_000)
        .map(|number| format!(" a{number}=\"b\""))
        .collect();
    read(format!("[READ_FILE{attributes}]\n"), "attributes");
}

#[test]
fn messages_of_the_greatest_length_are_read_in_bounded_time() {
    for line in [LINES[1], LINES[5], LINES[8], LINES[9], LINES[19], LINES[23]] {
        read(line.repeat(MESSAGE_LIMIT / line.len()), line);
    }
    let line = "(end of ".repeat(LINE_LIMIT / 8) + "\n";
    read(format!("{}{}", LINES[2], line.repeat(15)), "(end of ");
}

#[test]
fn a_line_over_the_limit_is_refused_before_anything_walks_through_it() {
    let message = format!("first\n{}", "(end of ".repeat(MESSAGE_LIMIT / 8 - 1));
    let refused = parse(&message, ParseOptions::default());
    assert_eq!(refused, Err(Rejected::LineTooLong { line: 2 }));
}

/// A reader that takes longer than its length explains is found by its deadline, which is a hundred times what it needs.
fn read(message: String, what: &str) {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        let _ = parse(&message, ParseOptions::default());
        let _ = done.send(());
    });
    let ended = is_done.recv_timeout(Duration::from_secs(120));
    assert!(ended.is_ok(), "{what:?} takes too long");
}

/// Long enough that whatever grows with the square of it never ends.
const LONG: usize = 1024 * 1024;
