//! Tests input that a person types, and piped input.

use std::process::Stdio;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};

use crate::common::{FOREVER, PATIENCE, Serving, Terminal, ended, flylead, run, said};

#[tokio::test]
async fn a_person_types_programs_of_many_lines_interrupts_them_and_finds_them_again() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history");
    let server = Serving::start(&["127.0.0.1:0"], &[]).await;
    let mut terminal = Terminal::open(server.address(), &history);
    terminal.see("zylisp> ").await;
    // An open list goes on in the next line.
    terminal.type_("(+ 40\r").await;
    terminal.see("   ...> ").await;
    terminal.type_("2)\r").await;
    terminal.see("\n42").await;
    terminal.see("zylisp> ").await;
    terminal.type_("(define x 7)\r").await;
    terminal.see("\n7").await;
    terminal.see("zylisp> ").await;
    terminal.type_(&format!("{FOREVER}\r")).await;
    terminal.see("\nready").await;
    terminal.type_("\x03").await;
    terminal.see("interrupted").await;
    terminal.see("zylisp> ").await;
    // Ctrl-C clears a line, and the session has kept its definitions.
    terminal.type_("garbage\x03").await;
    terminal.see("zylisp> ").await;
    terminal.type_("(* x 6)\r").await;
    terminal.see("\n42").await;
    terminal.see("zylisp> ").await;
    // A program of two lines is one of the history.
    terminal.type_("(* 2\r21)\r").await;
    terminal.see("\n42").await;
    terminal.see("zylisp> ").await;
    // The program before is one key away, and a program of many lines is given up as a whole.
    terminal.type_("(list 1\r").await;
    terminal.see("   ...> ").await;
    terminal.type_("\x03").await;
    terminal.see("zylisp> ").await;
    terminal.type_("\x1b[A\r").await;
    terminal.see("\n42").await;
    terminal.see("zylisp> ").await;
    terminal.type_("(/ 1 0)\r").await;
    terminal.see("arithmetic-error: division by zero").await;
    terminal.see("zylisp> ").await;
    terminal.type_("\x04").await;
    assert_eq!(terminal.exit_code().await, 0);
    let kept = std::fs::read_to_string(history).unwrap();
    assert!(kept.contains("(define x 7)"), "{kept}");
}

#[tokio::test]
async fn names_are_completed_and_explained_and_files_loaded_in_the_repl() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("area.zylisp");
    std::fs::write(&file, "(define area (lambda (r) (* 3 r r)))").unwrap();
    let mut terminal = Terminal::open("in-process", &folder.path().join("history"));
    for (typed, shown) in [
        ("(define quadruple (lambda (x) (* 4 x)))\r", "<function>"),
        ("(quad\t 3)\r", "12"),
        (":doc car\r", "(car LIST)"),
        (":doc quadruple\r", "defined in line 1"),
        (&format!(":load {}\r", file.display()), "<function>"),
        ("(area 2)\r", "12"),
        (":what\r", ":help lists"),
    ] {
        terminal.see("zylisp> ").await;
        terminal.type_(typed).await;
        terminal.see("\n").await;
        terminal.see(shown).await;
    }
    terminal.see("zylisp> ").await;
    terminal.type_("\x04").await;
    assert_eq!(terminal.exit_code().await, 0);
}

#[tokio::test]
async fn without_a_command_it_is_the_repl_and_without_an_address_it_is_in_this_process() {
    for words in [&[][..], &["repl"], &["repl", "in-process"]] {
        let mut child = flylead(words).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"(let ((x 6)) (* x 7))\n").await.unwrap();
        drop(stdin);
        assert_eq!(ended(child).await, said(0, "42\n", ""), "{words:?}");
    }
    assert_eq!(run(&["eval", "(+ 1 2)"]).await, said(0, "3\n", ""));
}

