//! `flylead eval`

use clap::Args;
use flylead_native::literal::Literal;

use crate::{Common, Exit, Failure, terminal};

/// Print the value of a Python expression on the board
///
/// Text is printed as it is, everything else as Python writes it. With --json, numbers, text, lists, dictionaries,
/// None and booleans become JSON; a tuple or set becomes a list, bytes become {"bytes": "hexadecimal"}, and a value
/// that has no literal becomes {"repr": "<...>"}. What the expression itself prints goes to stderr.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// The expression; put it in quotes
    #[arg(allow_hyphen_values = true)]
    expression: String,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        if self.expression.trim().is_empty() {
            return Err(Failure::new(Exit::Usage, "the expression is empty"));
        }
        common
            .with_board(async |board| {
                let value = board
                    .eval_with(&self.expression, None, terminal::say_raw)
                    .await?;
                show(&value, common.json)
            })
            .await
    }
}

fn show(value: &str, json: bool) -> Result<Exit, Failure> {
    let literal = Literal::parse(value);
    let line = match json {
        true => literal.to_json().to_string(),
        false => literal.as_text().unwrap_or(value).to_owned(),
    };
    terminal::print(format!("{line}\n"))?;
    Ok(Exit::Done)
}
