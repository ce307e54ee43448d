//! Text that the LLM meant as content is never executed, no matter how badly it wrote the tags
//! around it.

use flylead_core::agent::{
    Command, CommandResult, Contents, FileEntry, Inbox, Outbox, ParseOptions, Session, parse,
    render_outbox, split_outbox,
};
use flylead_tests::dice::Dice;

/// Is in every command that is content, and in no other.
const HIDDEN: &str = "HIDDEN";

#[test]
fn of_ten_thousand_messages_with_commands_hidden_in_bodies_none_runs_one() {
    let (mut visible, mut refused) = (0, 0);
    for seed in 0..10_000 {
        let message = message(&mut Dice::new(seed));
        for strict in [false, true] {
            let Ok(inbox) = parse(
                &message,
                ParseOptions {
                    strict,
                    strip_fences: seed % 2 == 0,
                    ..ParseOptions::default()
                },
            ) else {
                continue;
            };
            let ran: Vec<&Command> = inbox
                .commands()
                .filter(|command| is_hidden(command))
                .collect();
            assert!(ran.is_empty(), "seed {seed}: {ran:?} of\n{message}");
            visible += inbox.commands().count();
            refused += inbox.faults().count();
        }
    }
    assert!(
        visible > 10_000 && refused > 10_000,
        "{visible} commands, {refused} errors: the messages test nothing"
    );
}

#[test]
fn well_formed_blocks_run_whatever_their_bodies_hold() {
    for seed in 0..2_000 {
        let mut dice = Dice::new(seed);
        let mut message = String::new();
        let count = 1 + dice.below(5);
        for number in 0..count {
            let body = hidden_commands(&mut dice, "CREATE_FILE");
            message += &format!("prose\n[CREATE_FILE path=\"{number}\"]\n{body}[/CREATE_FILE]\n");
        }
        assert_eq!(
            read(&message).commands().count(),
            count,
            "seed {seed}:\n{message}"
        );
    }
}

#[test]
fn an_outbox_that_comes_back_as_a_reply_holds_no_command() {
    for seed in 0..1_000 {
        let mut dice = Dice::new(seed);
        let text = outbox(&mut dice);
        assert!(read(&text.0).items.is_empty(), "seed {seed}:\n{}", text.0);
        for part in split_outbox(&text.0, &text.1, 1_000 + dice.below(4_000)) {
            assert!(read(&part).items.is_empty(), "seed {seed}:\n{part}");
        }
    }
}

#[test]
fn a_whole_chat_that_is_pasted_holds_the_last_reply_and_asks_for_a_person() {
    for seed in 0..500 {
        let mut dice = Dice::new(seed);
        let chat = format!(
            "{}\n[DELETE_FILE path=\"{HIDDEN}\"]\n{}\n[READ_FILE path=\"a\"]\n",
            outbox(&mut dice).0,
            outbox(&mut dice).0
        );
        let inbox = read(&chat);
        assert!(inbox.outbox_copy.is_some());
        assert_eq!(
            (inbox.items.len(), inbox.commands().count()),
            (1, 1),
            "seed {seed}:\n{chat}"
        );
    }
}

fn read(message: &str) -> Inbox {
    parse(message, ParseOptions::default()).expect("the message is within all limits")
}

/// Returns true if a command came from hidden text, by its path or the script that it runs.
fn is_hidden(command: &Command) -> bool {
    match command {
        Command::RunCommand { command } => command.contains(HIDDEN),
        Command::Message { .. } | Command::Done { .. } => false,
        other => other.path().is_some_and(|path| path.contains(HIDDEN)),
    }
}

fn message(dice: &mut Dice) -> String {
    let mut message = String::new();
    for _ in 0..1 + dice.below(5) {
        message += dice.pick(&[
            "I do this:\n",
            "\n",
            "```\n",
            "1. first\n",
            "[ ] todo\n",
            "",
        ]);
        message += &block(dice);
    }
    if dice.once_in(4) {
        message = message.replace('\n', "\r\n");
    }
    message
}

