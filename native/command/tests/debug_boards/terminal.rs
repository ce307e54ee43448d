//! Commands as in Python's pdb.

use std::fs;

use flylead_tests::boards::UnixBoard;

use crate::run::{Debugging, debug, flylead, is_free, program};

const MEAN: &str = "\
import lib

def mean(a):
    s = 0
    for x in a:
        s += x
    return s // len(a)

def work(n):
    q = [n, n + 1, n + 2]
    m = mean(q)
    return lib.twice(m)

print('before')
print(work(4))
name = input()
print('hello', name)
";

#[test]
fn the_commands_of_pdb_drive_a_program() {
    let board = UnixBoard::start();
    let (folder, path) = program(MEAN);
    let lib = "def twice(n):\n    r = n * 2\n    return r\n";
    fs::write(folder.path().join("lib.py"), lib).expect("the folder is ours");
    let commands = "b 6\ntbreak lib.py:2\nc\nw\nlocals\np [x * 2 for x in a]\ns = 100\nu\na\nd\nn\np s\n\
                    cl 1\nc\nl\nr\nb\ntype you\nc\n";
    let ended = debug(board.path(), &path, commands, &[]);
    let main = path.display();
    let lib = folder.path().join("lib.py");
    let lib = lib.display();
    let expected = format!(
        "> {main}(1)<module>\n-> import lib\n\
         Breakpoint 1 at {main}:6\nBreakpoint 2 at {lib}:2\n\
         before\n> {main}(6)mean()\n-> s += x\n\
         \x20 {main}(15)<module>\n-> print(work(4))\n  {main}(11)work()\n-> m = mean(q)\n> {main}(6)mean()\n-> s += x\n\
         a = [4, 5, 6]\ns = 0\nx = 4\n[8, 10, 12]\n\
         > {main}(11)work()\n-> m = mean(q)\nn = 4\n> {main}(6)mean()\n-> s += x\n\
         > {main}(6)mean()\n-> s += x\n104\n\
         > {lib}(2)twice()\n-> r = n * 2\n\
         \x20  1    def twice(n):\n   2 ->     r = n * 2\n   3        return r\n\
         76\n> {main}(16)<module>\n-> name = input()\n"
    );
    let printed = ended.stdout.replace('\r', "");
    assert!(
        printed.starts_with(&expected),
        "{printed}\n{}",
        ended.stderr
    );
    assert!(printed.ends_with("hello you\n"), "{printed}");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    is_free(board.path());
}

#[test]
fn an_expression_is_followed_part_by_part() {
    let board = UnixBoard::start();
    let (_folder, path) = program("n = 4\nm = n * 2 + 1\nprint(m)\n");
    let ended = debug(
        board.path(),
        &path,
        "n\nparts\n\nparts\nn\nc\n",
        &["--parts"],
    );
    let main = path.display();
    let expected = format!(
        "> {main}(2)<module>\n-> m = n * 2 + 1\nn is 4\n-> m = 4 * 2 + 1\nn * 2 is 8\n-> m = 8 + 1\n\
         n * 2 + 1 is 9\n-> m = 9\n> {main}(3)<module>\n-> print(m)\n9\n"
    );
    let printed = ended.stdout.replace('\r', "");
    assert!(printed.ends_with(&expected), "{printed}\n{}", ended.stderr);
    let ended = debug(board.path(), &path, "parts\np 1\nc\n", &[]);
    let refused = "*** stepping through the parts of expressions requires";
    assert!(ended.stdout.contains(refused), "{}", ended.stdout);
    assert!(ended.stdout.ends_with("1\n9\n"), "{}", ended.stdout);
    is_free(board.path());
}

#[test]
fn a_syntax_error_is_told_with_its_line_and_nothing_is_sent() {
    let (_folder, path) = program("x = 1\ndef f(:\n");
    let ended = debug("/dev/nowhere".as_ref(), &path, "", &[]);
    assert_eq!(ended.code, Some(2));
    let expected = format!("flylead: {}, line 2, column 7: ", path.display());
    assert!(ended.stderr.starts_with(&expected), "{}", ended.stderr);
}

