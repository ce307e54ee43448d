//! Checks that any text is read without a panic; that parsed commands can be written and read again; and that an
//! outbox, read as a reply, contains no command.
#![no_main]

use flylead_core::agent::{
    Command, CommandResult, Contents, Outbox, ParseOptions, Session, decode, parse, render,
    render_outbox,
};
use flylead_fuzz::choices;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (choices, bytes) = choices(data, 1);
    let choice = choices.first().copied().unwrap_or_default();
    let Ok(text) = decode(bytes) else { return };
    let reading = ParseOptions {
        strict: choice & 1 != 0,
        strip_fences: choice & 2 != 0,
        ..ParseOptions::default()
    };
    // A text after a line that turns it into a body, so that the fuzzer need not find the tag first.
    let inside = format!("[CREATE_FILE path=\"a\"]\n{text}\n[/CREATE_FILE]\n");
    for message in [&*text, &*inside] {
        if let Ok(inbox) = parse(message, reading) {
            let commands: Vec<Command> = inbox.commands().cloned().collect();
            let lines = message.split('\n').count();
            assert!(
                inbox
                    .items
                    .iter()
                    .all(|item| (1..=lines).contains(&item.line))
            );
            same(&commands, reading);
        }
    }
    shows_nothing(&text);
});

/// Checks that parsed commands are written and read back unchanged.
fn same(commands: &[Command], reading: ParseOptions) {
    // A fence within a fence would be removed, too.
    let reading = ParseOptions {
        strip_fences: false,
        ..reading
    };
    let again = parse(&render(commands), reading);
    let again = again.expect("what was within the limits still is");
    assert!(again.commands().eq(commands), "{again:?}");
}

fn shows_nothing(text: &str) {
    let mut session = Session::new(
        "a1b2c3d4".into(),
        text.into(),
        "2026-01-01T00:00:00Z".into(),
    );
    for sequence in 1..=2 {
        session.sequence_number = sequence;
        session.last_results = vec![CommandResult {
            output: Some(text.into()),
            ..CommandResult::new(text.into(), true, text.into())
        }];
        let contents = [Contents {
            path: text.into(),
            text: text.into(),
            numbered_from: None,
            note: Some(text.into()),
        }];
        let outbox = render_outbox(&Outbox {
            session: &session,
            files: &[],
            more_files: 0,
            map: &[],
            contents: &contents,
        });
        let inbox = parse(&outbox, ParseOptions::default());
        let is_empty = inbox.map(|inbox| inbox.items.is_empty());
        assert_ne!(is_empty, Ok(false), "{outbox}");
    }
}
