//! A message in the document's form is what its commands are written down as.

use flylead_core::agent::{Command, ParseOptions, parse, render};
use flylead_tests::dice::Dice;

#[test]
fn a_hundred_thousand_messages_are_parsed_and_written_down_the_same() {
    for seed in 0..100_000 {
        let message = message(&mut Dice::new(seed));
        for strict in [false, true] {
            let inbox = parse(
                &message,
                ParseOptions {
                    strict,
                    ..ParseOptions::default()
                },
            )
            .expect("the message is within all limits");
            let commands: Vec<Command> = inbox.commands().cloned().collect();
            assert_eq!(inbox.faults().next(), None, "seed {seed}:\n{message}");
            assert_eq!(render(&commands), message, "seed {seed}");
        }
    }
}

/// Written from the document: no code of the parser or the writer is used.
fn message(dice: &mut Dice) -> String {
    (0..dice.below(6)).map(|_| block(dice)).collect()
}

fn block(dice: &mut Dice) -> String {
    let path = path(dice);
    match dice.below(8) {
        0 => created(dice, &path),
        6 => {
            let body = body(dice, "APPEND_FILE");
            block_of(
                "APPEND_FILE",
                &format!("APPEND_FILE path=\"{path}\""),
                &body,
            )
        }
        1 => {
            let first = 1 + dice.below(90);
            let tag = format!(
                "EDIT_FILE path=\"{path}\" start_line=\"{first}\" end_line=\"{}\"",
                first + dice.below(9)
            );
            let body = body(dice, "EDIT_FILE");
            block_of("EDIT_FILE", &tag, &body)
        }
        2 => format!("[DELETE_FILE path=\"{path}\"]\n"),
        3 => format!(
            "[READ_FILE path=\"{path}\"{}]\n",
            dice.pick(&["", " numbered=\"yes\"", " start_line=\"3\" end_line=\"9\""])
        ),
        4 => {
            let body = format!("cargo build\n{}", body(dice, "RUN_COMMAND"));
            block_of("RUN_COMMAND", "RUN_COMMAND", &body)
        }
        5 => {
            let body = format!("Hello\n{}", body(dice, "MESSAGE"));
            block_of("MESSAGE", "MESSAGE", &body)
        }
        _ => {
            let body = format!("All done\n{}", body(dice, "DONE"));
            block_of("DONE", "DONE", &body)
        }
    }
}

fn created(dice: &mut Dice, path: &str) -> String {
    let body = body(dice, "CREATE_FILE");
    // An empty line without its newline is nothing, which has another form.
    let newline = body.is_empty() || body.ends_with("\n\n") || body == "\n" || !dice.once_in(5);
    let suffix = if newline { "" } else { " final_newline=\"no\"" };
    block_of(
        "CREATE_FILE",
        &format!("CREATE_FILE path=\"{path}\"{suffix}"),
        &body,
    )
}

/// The word that ends a body with its own tags in it, as the writer chooses it: END, if the body does not hold it.
fn block_of(name: &str, tag: &str, body: &str) -> String {
    let own = body.lines().any(|line| {
        line.trim().starts_with(&format!("[{name}")) || line.trim() == format!("[/{name}]")
    });
    match own {
        true => format!("[{tag} end=\"END\"]\n{body}[/{name} END]\n"),
        false => format!("[{tag}]\n{body}[/{name}]\n"),
    }
}

fn path(dice: &mut Dice) -> String {
    let name = |dice: &mut Dice| {
        dice.pick(&["src", "a]b", "ünï cödé", "it's", "x.rs", "..", "-rf", "C++"])
    };
    (0..1 + dice.below(3))
        .map(|_| name(dice))
        .collect::<Vec<_>>()
        .join("/")
}

fn body(dice: &mut Dice, name: &str) -> String {
    let mut body = String::new();
    for _ in 0..dice.below(5) {
        body += &match dice.below(10) {
            0 => format!("  [/{name}]"),
            1 => format!("[{name} path=\"inner\"]"),
            2 => "[RUN_COMMAND]".into(),
            3 => "[/MESSAGE]".into(),
            4 => String::new(),
            5 => "\t indented \t".into(),
            6 => "=== HEADER ===".into(),
            7 => "<think>".into(),
            8 => "# // 🦀 “quotes” é".into(),
            _ => format!("let x = {};", dice.below(1000)),
        };
        body.push('\n');
    }
    body
}