#[test]
fn an_exception_is_looked_at_where_it_is_raised() {
    let board = UnixBoard::start();
    let (_folder, path) = program("def f(n):\n    return 1 // n\n\nf(0)\n");
    let ended = debug(
        board.path(),
        &path,
        "c\np n\nc\n",
        &["--stop-at", "uncaught"],
    );
    let expected = "Nothing catches this: ZeroDivisionError";
    assert!(ended.stdout.contains(expected), "{}", ended.stdout);
    assert!(ended.stdout.ends_with("\n0\n"), "{}", ended.stdout);
    let place = format!("File \"{}\", line 2, in f", path.display());
    assert!(ended.stderr.contains(&place), "{}", ended.stderr);
    assert_eq!(ended.code, Some(1));
    is_free(board.path());
}

#[test]
fn breakpoints_on_empty_lines_move_and_printed_markers_are_output() {
    let board = UnixBoard::start();
    let text = "x = 1\n\n# nothing\ny = 2\nprint('\\x1e0a0a0a0a', y)\nprint('\\x04>')\n";
    let (_folder, path) = program(text);
    let ended = debug(board.path(), &path, "b 2\nc\np x\nc\n", &[]);
    let moved = format!("Breakpoint 1 at {}:4\n", path.display());
    assert!(ended.stdout.contains(&moved), "{}", ended.stdout);
    assert!(ended.stdout.contains("0a0a0a0a 2"), "{}", ended.stdout);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    is_free(board.path());
}

#[test]
fn ctrl_c_stops_a_program_that_runs_and_ends_one_that_is_stopped() {
    let board = UnixBoard::start();
    let (_folder, path) = program("n = 0\nprint('runs')\nwhile True:\n    n += 1\n");
    let path = path.display().to_string();
    let mut debugging = Debugging::start(board.path(), &[&path]);
    debugging.type_in("c\n");
    debugging.until("runs");
    debugging.interrupt();
    debugging.until("Interrupted");
    debugging.type_in("p n > 0\n");
    debugging.until("True");
    debugging.interrupt();
    let status = debugging.child.wait().expect("it is our child");
    assert_eq!(status.code(), Some(0));
    is_free(board.path());
}

#[test]
fn a_reset_before_the_program_is_told_and_the_first_step_leaves_the_first_line() {
    let board = UnixBoard::start();
    let (_folder, path) = program("x = 1\ny = 2\nprint(x + y)\n");
    let ended = debug(
        board.path(),
        &path,
        "globals\nn\nglobals\nc\n",
        &["--reset"],
    );
    let word = "flylead: the board was reset";
    assert!(ended.stderr.contains(word), "{}", ended.stderr);
    let path = path.display();
    let expected = format!("> {path}(1)<module>\n-> x = 1\n> {path}(2)<module>\n-> y = 2\nx = 1\n");
    assert!(ended.stdout.starts_with(&expected), "{}", ended.stdout);
    let ended = debug(board.path(), format!("{path}").as_ref(), "c\n", &[]);
    assert!(!ended.stderr.contains(word), "{}", ended.stderr);
}

#[test]
fn a_script_that_ends_while_the_program_waits_ends_it() {
    let board = UnixBoard::start();
    let (_folder, path) = program("print('never')\n");
    let ended = debug(board.path(), &path, "", &[]);
    assert!(!ended.stdout.contains("\nnever"), "{}", ended.stdout);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    is_free(board.path());
}

/// Debugs a program with each of these commands, and returns what each printed.
fn answers(text: &str, commands: &[&str]) -> Vec<String> {
    let board = UnixBoard::start();
    let (_folder, path) = program(text);
    let typed: String = commands
        .iter()
        .map(|line| format!("{line}\np '----'\n"))
        .collect();
    let ended = debug(board.path(), &path, &typed, &[]);
    let main = path.display().to_string();
    let printed = ended.stdout.replace('\r', "").replace(&main, "main.py");
    let mut answers = printed.split("'----'\n").map(str::to_owned);
    let first = answers.next().unwrap_or_default();
    // The stop at the entry comes before the first one's answer.
    let (_, first) = first.split_once("\n-> ").unwrap_or_default();
    let first = first
        .split_once('\n')
        .map_or("", |(_, rest)| rest)
        .to_owned();
    std::iter::once(first).chain(answers).collect()
}

