//! `flylead sleep`

use std::time::Duration;

use clap::Args;

use crate::{Common, Exit, Failure, common::FOR_EVER, terminal::interrupts::Interrupts};

/// Wait, in a chain of commands
///
/// Nothing is sent to the board meanwhile.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  flylead run --no-follow blink.py + sleep 5 + exec 'print(1)'")]
pub(crate) struct Cmd {
    /// Time to wait, in seconds
    #[arg(value_name = "SECONDS", value_parser = duration)]
    seconds: Duration,
}

impl Cmd {
    pub(crate) async fn run(self, _: &Common) -> Result<Exit, Failure> {
        let mut interrupts = Interrupts::new()?;
        let waiting = async {
            tokio::time::sleep(self.seconds).await;
            Ok(Exit::Done)
        };
        interrupts.or(waiting).await
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .map(|duration| duration.min(FOR_EVER))
        .ok_or_else(|| "write a number of seconds, such as 5 or 0.5".to_owned())
}
