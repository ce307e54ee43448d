use alloc::format;

use super::*;

/// Reads a reply in pieces of `size` bytes. Returns its output, its end, and the rest after it.
fn read(bytes: &[u8], size: usize) -> (Vec<u8>, Option<End>, Vec<u8>) {
    let mut reply = Reply::new(64);
    let mut stdout = Vec::new();
    let mut offset = 0;
    for piece in bytes.chunks(size) {
        if let Some((end, used)) = reply.push(piece, &mut stdout) {
            return (stdout, Some(end), bytes[offset + used..].to_vec());
        }
        offset += piece.len();
    }
    (stdout, None, Vec::new())
}

/// Bytes, and the expected result: the output, the end, the rest.
type Case = (&'static [u8], &'static [u8], Option<End>, &'static [u8]);

fn prompt(traceback: &[u8]) -> Option<End> {
    Some(End::Prompt {
        traceback: traceback.to_vec(),
    })
}

#[test]
fn replies_read_the_same_however_they_are_split() {
    let cases: &[Case] = &[
        (b"2\r\n\x04\x04>", b"2\r\n", prompt(b""), b""),
        (b"\x04\x04>late", b"", prompt(b""), b"late"),
        (
            b"a\x04Traceback\r\n\x04>",
            b"a",
            prompt(b"Traceback\r\n"),
            b"",
        ),
        // print("\x04"), print("\x04\x04"), print("\x04a\x04b")
        (b"\x04\r\n\x04\x04>", b"\x04\r\n", prompt(b""), b""),
        (b"\x04\x04\r\n\x04\x04>", b"\x04\x04\r\n", prompt(b""), b""),
        (
            b"\x04a\x04b\r\n\x04\x04>",
            b"\x04a\x04b\r\n",
            prompt(b""),
            b"",
        ),
        (
            b"\x04a\x04\x04\x04\x04>",
            b"\x04a\x04\x04",
            prompt(b""),
            b"",
        ),
        (
            b"bye\x04\x04MPY: soft reboot\r\n",
            b"bye",
            Some(End::SoftReset),
            b"\r\n",
        ),
        (
            b"\x04\x04MPY: soft\x04\x04>",
            b"\x04\x04MPY: soft",
            prompt(b""),
            b"",
        ),
        (
            b"\x04\x04\r\n>\x04\x04>",
            b"\x04\x04\r\n>",
            prompt(b""),
            b"",
        ),
        // A program that prints the same text as a board that starts.
        (
            b"rst:0x1\r\nType \"help()\" for more information.\r\n>>> on\x04\x04>",
            b"rst:0x1\r\nType \"help()\" for more information.\r\n>>> on",
            prompt(b""),
            b"",
        ),
                    (
            b"1\x04longer than sixty-four bytes, so that it cannot be a traceback at all, can it\x04\x04>",
            b"1\x04longer than sixty-four bytes, so that it cannot be a traceback at all, can it",
            prompt(b""),
            b"",
        ),
        (b"still running", b"still running", None, b""),
        // sys.exit("out of range")
        (
            b"\x04out of range\n\x04MPY: sync filesystems\r\nMPY: soft reboot\r\n",
            b"out of range\n",
            Some(End::SoftReset),
            b"\r\n",
        ),
        (
            b"\x04a\x04MPY: soft\x04\x04>",
            b"\x04a\x04MPY: soft",
            prompt(b""),
            b"",
        ),
        // A thread's output in the field of the traceback.
        (b"a\x04tick\r\n\x04>", b"atick\r\n", prompt(b""), b""),
        // raise E("a\x04b"), raise E("\x04"), raise E("\x04\x04c")
        (
            b"1\x04Traceback (most recent call last):\r\nE: a\x04b\r\n\x04>",
            b"1",
            prompt(b"Traceback (most recent call last):\r\nE: a\x04b\r\n"),
            b"",
        ),
        (
            b"\x04Traceback (most recent call last):\r\nE: \x04\r\n\x04>",
            b"",
            prompt(b"Traceback (most recent call last):\r\nE: \x04\r\n"),
            b"",
        ),
        (
            b"\x04Traceback (most recent call last):\r\nE: \x04\x04c\r\n\x04>",
            b"",
            prompt(b"Traceback (most recent call last):\r\nE: \x04\x04c\r\n"),
            b"",
        ),
        // A program that prints a traceback after `04`, and then completes, or raises.
        (
            b"\x04Traceback (most recent call last):\r\nE: \x04c\r\n\x04\x04>",
            b"\x04Traceback (most recent call last):\r\nE: \x04c\r\n",
            prompt(b""),
            b"",
        ),
        (
            b"\x04Traceback (most recent call last):\x04Traceback (most recent call last):\r\nE\r\n\x04>",
            b"\x04Traceback (most recent call last):",
            prompt(b"Traceback (most recent call last):\r\nE\r\n"),
            b"",
        ),
        // Longer than the limit.
        (
            b"\x04Traceback (most recent call last):\r\nE: \x04twenty-three and more\r\n\x04\x04>",
            b"\x04Traceback (most recent call last):\r\nE: \x04twenty-three and more\r\n",
            prompt(b""),
            b"",
        ),
    ];
    for (bytes, stdout, end, rest) in cases {
        for size in [bytes.len(), 7, 1] {
            let (got_stdout, got_end, got_rest) = read(bytes, size);
            let text = alloc::string::String::from_utf8_lossy(bytes);
            assert_eq!(
                (&got_stdout[..], &got_end, &got_rest[..]),
                (*stdout, end, *rest),
                "{text:?} by {size}"
            );
        }
    }
}

#[test]
fn what_comes_instead_of_a_prompt_takes_no_more_room_than_its_limit() {
    for mut reply in [Reply::new(64), Reply::strict(64)] {
        let mut stdout = Vec::new();
        assert_eq!(reply.push(b"\x04\x04", &mut stdout), None);
        for _ in 0..1000 {
            assert_eq!(reply.push(&[b'\n'; 1000], &mut stdout), None);
        }
        let held = match &reply.field {
            Field::Traceback { text } => text.len(),
            Field::Prompt { reboot, .. } => reboot.seen().len(),
            Field::Doubt(doubt) => doubt.held(),
            Field::Frames(_) | Field::Stdout => 0,
        };
        assert!(held < 200, "{held}");
    }
}

#[test]
fn a_board_that_restarts_anywhere_in_a_reply_is_asked_and_ends_it() {
    let reply = b"12\r\n\x04Traceback (most recent call last):\r\n  File \"<stdin>\", line 1, in f\r\nE: x\r\n\x04";
    let boot = b"ets Jul 29\r\nMPY: ready\r\nMicroPython v1.29\r\nType \"help()\" for more information.\r\n>>> ";
    for length in 0..=reply.len() {
        let bytes = [&reply[..length], boot].concat();
        for size in [bytes.len(), 7, 1] {
            let mut reply = Reply::new(64);
            let mut stdout = Vec::new();
            for piece in bytes.chunks(size) {
                assert_eq!(reply.push(piece, &mut stdout), None);
            }
            assert_eq!(reply.question(), Some(Question::HasRestarted));
            reply.ask();
            let answer = b"\r\nraw REPL; CTRL-B to exit\r\n>";
            let mut pieces = answer.chunks(size);
            let end = pieces.find_map(|piece| reply.push(piece, &mut stdout));
            assert_eq!(
                end.map(|(end, _)| end),
                Some(End::BoardReset),
                "after {length} by {size}"
            );
            assert!(
                stdout.ends_with(&[boot, &b"\r\n"[..]].concat()),
                "{stdout:?}"
            );
        }
    }
}

#[test]
fn what_a_thread_prints_into_the_end_goes_with_the_boards_answer() {
    let answer = "tick\nraw REPL; CTRL-B to exit\r\n>";
    for (late, others) in [("tick\r\n>", "tick\r\ntick"), ("a->b>", "a-b>tick")] {
        let bytes = format!("12\x04\x04{late}{answer}");
        for size in [bytes.len(), 7, 1] {
            let (stdout, end, rest) = read(bytes.as_bytes(), size);
            let text = alloc::string::String::from_utf8_lossy(&stdout);
            assert_eq!(text, format!("12{others}"), "{late:?} by {size}");
            assert_eq!((end, rest), (prompt(b""), Vec::new()));
        }
    }
}

#[test]
fn a_board_that_does_not_answer_runs_a_program_that_printed_it() {
    let mut reply = Reply::new(64);
    let mut stdout = Vec::new();
    assert_eq!(reply.push(b"a\x04b\x04c>d", &mut stdout), None);
    assert_eq!(reply.question(), Some(Question::HasEnded));
    reply.decide(&mut stdout);
    assert_eq!(reply.question(), None);
    assert_eq!(
        reply.push(b"\x04\x04e>f\x04\x04>", &mut stdout),
        Some((
            End::Prompt {
                traceback: Vec::new()
            },
            8
        ))
    );
    assert_eq!(stdout, b"a\x04b\x04c>d\x04\x04e>f");
}

/// The banner is output, and so is an apparent beginning of the answer to the query.
#[test]
fn a_program_that_prints_a_banner_and_runs_on_loses_no_byte() {
    let banner = b"Type \"help()\" for more information.\r\n>>> ";
    let after =
        b"raw REPL; CTRL-B to\nrraw REPL; CTRL-B to exit\r\n\r\nraw\x04>\x04Traceback\r\n\x04>";
    for size in [after.len(), 7, 1] {
        let mut reply = Reply::new(64);
        let mut stdout = Vec::new();
        assert_eq!(reply.push(banner, &mut stdout), None);
        reply.ask();
        let mut pieces = after.chunks(size);
        let end = pieces.find_map(|piece| reply.push(piece, &mut stdout));
        assert_eq!(
            end.map(|(end, _)| end),
            prompt(b"Traceback\r\n"),
            "by {size}"
        );
        let printed = &after[..after.len() - b"\x04Traceback\r\n\x04>".len()];
        assert_eq!(stdout, [&banner[..], printed].concat(), "by {size}");
    }
}

/// Also where it may still be a traceback.
#[test]
fn what_is_held_back_is_told_before_the_restart_is() {
    let boot = b"Type \"help()\" for more information.\r\n>>> ";
    let mut reply = Reply::new(1000);
    let mut stdout = Vec::new();
    assert_eq!(
        reply.push(&[b"1\x04", &boot[..]].concat(), &mut stdout),
        None
    );
    reply.ask();
    let end = reply.push(b"raw REPL; CTRL-B to exit\r\n>", &mut stdout);
    assert_eq!(end.map(|(end, _)| end), Some(End::BoardReset));
    assert_eq!(stdout, [b"1\x04", &boot[..]].concat());
}

#[test]
fn what_seems_to_begin_the_answer_is_told_when_the_board_was_asked_in_vain() {
    let mut reply = Reply::new(64);
    let mut stdout = Vec::new();
    let banner = b"Type \"help()\" for more information.\r\n>>> ";
    assert_eq!(reply.push(banner, &mut stdout), None);
    reply.ask();
    assert_eq!(reply.push(b"raw REPL", &mut stdout), None);
    assert_eq!(stdout, banner);
    assert_eq!(reply.decide(&mut stdout), None);
    assert!(stdout.ends_with(b"raw REPL"));
    assert_eq!(reply.question(), None);
}

/// Reported early or late, the output is the same.
#[test]
fn what_is_told_while_the_board_is_silent_is_not_told_again() {
    let reply = b"a\x04>b\r\n\x04c\x04\r\nd\x04\x04>";
    for silent_at in 0..reply.len() {
        let mut read = Reply::new(64);
        let mut stdout = Vec::new();
        assert_eq!(read.push(&reply[..silent_at], &mut stdout), None);
        let printed = &reply[..silent_at.min(reply.len() - 3)];
        if read.patience().is_some() {
            read.disclose(&mut stdout);
            assert!(stdout.starts_with(printed), "{silent_at}: {stdout:?}");
        }
        assert_eq!(read.patience(), None, "{silent_at}");
        let end = read.push(&reply[silent_at..], &mut stdout);
        assert_eq!(end.map(|(end, _)| end), prompt(b""), "{silent_at}");
        // The closing itself may have been reported, which is the price.
        let printed = &reply[..reply.len() - 3];
        let closing = &stdout[printed.len().min(stdout.len())..];
        assert!(
            stdout.starts_with(printed) && closing.iter().all(|&byte| byte == 4),
            "{silent_at}: {stdout:?}"
        );
    }
}

#[test]
fn a_closing_that_takes_its_time_still_ends_the_program() {
    let reply = b"a\x04Traceback (most recent call last):\r\nE\r\n\x04>";
    for silent_at in 3..reply.len() {
        let mut read = Reply::new(64);
        let mut stdout = Vec::new();
        assert_eq!(read.push(&reply[..silent_at], &mut stdout), None);
        assert_eq!(read.patience(), Some(LONG_SILENCE));
        read.disclose(&mut stdout);
        let end = read.push(&reply[silent_at..], &mut stdout);
        let traceback = &reply[2..reply.len() - 2];
        assert_eq!(end.map(|(end, _)| end), prompt(traceback), "{silent_at}");
    }
}

#[test]
fn what_a_thread_prints_hides_no_end_of_a_program_of_ours() {
    let bytes = b"12\r\ntick\r\n\x04tock\r\n\x04tick 2\r\n>tock";
    for size in [bytes.len(), 7, 1] {
        let mut reply = Reply::strict(64);
        let mut stdout = Vec::new();
        let mut pieces = bytes.chunks(size);
        let end = pieces.find_map(|piece| reply.push(piece, &mut stdout));
        assert_eq!(end.map(|(end, _)| end), prompt(b"tock\r\n"), "by {size}");
        assert_eq!(stdout, b"12\r\ntick\r\n", "by {size}");
    }
}
