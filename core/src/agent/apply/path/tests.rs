use super::*;

fn refusal(path: &str) -> Option<Refusal> {
    judge(path, Names::Unix).err()
}

fn clean(path: &str) -> String {
    judge(path, Names::Unix).unwrap().0.0
}

#[test]
fn a_path_that_leaves_the_workspace_is_refused() {
    for path in [
        "../x",
        "..",
        "a/../../x",
        "a/../../a/x",
        "/etc/passwd",
        "//x",
        r"\x",
        r"\\srv\s",
        r"\\?\C:\x",
        r"C:\x",
        "C:x",
        "c:/x",
        r"..\x",
        r"a\..\..\x",
        "./../x",
        "/",
    ] {
        assert!(
            matches!(refusal(path), Some(Refusal::Outside | Refusal::Directory)),
            "{path}"
        );
    }
    assert_eq!(refusal("~/.ssh/id"), Some(Refusal::Home));
}

#[test]
fn an_absolute_path_is_inside_when_it_is_below_the_root() {
    let judged = |root: &str, written: &str| {
        let path = Some(root.into());
        let names = Names::Unix;
        Root { names, path }
            .judge(written)
            .map(|(path, warning)| (path.0, warning))
    };
    let inside = |path: &str| Ok((path.into(), Some(Warning::Absolute)));
    assert_eq!(
        judged("/work/app", "/work/app/src/a.rs"),
        inside("src/a.rs")
    );
    assert_eq!(judged("/", "/main.py"), inside("main.py"));
    assert_eq!(judged(r"C:\Work", "c:/work/a.rs"), inside("a.rs"));
    assert_eq!(judged("/work/app", "a.rs"), Ok(("a.rs".into(), None)));
    for outside in [
        "/work/apple/a",
        "/work/app/../x",
        "/work/app//etc/x",
        "/WORK/app/a",
        "/etc/passwd",
    ] {
        assert_eq!(
            judged("/work/app", outside),
            Err(Refusal::Outside),
            "{outside}"
        );
    }
    assert_eq!(judged("/work/app", "/work/app/"), Err(Refusal::Directory));
}

#[test]
fn dots_that_stay_inside_are_resolved() {
    assert_eq!(clean("sub/../a.txt"), "a.txt");
    assert_eq!(clean("./a//b/./c"), "a/b/c");
    assert_eq!(clean(r"src\bin\main.rs"), "src/bin/main.rs");
    assert_eq!(clean("..."), "...");
    assert_eq!(clean("a]b.txt"), "a]b.txt");
}

#[test]
fn a_path_of_a_directory_names_no_file() {
    for path in ["", ".", "/", "a/", "a/..", "a/.", r"a\"] {
        assert_eq!(refusal(path), Some(Refusal::Directory), "{path}");
    }
}

#[test]
fn control_characters_and_endless_names_are_refused() {
    for path in [
        "a\0b",
        "a\nb",
        "a\u{1b}[2J",
        "a\u{7f}",
        "a\u{85}b",
        "a\u{2028}b",
    ] {
        assert_eq!(refusal(path), Some(Refusal::Control), "{path:?}");
    }
    assert_eq!(refusal(&"x".repeat(256)), Some(Refusal::TooLong));
    assert_eq!(refusal(&"x/".repeat(2100)), Some(Refusal::TooLong));
    assert_eq!(refusal(&"ä".repeat(127)), None);
}

#[test]
fn the_example_path_is_always_refused() {
    assert_eq!(refusal("relative/path/to/file"), Some(Refusal::Example));
    assert_eq!(refusal("relative/path"), Some(Refusal::Example));
    assert_eq!(refusal("relative/paths"), None);
}

#[test]
fn names_that_windows_reserves_are_refused_there_and_noted_here() {
    for path in [
        "CON",
        "con.txt",
        "src/aux.c",
        "NUL .log",
        "com1",
        "LPT9.x",
        "COM¹",
        "CONIN$",
        "a.",
        "a ",
        "notes:stream",
        "wh?t",
        "a|b",
    ] {
        assert_eq!(
            judge(path, Names::Windows),
            Err(Refusal::Reserved),
            "{path}"
        );
        assert_eq!(
            judge(path, Names::Unix).unwrap().1,
            Some(Warning::ReservedOnWindows),
            "{path}"
        );
    }
    for path in ["CONSOLE", "com10", "com0", "lpt", "auxiliary.c", ".a"] {
        assert_eq!(judge(path, Names::Windows).unwrap().1, None, "{path}");
    }
}

#[test]
fn git_is_protected_in_every_spelling() {
    for path in [
        ".git/hooks/pre-commit",
        ".git",
        "sub/.git/config",
        ".GIT/x",
        ".Git /x",
        ".git./x",
        "git~1/x",
        "GIT~2/x",
        ".g\u{200c}it/x",
        ".git\u{ad}/x",
        ".git::$INDEX_ALLOCATION/x",
        ".git:x",
    ] {
        assert!(
            judge(path, Names::Unix).unwrap().0.is_protected(&[]),
            "{path}"
        );
    }
    for path in [
        ".gitignore",
        ".github/workflows/x.yml",
        "git/x",
        "a.git/x",
        "git~x",
    ] {
        assert!(
            !judge(path, Names::Unix).unwrap().0.is_protected(&[]),
            "{path}"
        );
    }
}

#[test]
fn the_agents_own_folders_are_protected() {
    let judged = |path| judge(path, Names::Unix).unwrap().0;
    assert!(judged(".flylead/sessions/a.json").is_protected(&[".flylead"]));
    assert!(judged(".FlyLead/x").is_protected(&[".flylead"]));
    assert!(judged("tools/agent/inbox/x").is_protected(&["tools/agent"]));
    assert!(!judged("tools/agents/x").is_protected(&["tools/agent"]));
}