#[test]
fn statements_take_effect_where_they_are_typed() {
    let text = "x = 1\ndef f(a):\n    return a + x\nprint(f(1))\nprint(x)\n";
    let commands = [
        "b 3 ;; c",
        "!x = 5",
        "!new = 9",
        "p new + x",
        "a = 10",
        "n",
        "p x",
    ];
    let said = answers(text, &commands);
    assert_eq!(said[3], "14\n", "{said:?}");
    assert!(said[5].contains("15\n"), "{said:?}");
    assert_eq!(said[6], "5\n", "{said:?}");
}

#[test]
fn a_long_value_is_shown_whole_and_a_cut_one_says_so() {
    let commands = [
        "n ;; n ;; n",
        "p many",
        "globals",
        "pp {'k': [1, 2], 'j': 3}",
        "p text",
        "p (1,)",
        "p text[200:400]",
        "p bytes(300)",
    ];
    let text = "many = list(range(1000))\ntext = 'ab' * 500\nx = 1\ny = 2\n";
    let said = answers(text, &commands);
    let all: Vec<_> = (0..1000).map(|n| n.to_string()).collect();
    assert_eq!(said[1], format!("[{}]\n", all.join(", ")));
    assert!(
        said[2].contains("(20 of 1000 items; p shows more)"),
        "{said:?}"
    );
    assert!(
        said[3].contains("'k': [1, 2]") && said[3].lines().count() == 2,
        "{said:?}"
    );
    assert!(
        said[4].contains("(200 of 1000 characters; [200:400] behind it shows more)"),
        "{said:?}"
    );
    assert_eq!(said[5], "(1,)\n");
    assert_eq!(said[6], format!("'{}'\n", "ab".repeat(100)));
    assert!(said[7].contains("200 of 300 bytes"), "{said:?}");
}

#[test]
fn breakpoints_are_ignored_switched_off_and_have_commands() {
    let text = "for i in range(9):\n    x = i\n    y = x\nprint('end')\n";
    let commands = [
        "b 2",
        "ignore 1 3 ;; c",
        "p i",
        "disable 1 ;; b",
        "b 3 ;; disable 1 ;; commands 2\np ('at', i)\nend",
        "c",
        "l 1, 2",
        "until 4 ;; until",
    ];
    let said = answers(text, &commands);
    assert_eq!(said[2], "3\n", "{said:?}");
    assert!(
        said[3].contains("1 main.py:2 hits >3 (disabled)"),
        "{said:?}"
    );
    assert!(said[5].ends_with("('at', 3)\n"), "{said:?}");
    assert_eq!(said[6], "   1    for i in range(9):\n   2        x = i\n");
}

#[test]
fn until_leaves_a_loop_and_source_shows_a_function() {
    let text = "def f():\n    return 1\nfor i in range(50):\n    x = f()\nprint('end')\n";
    let said = answers(text, &["n", "n", "until", "source f", "contnue", "jump 3"]);
    assert!(
        said[2].ends_with("> main.py(5)<module>\n-> print('end')\n"),
        "{said:?}"
    );
    assert_eq!(said[3], "   1    def f():\n   2        return 1\n");
    assert!(
        said[4].contains("contnue is neither a command nor a variable"),
        "{said:?}"
    );
    assert!(said[5].contains("*** a board cannot jump"), "{said:?}");
}

