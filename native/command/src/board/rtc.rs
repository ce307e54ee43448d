//! `flylead rtc`

use chrono::{DateTime, Datelike as _, Local, NaiveDate, NaiveDateTime, Timelike as _, Utc};
use clap::Args;
use flylead_core::raw_repl::own;
use flylead_native::{Board, BoardError, literal::Literal};
use serde_json::json;

use crate::{Common, Exit, Failure, terminal::print};

/// Show the time of the board's clock, or set it to this computer's
///
/// The clock is machine.RTC; boards without one show the time of their interpreter, if it has one.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Set it to this computer's local time
    #[arg(long)]
    set: bool,

    /// Set it to UTC instead
    #[arg(long, requires = "set")]
    utc: bool,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let work = async |board: &mut Board| {
            if self.set {
                set(board, self.utc).await?;
            }
            let time = get(board).await?;
            print(match common.json {
                true => format!(
                    "{}\n",
                    json!({ "time": time.format("%Y-%m-%dT%H:%M:%S").to_string() })
                ),
                false => format!("{}\n", time.format("%Y-%m-%d %H:%M:%S")),
            })?;
            Ok(Exit::Done)
        };
        common.with_board(work).await
    }
}

async fn get(board: &mut Board) -> Result<NaiveDateTime, Failure> {
    for expression in [RTC_TIME, INTERPRETER_TIME] {
        match board.eval_own(expression).await {
            Ok(answer) => return time(&answer).ok_or_else(|| no_time(&answer)),
            Err(BoardError::Raised(traceback)) if traceback.is_missing() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::new(Exit::Refused, "this board has no clock"))
}

/// Sets the clock. The eight numbers are those of MicroPython's documentation for `machine.RTC.datetime`; the weekday
/// counts from Monday, which is 0, as mpremote writes it (tools/mpremote/mpremote/commands.py, `do_rtc`).
async fn set(board: &mut Board, utc: bool) -> Result<(), Failure> {
    let now: DateTime<Utc> = Utc::now();
    let now = match utc {
        true => now.naive_utc(),
        false => now.with_timezone(&Local).naive_local(),
    };
    let source = format!(
        "import machine\nmachine.RTC().datetime(({}, {}, {}, {}, {}, {}, {}, {}))\n",
        now.year(),
        now.month(),
        now.day(),
        now.weekday().num_days_from_monday(),
        now.hour(),
        now.minute(),
        now.second(),
        now.nanosecond() / 1000,
    );
    match board.exec(own(&source)).await {
        Ok(_) => Ok(()),
        Err(BoardError::Raised(traceback)) if traceback.is_missing() => {
            let message = "this board has no machine.RTC, so its clock cannot be set";
            Err(Failure::new(Exit::Refused, message))
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads year, month, day, hour, minute and second.
fn time(answer: &str) -> Option<NaiveDateTime> {
    let answer = Literal::parse(answer);
    let numbers = answer.items().iter().map(|number| {
        let number = number.as_u64()?;
        u32::try_from(number).ok()
    });
    let numbers: Option<Vec<_>> = numbers.collect();
    let [year, month, day, hour, minute, second] = numbers?[..] else {
        return None;
    };
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    date.and_hms_opt(hour, minute, second)
}

fn no_time(answer: &str) -> Failure {
    Failure::new(
        Exit::Refused,
        format!("the board's clock returned no valid time: {answer}"),
    )
}

const RTC_TIME: &str =
    "(lambda t:tuple(t[:3])+tuple(t[4:7]))(__import__('machine').RTC().datetime())";
const INTERPRETER_TIME: &str = "tuple(__import__('time').localtime()[:6])";
