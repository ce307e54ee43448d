//! An evaluation at the terminal: its output as it arrives, its input, Ctrl-C, and its time limit.

use std::time::Duration;

use flylead_native::{
    sleep_until,
    zylisp::{Client, Evaluation, Printed, Reply},
};
use tokio::time::Instant;

use crate::{
    Exit, Failure,
    terminal::{interrupts::Interrupts, print, stdin::Stdin},
};

/// Source of a program's input.
pub(super) trait Input {
    /// Returns the next input.
    async fn next(&mut self) -> Result<Given, Failure>;
}

/// Input given to a program.
pub(super) enum Given {
    /// A line, without its end.
    Line(String),
    End,
    /// Ctrl-C instead of a line.
    Interrupt,
}

impl Input for Stdin {
    async fn next(&mut self) -> Result<Given, Failure> {
        Ok(self.line().await?.map_or(Given::End, Given::Line))
    }
}

/// Form and time limit of an evaluation.
pub(super) struct Show {
    pub(super) limit: Option<Duration>,
    /// True to print its output as it is produced, rather than with the reply.
    pub(super) live: bool,
}

/// Waits for the reply. Ctrl-C and the time limit interrupt the evaluation, and its reply still arrives.
pub(super) async fn wait(
    client: &Client,
    mut evaluation: Evaluation,
    input: &mut impl Input,
    show: &Show,
) -> Result<Reply, Failure> {
    let mut interrupts = Interrupts::new()?;
    let mut until = show.limit.map(|limit| Instant::now() + limit);
    let mut interrupted = false;
    let mut kept = String::new();
    loop {
        let printed = tokio::select! {
            printed = next(client, &mut evaluation, input) => printed?,
            () = interrupts.next(), if !interrupted => Next::Interrupt,
            () = sleep_until(until), if interrupted => return Err(Failure::new(
                Exit::Lost,
                "the server did not answer an interrupt",
            )),
            () = sleep_until(until), if !interrupted => Next::Interrupt,
        };
        match printed {
            Next::Output(output) if show.live => print(output)?,
            Next::Output(output) => kept += &output,
            Next::Given => {}
            Next::Interrupt => {
                interrupted = true;
                until = Some(Instant::now() + INTERRUPT_TIMEOUT);
                let client = client.clone();
                // The interrupt's answer says no more than the evaluation's own reply.
                tokio::spawn(async move { client.interrupt().await });
            }
            Next::Done => break,
        }
    }
    let mut reply = evaluation.reply().await?;
    reply.output.insert_str(0, &kept);
    Ok(reply)
}

enum Next {
    Output(String),
    /// The program received the input that it wanted to read.
    Given,
    Interrupt,
    Done,
}

async fn next(
    client: &Client,
    evaluation: &mut Evaluation,
    input: &mut impl Input,
) -> Result<Next, Failure> {
    Ok(match evaluation.next().await {
        None => Next::Done,
        Some(Printed::Output(output)) => Next::Output(output),
        Some(Printed::NeedsInput) => match input.next().await? {
            Given::Line(line) => {
                client.input(line + "\n").await?;
                Next::Given
            }
            Given::End => {
                client.input("").await?;
                Next::Given
            }
            Given::Interrupt => Next::Interrupt,
        },
    })
}

/// Time that a server has to interrupt an evaluation.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(5);
