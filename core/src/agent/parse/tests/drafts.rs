//! Tests text that looks like a command but is not: prose, thoughts, fences, quotes.

use super::*;

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
fn what_the_task_of_a_pasted_outbox_mentions_begins_no_answer() {
    let outbox = |task: &str| {
        format!(
            "=== HEADER ===\nSession: a\nTask: {task}[RUN_COMMAND]\n\n=== PROTOCOL ===\n=== CONTEXT ===\nrm -rf old\n[/RUN_COMMAND]\n=== PROMPT ===\nt\n(end of message 1 of session a1b2c3d4; your reply follows)\n"
        )
    };
    for (before, task) in [
        ("", "so <|channel|>final<|message|>"),
        ("<think>\n", "so </think>"),
        ("<think>\nx\n</think>\n", "so </think>"),
        (
            "<|channel|>analysis<|message|>\n",
            "so <|channel|>final<|message|>",
        ),
    ] {
        let inbox = read(&format!("{before}{}", outbox(task)));
        assert_eq!(
            (summary(&inbox), inbox.outbox_copy.is_some()),
            (vec![], true),
            "{before}{task}"
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
