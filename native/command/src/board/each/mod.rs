//! `flylead each`: one command on many boards at once.
//!
//! Each board has a process of its own, which is this program with that board's address: any command can be run, a
//! failing command stops no other, and the boards' outputs are kept apart.

mod boards;
pub(crate) mod children;
mod event;
pub(crate) mod pattern;
mod report;
mod slug;
mod worker;

use std::{collections::VecDeque, time::Instant};

use clap::Args;
use tokio::{sync::mpsc, task::JoinSet};

use crate::{Common, Exit, Failure, terminal::interrupts::Interrupts};
use boards::Board;
use event::{Ended, Event};
use report::Report;
use worker::Orders;

/// Run one command on many boards at once
///
/// Each board has its own process, so that a failure does not stop the others. Lines appear as the boards print them,
/// after the name of their board. `{}` in the command stands for the board's name, in a form that is valid as a file
/// name.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cmd {
    /// The boards: names or other addresses as --port takes them; `all` on USB; patterns such as 'bench-*',
    /// '/dev/ttyACM*' or 'id:E66*'; labgrid:TAG=VALUE for the places of a lab with this tag; or @FILE, with one of
    /// these per line
    #[arg(required = true, value_name = "BOARD")]
    boards: Vec<String>,

    /// Number of boards to run at once
    #[arg(short, long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,

    /// The command and its options, as they would follow `flylead`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  flylead each all -- info
  flylead each /dev/ttyACM0 tcp://192.168.4.1:2323 -- run blink.py
  flylead each '/dev/ttyACM*' -- fs cp main.py :
  flylead each @greenhouse.txt --jobs 8 -- export fetch RUN --artifacts logs/{}

The exit code is that of the first board in the list that failed.";

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let boards = boards::select(&self.boards).await?;
        let orders = Orders::new(common, self.command, boards.len())?;
        let mut interrupts = Interrupts::new()?;
        let mut report = Report::new(&boards, common.json, usize::from(self.jobs));
        let work = Work::new(boards, usize::from(self.jobs), orders);
        let is_interrupted = work.finish(&mut interrupts, &mut report).await?;
        let worst = report.finish()?;
        match is_interrupted {
            true => Err(Failure::interrupted()),
            false => Ok(worst),
        }
    }
}

/// Boards that are waiting, and boards at work.
struct Work {
    waiting: VecDeque<(usize, Board)>,
    at_once: usize,
    orders: Orders,
    running: JoinSet<()>,
    told: mpsc::Receiver<Event>,
    tell: mpsc::Sender<Event>,
}

impl Work {
    fn new(boards: Vec<Board>, at_once: usize, orders: Orders) -> Self {
        let (tell, told) = mpsc::channel(EVENTS);
        Self {
            waiting: boards.into_iter().enumerate().collect(),
            at_once,
            orders,
            running: JoinSet::new(),
            told,
            tell,
        }
    }

    /// Runs the command everywhere, and returns true if Ctrl-C ended it.
    async fn finish(
        mut self,
        interrupts: &mut Interrupts,
        report: &mut Report,
    ) -> Result<bool, Failure> {
        let mut is_interrupted = false;
        self.fill(report)?;
        while !self.running.is_empty() || !self.told.is_empty() {
            tokio::select! {
                Some(event) = self.told.recv() => report.tell(event)?,
                Some(_) = self.running.join_next() => self.fill(report)?,
                () = interrupts.next(), if !is_interrupted => {
                    is_interrupted = true;
                    for (at, _) in self.waiting.drain(..) {
                        report.tell(Event::Ended(at, Ended::NotStarted))?;
                    }
                    self.orders.interrupt();
                }
            }
        }
        Ok(is_interrupted)
    }

    /// Starts boards until the limit of boards at work is reached.
    fn fill(&mut self, report: &mut Report) -> Result<(), Failure> {
        while self.running.len() < self.at_once {
            let Some((at, board)) = self.waiting.pop_front() else {
                break;
            };
            report.tell(Event::Started(at, Instant::now()))?;
            let worker = self.orders.start(at, &board, self.tell.clone());
            self.running.spawn(worker);
        }
        Ok(())
    }
}

/// Limit of lines on their way to the terminal; boards wait if the terminal is slower.
const EVENTS: usize = 256;
