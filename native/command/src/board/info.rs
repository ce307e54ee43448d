//! `flylead info`

use clap::Args;
use flylead_core::to_hexadecimal;
use flylead_native::{Board, BoardError, literal::Literal};
use serde_json::{Map, Value, json};

use crate::{
    Common, Exit, Failure,
    terminal::{self, print},
};

/// Show what board this is: its firmware, chip, memory and files
///
/// Facts that the board cannot report are left out.
#[derive(Debug, Args)]
pub(crate) struct Cmd {}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        common
            .with_board(async |board| {
                let facts = ask(board).await?;
                let text = match common.json {
                    true => format!("{}\n", as_json(facts)),
                    false => as_lines(&facts),
                };
                print(text)?;
                Ok(Exit::Done)
            })
            .await
    }
}

/// A property of a board in its own words.
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    value: Value,
    pub(crate) text: String,
}

struct Question {
    name: &'static str,
    expression: &'static str,
    read: fn(&Literal) -> Option<(Value, String)>,
}

/// Questions about a board. Each is asked separately: a board that cannot answer one, or has no memory for it, still
/// answers the next.
const QUESTIONS: [Question; 8] = [
    Question {
        name: "platform",
        expression: "__import__('sys').platform",
        read: text,
    },
    Question {
        name: "version",
        expression: "__import__('sys').version",
        read: text,
    },
    Question {
        name: "implementation",
        expression: "tuple(__import__('sys').implementation)[:2]",
        read: implementation,
    },
    Question {
        name: "machine",
        expression: "getattr(__import__('sys').implementation,'_machine',None) or __import__('os').uname()[4]",
        read: text,
    },
    Question {
        name: "unique_id",
        expression: "__import__('machine').unique_id()",
        read: unique_id,
    },
    Question {
        name: "frequency",
        expression: "__import__('machine').freq()",
        read: frequency,
    },
    Question {
        name: "memory",
        expression: "(__import__('gc').collect(),__import__('gc').mem_free(),__import__('gc').mem_alloc())[1:]",
        read: memory,
    },
    Question {
        name: "filesystem",
        expression: "__import__('os').statvfs('/')[:4]",
        read: filesystem,
    },
];

/// Asks a board all questions.
pub(crate) async fn ask(board: &mut Board) -> Result<Vec<Fact>, BoardError> {
    // This also removes anything that would make an `import` wait forever, so it comes first.
    board.capabilities().await?;
    let mut facts = Vec::new();
    for question in QUESTIONS {
        let answer = board.value_of_own(question.expression).await?;
        facts.extend(answer.and_then(|answer| question.fact(&answer)));
    }
    Ok(facts)
}

impl Question {
    fn fact(&self, answer: &Literal) -> Option<Fact> {
        let (value, text) = (self.read)(answer)?;
        Some(Fact {
            name: self.name,
            value,
            text,
        })
    }
}

fn as_json(facts: Vec<Fact>) -> Value {
    let pairs = facts
        .into_iter()
        .map(|fact| (fact.name.to_owned(), fact.value));
    Value::Object(pairs.collect::<Map<_, _>>())
}

fn as_lines(facts: &[Fact]) -> String {
    let line = |fact: &Fact| {
        format!(
            "{:<15} {}\n",
            fact.name.replace('_', " "),
            terminal::name(&fact.text)
        )
    };
    facts.iter().map(line).collect()
}

fn text(answer: &Literal) -> Option<(Value, String)> {
    let text = answer.as_text()?;
    Some((json!(text), text.to_owned()))
}

fn implementation(answer: &Literal) -> Option<(Value, String)> {
    let [name, version] = answer.items() else {
        return None;
    };
    let numbers: Vec<_> = version.items().iter().filter_map(Literal::as_u64).collect();
    let version: Vec<_> = numbers.iter().map(u64::to_string).collect();
    let (name, version) = (name.as_text()?, version.join("."));
    let text = format!("{name} {version}");
    Some((json!({ "name": name, "version": version }), text))
}

fn unique_id(answer: &Literal) -> Option<(Value, String)> {
    let Literal::Bytes(id) = answer else {
        return None;
    };
    Some((json!(to_hexadecimal(id)), to_hexadecimal(id)))
}

/// Reads a frequency in Hz, or several of which the first is the processor's.
fn frequency(answer: &Literal) -> Option<(Value, String)> {
    let hertz = answer
        .as_u64()
        .or_else(|| answer.items().first()?.as_u64())?;
    Some((json!(hertz), format!("{} MHz", hertz / 1_000_000)))
}

fn memory(answer: &Literal) -> Option<(Value, String)> {
    let [free, used] = answer.items() else {
        return None;
    };
    let (free, used) = (free.as_u64()?, used.as_u64()?);
    Some((
        json!({ "free": free, "used": used }),
        format!("{} free of {}", size(free), size(free + used)),
    ))
}

/// Reads block size, fragment size, number of blocks and number of free blocks.
fn filesystem(answer: &Literal) -> Option<(Value, String)> {
    let [_, fragment, blocks, free] = answer.items() else {
        return None;
    };
    let fragment = fragment.as_u64()?;
    let (total, free) = (fragment * blocks.as_u64()?, fragment * free.as_u64()?);
    Some((
        json!({ "free": free, "total": total }),
        format!("{} free of {}", size(free), size(total)),
    ))
}

/// Formats a number of bytes for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_485_760 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_different_boards_are_understood() {
        let table: [(&str, &str, Option<&str>); 9] = [
            ("platform", "'rp2'", Some("rp2")),
            (
                "implementation",
                "('micropython', (1, 28, 0))",
                Some("micropython 1.28.0"),
            ),
            (
                "implementation",
                "('micropython', (1, 28, 0, ''))",
                Some("micropython 1.28.0"),
            ),
            ("unique_id", r"b'\xe6a\x00'", Some("e66100")),
            ("frequency", "125000000", Some("125 MHz")),
            (
                "frequency",
                "(168000000, 168000000, 42000000)",
                Some("168 MHz"),
            ),
            (
                "memory",
                "(1000, 9000)",
                Some("1000 bytes free of 10000 bytes"),
            ),
            (
                "filesystem",
                "(4096, 4096, 352, 348)",
                Some("1392 KiB free of 1408 KiB"),
            ),
            ("filesystem", "None", None),
        ];
        for (name, answer, text) in table {
            let question = QUESTIONS
                .iter()
                .find(|question| question.name == name)
                .unwrap();
            let fact = question.fact(&Literal::parse(answer));
            assert_eq!(
                fact.as_ref().map(|fact| fact.text.as_str()),
                text,
                "{name} {answer}"
            );
        }
    }
}
