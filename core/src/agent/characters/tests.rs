//! Tests the characters that are repaired, and those that stay.

use super::*;

#[test]
fn what_cannot_be_code_is_repaired_and_texts_and_comments_stay() {
    for (path, text, wanted) in [
        (
            "a.py",
            "def f():\n\u{a0}\u{a0} return 1\n",
            Some("def f():\n   return 1\n"),
        ),
        ("a.py", "print(“hi”)\n", Some("print(\"hi\")\n")),
        ("a.py", "x = ‘a’ # it’s\n", Some("x = 'a' # it’s\n")),
        ("a.py", "x = \"it’s “so”\u{a0}!\"\n", None),
        (
            "a.py",
            "\"\"\"\nIt’s\u{a0}a “text”\n\"\"\"\nx\u{200b} = 1\n",
            Some("\"\"\"\nIt’s\u{a0}a “text”\n\"\"\"\nx = 1\n"),
        ),
        (
            "a.rs",
            "fn f<'a>(x: &'a str) { p(“x”, '\"', “y”) }\n",
            Some("fn f<'a>(x: &'a str) { p(\"x\", '\"', \"y\") }\n"),
        ),
        ("a.rs", "let x = \"a\n it’s\";\n", None),
        (
            "a.c",
            "/* it’s\n it’s */ int\u{a0}x;\n",
            Some("/* it’s\n it’s */ int x;\n"),
        ),
        ("a.json", "{“a”: “b”}\n", Some("{\"a\": \"b\"}\n")),
        (
            "a.yml",
            "a:\n\u{a0}\u{a0}b: it’s\n",
            Some("a:\n  b: it’s\n"),
        ),
        ("a.md", "It’s\u{a0}so\n", None),
    ] {
        let repaired = repair_file(path, text, Extent::Whole).unwrap();
        assert_eq!(repaired.as_deref(), wanted, "{text}");
    }
    assert_eq!(repair_file("a.py", "x = 1\ny = ’\n", Extent::Whole), Err(2));
    assert_eq!(repair_file("a.py", "x = “a\n", Extent::Whole), Err(1));
}

#[test]
fn lines_of_a_file_are_repaired_where_they_are_values_alone() {
    for (text, wanted) in [
        ("    print(“hi”)\n", Some("    print(\"hi\")\n")),
        ("    It’s “so” said\n", None),
        ("\u{a0}x = ‘a’\n", Some(" x = 'a'\n")),
    ] {
        let repaired = repair_file("a.py", text, Extent::Lines).unwrap();
        assert_eq!(repaired.as_deref(), wanted, "{text}");
    }
}

#[test]
fn blanks_of_scripts_are_repaired_and_words_texts_and_what_is_escaped_are_not() {
    let blanks = "git\u{a0}commit -m “a\u{a0}b” # it’s\necho it’s 'it’s\u{a0}\\' \u{200b}x\n";
    let repaired = "git commit -m “a b” # it’s\necho it’s 'it’s\u{a0}\\' x\n";
    for (script, wanted) in [
        (blanks, Some(repaired)),
        ("echo it\\'s\u{a0}\\\"x\n", Some("echo it\\'s \\\"x\n")),
        ("echo \\\u{a0}x\n", None),
        ("echo “a” ‘b’\n", None),
        ("(#it's\u{a0}\n\u{a0}ls)\n", Some("(#it's\u{a0}\n ls)\n")),
        // The walk follows none of these.
        ("cat <<E\n\u{a0}a\nE\n", None),
        ("echo \"$(echo \"a\u{a0}b\")\"\n", None),
        ("echo $'it\\'s\u{a0}'\n", None),
        ("echo 'a\n\u{a0}b\n", None),
    ] {
        let said = repair_script(script, Commands::Shell).unwrap();
        assert_eq!(said.as_deref(), wanted, "{script}");
    }
    let lines = repair_file("a.sh", "\u{a0}echo (“a”)\n", Extent::Lines);
    assert_eq!(lines, Ok(None));
}

#[test]
fn scripts_of_a_board_are_python() {
    for (script, wanted) in [
        ("print(“a”)\n", Ok(Some("print(\"a\")\n".into()))),
        ("print('a\\'b’') # it’s\n", Ok(None)),
        ("x = 1\nprint(“a)\n", Err(2)),
    ] {
        assert_eq!(repair_script(script, Commands::Python), wanted, "{script}");
    }
}

#[test]
fn characters_raw_texts_and_nested_comments_of_rust_stay() {
    for (text, wanted) in [
        ("f('“', '”', '\\'', '\u{a0}')\n", None),
        (
            "/* /* “a” */ it’s */ f(“x”)\n",
            Some("/* /* “a” */ it’s */ f(\"x\")\n"),
        ),
        ("f(r\"\\\", “x”)\n", Some("f(r\"\\\", \"x\")\n")),
        (
            "f(br#\"“\" it’s\n \u{a0}\"#,\u{a0}r#for)\n",
            Some("f(br#\"“\" it’s\n \u{a0}\"#, r#for)\n"),
        ),
        ("f::<'a, 'b>(“x”)\n", Some("f::<'a, 'b>(\"x\")\n")),
    ] {
        let repaired = repair_file("a.rs", text, Extent::Whole).unwrap();
        assert_eq!(repaired.as_deref(), wanted, "{text}");
    }
}

#[test]
fn a_text_that_goes_on_and_one_that_is_not_followed_stay() {
    for (path, text) in [
        ("a.py", "x = 'a\\\n “b” it’s'\n"),
        ("a.c", "x = \"a\\\n “b” it’s\";\n"),
        ("a.cpp", "x = R\"(a\n“b”)\";\u{a0}\n"),
        ("a.yml", "a: |\n  \u{a0}b\n"),
        ("a.toml", "a = \"\"\"\n\u{a0}b\n\"\"\"\n"),
        ("a.py", "x = \"\"\"\n\u{a0}a\n"),
        ("a.kt", "x = “a”\n"),
    ] {
        assert_eq!(repair_file(path, text, Extent::Whole), Ok(None), "{text}");
    }
    let go = repair_file("a.go", "x := `a\n“b”`\u{a0}\n", Extent::Whole);
    assert_eq!(go.unwrap().as_deref(), Some("x := `a\n“b”` \n"));
}
