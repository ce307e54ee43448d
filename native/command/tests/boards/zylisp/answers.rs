//! Answers of `flylead repl-server` to editors: values, errors, input, names.

use super::{
    desk::{Desk, ENDLESS, answered, new_session},
    ended, interrupt,
};

#[tokio::test]
async fn a_clone_shares_the_board_and_every_operation_advertised_is_there() {
    let mut desk = Desk::start().await;
    let cloned = desk.ask(&[("op", "clone"), ("id", "1")]).await;
    let session = new_session(&cloned);
    desk.eval("shared = 42").await;
    let code = [("op", "eval"), ("id", "3"), ("code", "shared")];
    let seen = desk
        .ask(&[&code[..], &[("session", &session)]].concat())
        .await;
    assert!(seen.contains("5:value2:42"));
    let described = desk.ask(&[("op", "describe"), ("id", "4")]).await;
    for operation in ["stdin", "completions", "lookup", "eldoc", "info", "clone"] {
        let advertised = described.contains(&format!("{}:{operation}de", operation.len()));
        let request = [("op", operation), ("id", "5"), ("stdin", "a\n")];
        let names = [("prefix", "sha"), ("sym", "shared")];
        let replies = desk.ask(&[&request[..], &names[..]].concat()).await;
        let refused = replies.contains("unknown-op") || replies.contains("error");
        assert_eq!(advertised, !refused, "{operation}: {replies}");
    }
}

#[tokio::test]
async fn an_input_of_the_user_stays() {
    let mut desk = Desk::start().await;
    desk.eval("input = 40").await;
    let value = desk.eval("input + 2");
    assert!(value.await.contains("5:value2:42"));
}

#[tokio::test]
async fn a_file_has_its_last_value_and_errors_name_the_editors_file_and_line() {
    let mut desk = Desk::start().await;
    let file = "def work(n):\n  return 1 / n\nwork(4)\n";
    let load = [("op", "load-file"), ("id", "1"), ("file", file)];
    let path = [("file-path", "/home/me/main.py"), ("file-name", "main.py")];
    let replies = desk.ask(&[&load[..], &path[..]].concat()).await;
    assert!(replies.contains("5:value4:0.25"), "{replies}");
    let region = [("op", "eval"), ("id", "2"), ("code", "x = 0\nwork(x)")];
    let place = [("file", "/home/me/other.py"), ("line", "40")];
    let replies = desk.ask(&[&region[..], &place[..]].concat()).await;
    for part in [
        "File \"/home/me/other.py\", line 41, in <module>",
        "File \"/home/me/main.py\", line 2, in work",
        "4:file16:/home/me/main.py",
        "4:linei2e",
    ] {
        assert!(replies.contains(part), "{part} is not in {replies}");
    }
    assert!(!replies.contains("<stdin>"), "{replies}");
}

#[tokio::test]
async fn a_program_on_a_board_asks_for_its_input_and_reads_lines_and_the_end() {
    let mut desk = Desk::start().await;
    let code = "name = input('name? ')\nprint('hello ' + name)\ntry:\n  input()\nexcept EOFError:\n  print('the end')";
    desk.send(&[("op", "eval"), ("id", "1"), ("code", code)])
        .await;
    let asked = desk.see("10:need-input").await;
    assert!(asked.contains("name? "), "{asked}");
    desk.send(&[("op", "stdin"), ("id", "2"), ("stdin", "Ada\n")])
        .await;
    let read = desk.see("10:need-input").await;
    assert!(read.contains("hello Ada"), "{read}");
    desk.send(&[("op", "stdin"), ("id", "3"), ("stdin", "")])
        .await;
    let ended = answered(&mut desk.link, 2).await;
    assert!(ended.contains("the end"), "{ended}");
    // A line that comes before it is asked for is read without a question.
    desk.send(&[("op", "stdin"), ("id", "4"), ("stdin", "Bob\n")])
        .await;
    desk.see("4:done").await;
    let replies = desk.eval("input()");
    let replies = replies.await;
    assert!(replies.contains("5:value5:'Bob'"), "{replies}");
    assert!(!replies.contains("need-input"), "{replies}");
}

