//! Runs a program on a board and shows what it prints, while it prints it:
//!
//! ```sh
//! cargo run --example exec -- /dev/ttyACM0 'print(6 * 7)'
//! ```

use std::{env, error::Error, io::Write as _, time::Duration};

use flylead_core::raw_repl::Outcome;
use flylead_native::Board;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = env::args().skip(1).collect();
    let [address, source] = words.as_slice() else {
        return Err("exec ADDRESS PROGRAM".into());
    };
    let mut board = Board::connect(&address.parse()?).await?;

    let mut program = board.start(source.as_str(), Some(TIMEOUT)).await?;
    let mut stdout = std::io::stdout();
    while let Some(output) = program.next_output().await? {
        stdout.write_all(&output)?;
        stdout.flush()?;
    }
    let outcome = program.outcome().await?;

    // Back at the prompt that people and other tools expect.
    board.release().await?;
    match outcome {
        Outcome::Completed | Outcome::Exited => Ok(()),
        Outcome::Raised(traceback) => Err(traceback.into()),
        Outcome::TimedOut(_) => Err("the program ran past its time".into()),
        Outcome::BoardReset => Err("the board restarted".into()),
    }
}

const TIMEOUT: Duration = Duration::from_secs(60);