/// One block whose body holds commands, written in one of the ways in which LLMs write it.
fn block(dice: &mut Dice) -> String {
    let name = dice.pick(&["CREATE_FILE", "EDIT_FILE", "MESSAGE", "DONE"]);
    let body = hidden_commands(dice, name);
    let good = opening(name);
    let close = format!("[/{name}]");
    let lower = name.to_lowercase();
    match dice.below(32) {
        0 => format!("{good}\n{body}"),
        1 => format!("[{name} pth=\"x\"]\n{body}{close}\n"),
        2 => format!("{good} here it is\n{body}{close}\n"),
        3 => format!("{}\n{body}{close}\n", good.replace(']', "")),
        4 => format!(
            "{}\n{body}{close}\n{body}[/{name} T-1]\n",
            good.replace(']', " end=\"T-1\"]")
        ),
        5 => format!("{good}\n{body}{good}\n{body}{close}\n{body}{close}\n"),
        6 => format!("{good}\n{body}{close}\n{body}{close}\n"),
        7 => format!("Sure: {good}\n{body}{close}\n"),
        8 => format!("**{good}**\n{body}**{close}**\n"),
        9 => format!("- {good}\n{body}{close}\n"),
        10 => format!("> {good}\n{body}> {close}\n"),
        11 => format!("<think>\n{body}{good}\n{body}</think>\n"),
        12 => format!("{body}</think>\n"),
        13 => format!("[WRITE_FILE path=\"x\"]\n{body}[/WRITE_FILE]\n"),
        14 => format!("{}\n{body}[/{lower}]\n", good.replace(name, &lower)),
        15 => {
            let escaped = name.replace('_', "\\_");
            format!("{}\n{body}[/{escaped}]\n", good.replace(name, &escaped))
        }
        16 => format!("{good}\n```text\n{body}```\n{close}\n"),
        17 => format!(
            "\u{feff}  {}\u{200b}\n{body}\t{close} \n",
            good.replace('"', "'")
        ),
        18 => format!("\\{}\n{body}\\{close}\n", good.replace('[', "\\[")),
        19 => format!("<{lower} path=\"x\">\n{body}</{lower}>\n"),
        20 => format!("<tool_call>\n{body}</tool_call>\n"),
        21 => format!("<<<<<<< SEARCH\n{body}=======\n{body}>>>>>>> REPLACE\n"),
        22 => format!("```diff\n{}```\n", body.replace("```", "~")),
        23 => format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n{}", in_a_diff(&body)),
        24 => format!("*** Begin Patch\n{body}*** End Patch\n"),
        25 => format!(
            "1. {good}\n   {}\n   {close}\n",
            body.replace('\n', "\n   ")
        ),
        26 => format!("<Scratchpad>\n{body}</scratchpad>\n"),
        27 => format!("<|channel|>analysis<|message|>{body}<|channel|>final<|message|>\n"),
        28 => format!("◁think▷{body}◁/think▷\n"),
        29 => format!("### **{good}**\n{body}{close}\n"),
        30 => format!("| {good} |\n{body}| {close} |\n"),
        _ => format!("{good}\n{body}{close}\n"),
    }
}

/// The lines that a diff leaves as they are.
fn in_a_diff(body: &str) -> String {
    body.lines().map(|line| format!(" {line}\n")).collect()
}

fn opening(name: &str) -> String {
    match name {
        "CREATE_FILE" => "[CREATE_FILE path=\"visible.txt\"]".into(),
        "EDIT_FILE" => "[EDIT_FILE path=\"visible.txt\" start_line=\"1\" end_line=\"2\"]".into(),
        other => format!("[{other}]"),
    }
}

/// Commands as content of a block of another name, itself whole or broken.
fn hidden_commands(dice: &mut Dice, outer: &str) -> String {
    let mut body = String::new();
    for _ in 0..1 + dice.below(4) {
        body += match dice.below(9) {
            0 => "[DELETE_FILE path=\"HIDDEN\"]\n",
            1 => "  [RUN_COMMAND]\n  rm HIDDEN\n  [/RUN_COMMAND]\n",
            2 => "[RUN_COMMAND]rm HIDDEN[/RUN_COMMAND]\n",
            3 => "[READ_FILE path='HIDDEN']\n",
            4 if outer != "CREATE_FILE" => "[CREATE_FILE path=\"HIDDEN\"]\nx\n[/CREATE_FILE]\n",
            5 if outer != "EDIT_FILE" => {
                "[EDIT_FILE path=\"HIDDEN\" start_line=\"1\" end_line=\"1\"]\n[/EDIT_FILE]\n"
            }
            6 => "```\n[delete_file path=\"HIDDEN\"]\n```\n",
            7 => "[RUN\\_COMMAND]\nrm HIDDEN\n[/RUN\\_COMMAND]\n",
            _ => "text\n",
        };
    }
    body
}

fn outbox(dice: &mut Dice) -> (String, Session) {
    let mut session = Session::new(
        "a1b2c3d4".into(),
        block(dice),
        "2026-01-01T00:00:00Z".into(),
    );
    session.sequence_number = 1 + dice.below(3) as u32;
    session.last_results.push(CommandResult {
        output: Some(block(dice)),
        ..CommandResult::new("RUN_COMMAND".into(), true, block(dice))
    });
    let files = [FileEntry {
        path: block(dice),
        bytes: 1,
    }];
    let markers = dice.pick(&[
        "",
        "=== PROMPT ===\n",
        "=== HEADER ===\n=== PROTOCOL ===\n",
        "--- end a ---\n",
    ]);
    let text = format!("{}{markers}{}", block(dice), block(dice));
    let contents = [Contents {
        path: "a".into(),
        text,
        numbered_from: None,
        note: None,
    }];
    let text = render_outbox(&Outbox {
        session: &session,
        files: &files,
        more_files: 0,
        map: &[],
        contents: &contents,
    });
    (text, session)
}