#[tokio::test]
async fn names_are_the_boards_own_and_signatures_come_from_programs_files_and_stubs() {
    let mut desk = Desk::start().await;
    let folder = desk.folder.path();
    std::fs::create_dir(folder.join("typings")).unwrap();
    let stub = "def collect() -> None:\n    \"\"\"Run a garbage collection.\"\"\"\n";
    std::fs::write(folder.join("typings/gc.pyi"), stub).unwrap();
    let code =
        "import gc\ndef spread(first, second=(1, 2)):\n  'Spreads.'\n  return first\nspeed = 3";
    desk.eval(code).await;
    let table = [
        ("completions", "spe", "9:candidate5:speed4:type3:var"),
        ("completions", "spr", "9:candidate6:spread4:type8:function"),
        (
            "completions",
            "gc.coll",
            "9:candidate10:gc.collect4:type8:function",
        ),
        ("completions", "isinst", "9:candidate10:isinstance"),
        // A keyword may begin a name.
        ("completions", "gc.is", "9:candidate12:gc.isenabled"),
        ("eldoc", "spread", "5:eldocll5:first13:second=(1, 2)ee"),
        ("lookup", "spread", "3:doc8:Spreads."),
        ("lookup", "spread", "4:linei2e"),
        ("info", "gc.collect", "3:doc25:Run a garbage collection."),
        ("info", "speed", "3:doc3:int"),
        ("info", "nowhere", "7:no-info"),
    ];
    for (operation, name, expected) in table {
        let request = [
            ("op", operation),
            ("id", "2"),
            ("prefix", name),
            ("sym", name),
        ];
        let replies = desk.ask(&request).await;
        assert!(replies.contains(expected), "{operation} {name}: {replies}");
    }
    // While a program runs the board cannot be asked: files and programs answer at once.
    desk.begin(ENDLESS).await;
    let eldoc = desk.ask(&[("op", "eldoc"), ("id", "4"), ("sym", "spread")]);
    assert!(eldoc.await.contains("5:first"));
}

#[tokio::test]
async fn code_that_is_on_the_board_asks_for_its_input_and_pieces_of_a_line_answer_one_read() {
    let mut desk = Desk::start().await;
    let module = "board = {}\nexec(\"def ask(): return in\" + \"put('name? ')\", board)";
    let replies = desk.eval(module).await;
    assert!(!replies.contains("eval-error"), "{replies}");
    let asked = [("op", "eval"), ("id", "2"), ("code", "board['ask']()")];
    desk.send(&asked).await;
    desk.see("10:need-input").await;
    desk.send(&[("op", "stdin"), ("id", "3"), ("stdin", "A")])
        .await;
    desk.send(&[("op", "stdin"), ("id", "4"), ("stdin", "da\n")])
        .await;
    desk.see("5:value5:'Ada'").await;
}

#[tokio::test]
async fn a_long_value_is_cut_where_the_editor_asks_and_a_value_keeps_its_lines() {
    let mut desk = Desk::start().await;
    let quota = ("nrepl.middleware.print/quota", "5");
    let cut = [("op", "eval"), ("id", "1"), ("code", "'a' * 10"), quota];
    let replies = desk.ask(&cut).await;
    assert!(replies.contains("5:value5:'aaaa"), "{replies}");
    assert!(replies.contains("print/truncated"), "{replies}");
    let lines = "class Lines:\n  def __repr__(self): return 'a\\nb'\nLines()";
    let replies = desk.eval(lines).await;
    assert!(replies.contains("5:value3:a\nb"), "{replies}");
}

#[tokio::test]
async fn editors_evaluate_on_a_board_see_values_and_interrupt_it() {
    let mut desk = Desk::start().await;
    let table: &[(&str, &[&str])] = &[
        ("6 * 7", &["5:value2:42"]),
        ("x = [1, 'a']", &["5:value4:None"]),
        ("x", &["5:value8:[1, 'a']"]),
        ("print('out') or 3", &["3:out", "5:value1:3"]),
        ("# nothing", &["5:value4:None"]),
        ("def f(n):\n  return n + 1\n", &["5:value4:None"]),
        ("f(1)", &["5:value1:2"]),
        ("y = 20\nprint('shown')\ny + 1", &["shown", "5:value2:21"]),
        ("  z = 5\n  z", &["5:value1:5"]),
        ("1/0", &["2:ex17:ZeroDivisionError", "eval-error"]),
        ("1 +", &["2:ex11:SyntaxError"]),
    ];
    for (code, expected) in table {
        let replies = desk.eval(code).await;
        for part in *expected {
            assert!(replies.contains(part), "{code}: {part} is not in {replies}");
        }
    }
    desk.begin(ENDLESS).await;
    desk.send(&[("op", "interrupt"), ("id", "3")]).await;
    let replies = answered(&mut desk.link, 2).await;
    assert!(replies.contains("11:interrupted"), "{replies}");

    interrupt(&desk.server);
    assert_eq!(ended(desk.server).await.0, 0);
    assert!(!desk.folder.path().join(".nrepl-port").exists());
}