#[test]
fn variables_named_like_commands_are_read_and_numbers_have_no_end() {
    let text = "def f(w, b):\n    return w - b\nf(1, 2)\n";
    let commands = [
        "b 2 ;; c",
        "w + 1",
        "b - 1",
        "u ;; u 18446744073709551615",
        "d 18446744073709551615",
        "display w",
        "display b",
        "undisplay w",
        "undisplay w",
        "display",
    ];
    let said = answers(text, &commands);
    assert_eq!(said[1..3], ["2\n", "1\n"], "{said:?}");
    let oldest = "-> f(1, 2)\n*** this is the oldest frame\n";
    assert!(said[3].ends_with(oldest), "{said:?}");
    assert!(said[4].ends_with("-> return w - b\n"), "{said:?}");
    let displayed = "Currently displaying:\nb = 2\n";
    let expected = [
        "w = 1\n",
        "b = 2\n",
        "",
        "*** w is not displayed\n",
        displayed,
    ];
    assert_eq!(said[5..10], expected, "{said:?}");
}

#[test]
fn the_commands_of_a_breakpoint_are_pdbs() {
    let text = "def f(n):\n    m = n + 1\n    return m\nfor i in range(3):\n    f(i)\nx = 0\ny = 1\nz = 2\nprint('end')\n";
    let commands = [
        // One that goes on ends them, and what comes after is not for the next stop.
        "b 3 ;; commands 1\nsilent\np ('at', n)\nc",
        "b 7 ;; c",
    ];
    let said = answers(text, &commands);
    let expected = "('at', 0)\n('at', 1)\n('at', 2)\n> main.py(7)<module>\n-> y = 1\n";
    assert!(said[1].ends_with(expected), "{said:?}");
    assert!(!said[1].contains("return m"), "{said:?}");
    // A step stops for itself.
    let stepped = ["b 7 ;; c", "b 8 ;; commands 2\np 'stepped'\nend", "n"];
    let said = answers(text, &stepped);
    assert!(said[2].ends_with("-> z = 2\n"), "{said:?}");
    let board = UnixBoard::start();
    let (_folder, path) = program(text);
    let typed = "b 3\ncommands 1\np ('at', n)\nend\nc\n\n\n";
    let printed = debug(board.path(), &path, typed, &[]).stdout;
    for at in ["('at', 0)", "('at', 1)", "('at', 2)"] {
        assert_eq!(printed.matches(at).count(), 1, "{printed}");
    }
}

#[test]
fn a_breakpoint_says_what_becomes_of_it_and_no_more() {
    let text = "\
import micropython
@micropython.viper
def fast(x: int) -> int:
    return x
def f():
    x = 1
    return x
f()
";
    let commands = [
        "b 6 ;; b 7 ;; b 8",
        "disable 1 ;; condition 2 x == 1",
        "cl 1",
        "b 9999",
        "b fast",
        "condition 2 x ==",
        "b",
        "b f",
    ];
    let said = answers(text, &commands);
    let set = "Breakpoint 1 at main.py:6\nBreakpoint 2 at main.py:7\nBreakpoint 3 at main.py:8\n";
    assert_eq!(said[0], set);
    assert_eq!(said[1..3], ["", ""], "{said:?}");
    assert!(said[3].contains("no code at this line"), "{said:?}");
    assert!(!said[4].contains("no such"), "{said:?}");
    assert!(said[4].starts_with("*** no breakpoint: "), "{said:?}");
    assert!(
        said[5].contains("*** breakpoint 2: its condition is not an expression of Python"),
        "{said:?}"
    );
    let listed = "2 main.py:7 if x == 1\n3 main.py:8\n";
    assert_eq!(said[6], listed);
    assert_eq!(said[7], "Breakpoint 4 at main.py:6\n");
}

#[test]
fn the_commands_of_pdbrc_come_first_unless_they_are_not_wanted() {
    let board = UnixBoard::start();
    let (folder, path) = program("x = 1\ny = 2\nprint('end')\n");
    let rc = "# a comment\nalias pi p %1\nb 2\n";
    fs::write(folder.path().join(".pdbrc"), rc).expect("the folder is ours");
    for (more, expected) in [(&[][..], true), (&["--no-rc"][..], false)] {
        let mut command = flylead(board.path());
        command.arg("debug").args(more).args(["-c", "c"]).arg(&path);
        let home = folder.path().join("home");
        command.current_dir(folder.path()).env("HOME", home);
        let output = command.output().expect("the command was built");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed.contains("Breakpoint 1 at"), expected, "{printed}");
        assert_eq!(printed.contains("-> y = 2"), expected, "{printed}");
        assert!(!printed.contains("***"), "{printed}");
    }
}