#[tokio::test]
async fn an_editor_that_waits_for_the_prompt_sees_it_after_each_program() {
    let mut child = flylead(&["repl", "--prompt"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut seen = String::new();
    for (program, answer) in [
        ("", ""),
        ("(println 1)\n", "1\nnil\n"),
        ("(+ 1\n1)\n", "2\n"),
    ] {
        stdin.write_all(program.as_bytes()).await.unwrap();
        let expected = format!("{answer}zylisp> ");
        let mut shown = vec![0; expected.len()];
        let read = timeout(PATIENCE, stdout.read_exact(&mut shown)).await;
        read.unwrap().unwrap();
        seen = String::from_utf8(shown).unwrap();
        assert_eq!(seen, expected);
    }
    drop((stdin, seen));
    assert_eq!(ended(child).await.0, 0);
}

#[tokio::test]
async fn programs_that_are_piped_in_are_evaluated_to_the_last_open_one() {
    let mut child = flylead(&["repl", "in-process"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(b"(+ 1 2)\n(list 1\n2)\n\n(car")
        .await
        .unwrap();
    drop(stdin);
    let told = ended(child).await;
    assert_eq!(
        told,
        said(
            1,
            "3\n(1 2)\n",
            "syntax-error: unclosed list\n  (car\n  ^\n  at typed 3:1:1\n"
        )
    );
}

#[tokio::test]
async fn what_is_piped_in_ends_at_quit_and_the_exit_code_is_that_of_the_first_error() {
    let table: [(&[u8], i32, &str); 4] = [
        (b"(+ 1 1)\n(quit)\n3\n", 0, "2\n"),
        (b":quit\n3\n", 0, ""),
        (b"(car 5)\n7\n", 1, "7\n"),
        (b"(println (read-line))\nhello\n8\n", 0, "hello\nnil\n8\n"),
    ];
    for (input, code, stdout) in table {
        let mut child = flylead(&["repl", "in-process"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input).await.unwrap();
        drop(stdin);
        let told = ended(child).await;
        assert_eq!((told.0, &*told.1), (code, stdout), "{told:?}");
    }
}

#[tokio::test]
async fn a_value_that_is_too_long_for_one_answer_is_shown_page_by_page() {
    // Five letters and their quotes 800,000 times, with blanks between them: beyond the 4 MiB of one answer.
    let program = "(define build (lambda (n l) (if (= n 0) l (build (- n 1) (cons \"abcde\" l)))))\n\
        (build 800000 (list))\n:more\n:more\n(+ 1 2)\n:more\n";
    let mut child = flylead(&["repl", "in-process"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(program.as_bytes()).await.unwrap();
    drop(stdin);
    let (code, stdout, stderr) = ended(child).await;
    let whole = format!("({})", ["\"abcde\""; 800_000].join(" "));
    let (first, second, third) = (4 << 20, (4 << 20) + (64 << 10), (4 << 20) + (128 << 10));
    let shown: Vec<_> = stdout.lines().collect();
    let pages = [
        &whole[..first],
        &whole[first..second],
        &whole[second..third],
    ];
    let pages = pages.map(|page| format!("{page} …"));
    assert!(
        shown[1..4] == pages,
        "{:?}",
        shown.iter().map(|line| line.len()).collect::<Vec<_>>()
    );
    assert_eq!(shown[4..], ["3"]);
    assert!(stderr.contains("`:more` in the REPL continues"), "{stderr}");
    assert!(
        stderr.contains("the last value has no further pages"),
        "{stderr}"
    );
    assert_eq!(code, 5, "what is refused is told by the exit code");
}

#[tokio::test]
async fn lines_that_come_in_one_write_are_all_evaluated_and_a_program_reads_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open("in-process", &folder.path().join("history"));
    terminal.see("zylisp> ").await;
    terminal
        .type_(
            "(+ 10 1)\r(+ 20 2)\r(list 3\r3)\r(println (read-line))\rwritten (before\r(+ 40 4)\r",
        )
        .await;
    for shown in [
        "\n11",
        "\n22",
        "\n(3 3)",
        "\nwritten (before",
        "\nnil",
        "\n44",
    ] {
        terminal.see(shown).await;
    }
    terminal.see("zylisp> ").await;
    terminal.type_("(quit)\r").await;
    assert_eq!(terminal.exit_code().await, 0);
}

#[tokio::test]
async fn the_repl_reconnects_when_its_server_has_gone_and_come() {
    let folder = tempfile::tempdir().unwrap();
    let server = Serving::start(&["127.0.0.1:0"], &[]).await;
    let address = server.address().to_owned();
    let mut terminal = Terminal::open(&address, &folder.path().join("history"));
    terminal.see("zylisp> ").await;
    server.stop().await;
    terminal.type_("(+ 1 2)\r").await;
    terminal.see("the connection to the server ended").await;
    terminal.see("zylisp> ").await;
    terminal.type_("(+ 1 2)\r").await;
    terminal.see("cannot connect").await;
    terminal.see("zylisp> ").await;
    let again = Serving::start(&[&address], &[]).await;
    terminal.type_("(+ 40 2)\r").await;
    terminal.see("reconnected").await;
    terminal.see("42").await;
    terminal.see("zylisp> ").await;
    terminal.type_("\x04").await;
    assert_eq!(terminal.exit_code().await, 0);
    again.stop().await;
}

#[tokio::test]
async fn an_error_is_shown_with_its_line_and_a_function_with_its_operands() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open("in-process", &folder.path().join("history"));
    terminal.see("zylisp> ").await;
    terminal.type_("(list 1 (car 5))\r").await;
    terminal.see("type-error: car: expected list").await;
    terminal.see("\n          ^").await;
    terminal.see("at typed 1:1:9").await;
    terminal.see("zylisp> ").await;
    terminal.type_("(define f (lambda (n) (car n)))\r").await;
    terminal.see("zylisp> ").await;
    terminal.type_("(f 5)\r").await;
    // The line of the program that defined it.
    terminal.see("\n  (define f (lambda (n) (car n)))").await;
    terminal.see("\n                        ^").await;
    terminal.see("in f at typed 2:1:23").await;
    terminal.see("zylisp> ").await;
    terminal.type_("(cons ").await;
    terminal.see("(cons VALUE LIST)").await;
    terminal.type_("1 (quote ()))\r").await;
    terminal.see("\n(1)").await;
    terminal.see("zylisp> ").await;
    terminal.type_("\x04").await;
    assert_eq!(terminal.exit_code().await, 0);
}

#[tokio::test]
async fn a_program_of_hundreds_of_programs_ago_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history");
    let later = (0..300).map(|number| format!("(list {number})\n"));
    let kept = format!("#V2\n(+ 1000 234)\n{}", later.collect::<String>());
    std::fs::write(&history, kept).unwrap();
    let mut terminal = Terminal::open("in-process", &history);
    terminal.see("zylisp> ").await;
    terminal.type_("\x12+ 1000").await;
    // Its closing bracket is shown in another color.
    terminal.see("`+ 1000': (+ 1000 234").await;
    terminal.type_("\r").await;
    terminal.see("\n1234").await;
    terminal.see("zylisp> ").await;
    terminal.type_("\x04").await;
    assert_eq!(terminal.exit_code().await, 0);
}