#[test]
fn a_program_runs_again_with_the_same_breakpoints() {
    let board = UnixBoard::start();
    let (_folder, path) = program("x = 1\nprint('begun')\nx += 1\nprint('end', x)\n");
    let commands = "b 3\nc\n!x = 5\nrestart\nc\np x\nb\nc\n";
    let ended = debug(board.path(), &path, commands, &[]);
    let main = path.display();
    let entry = format!("> {main}(1)<module>\n-> x = 1\n");
    let stop = format!("begun\n> {main}(3)<module>\n-> x += 1\n");
    let expected = format!(
        "{entry}Breakpoint 1 at {main}:3\n{stop}Restarting the program\n{entry}{stop}1\n1 {main}:3\nend 2\n"
    );
    assert_eq!(ended.stdout.replace('\r', ""), expected, "{}", ended.stderr);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    is_free(board.path());
}

#[test]
fn every_line_is_python_until_the_interaction_ends() {
    let board = UnixBoard::start();
    let (_folder, path) = program("def f(n):\n    return n\nprint(f(1))\n");
    let commands = "b 2\nc\ninteract\nn\nn = 7\nn * 2\nmissing\nexit\nc\n";
    let ended = debug(board.path(), &path, commands, &[]);
    let printed = ended.stdout.replace('\r', "");
    let (_, said) = printed.split_once("ends that\n").expect("it begins");
    assert_eq!(
        said, "1\n14\n*** NameError(\"name 'missing' isn't defined\",)\n7\n",
        "{}",
        ended.stderr
    );
    is_free(board.path());
}

#[test]
fn what_a_board_starts_by_itself_is_debugged_after_a_reset_and_stays_as_it_is() {
    let board = UnixBoard::start();
    let flash = board.flash();
    let files = [
        (
            "main.py",
            "import sensor\nn = sensor.read(4)\nprint('read', n)\n",
        ),
        (
            "sensor.py",
            "def read(n):\n    doubled = n * 2\n    return doubled\n",
        ),
    ];
    for (name, text) in files {
        fs::write(flash.join(name), text).expect("the folder is ours");
    }
    let mut debugging = Debugging::start(board.path(), &["--no-rc", "--boot"]);
    debugging.type_in("b /flash/sensor.py:3\nc\np doubled\nw\nc\n");
    let ended = debugging.end();
    let printed = ended.stdout.replace('\r', "");
    let expected = "> /flash/main.py(1)<module>\n-> import sensor\n\
         Breakpoint 1 at /flash/sensor.py:3\n\
         > /flash/sensor.py(3)read()\n-> return doubled\n8\n\
         \x20 /flash/main.py(2)<module>\n-> n = sensor.read(4)\n\
         > /flash/sensor.py(3)read()\n-> return doubled\nread 8\n";
    assert_eq!(printed, expected, "{}", ended.stderr);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let left = fs::read_dir(&flash).expect("the folder is ours");
    let mut left: Vec<_> = left.flatten().map(|one| one.file_name()).collect();
    // The unix port keeps what was typed at its prompt.
    left.retain(|name| name != ".micropython.history");
    left.sort();
    assert_eq!(left, ["main.py", "sensor.py"], "nothing else is left there");
    for (name, text) in files {
        let now = fs::read_to_string(flash.join(name)).expect("it is there");
        assert_eq!(now, text, "{name} is as it was");
        fs::remove_file(flash.join(name)).expect("it is there");
    }
    is_free(board.path());
}

#[test]
fn a_board_that_starts_nothing_says_so() {
    let board = UnixBoard::start();
    let ended = Debugging::start(board.path(), &["--boot"]).end();
    assert_eq!(ended.code, Some(5), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("it has no main.py"),
        "{}",
        ended.stderr
    );
    is_free(board.path());
}
