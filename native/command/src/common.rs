//! Options of every command.

use std::{path::PathBuf, sync::Arc, time::Duration};

use clap::Args;
use flylead_core::raw_repl::Config;
use flylead_native::{
    Board, Trace, export,
    link::{
        self, Address, Link, NotRestarted, Recovery, Secret, Speed,
        turn::{Ask, News, Shows},
    },
    mount::Session,
};

use super::{
    Exit, Failure,
    line::kept::Kept,
    terminal::{interrupts::Interrupts, progress, say},
};

/// The options that every command has.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connection and output")]
pub(crate) struct Common {
    /// Board or server to use; `flylead ports` lists boards on USB
    ///
    /// One of: a name that `flylead ports name` gave; a serial port's name, such as /dev/ttyACM0 or COM7;
    /// serial:PATH?baud=N; auto, for the only board; id:SERIALNUMBER; labgrid:PLACE; tcp://HOST:PORT; unix:///PATH;
    /// ws://:PASSWORD@HOST:8266 or wss://…, where the password may also be in FLYLEAD_WEBREPL_PASSWORD;
    /// process:COMMAND, run by the shell on a terminal of its own.
    #[arg(
        short,
        long,
        global = true,
        value_name = "ADDRESS",
        env = "FLYLEAD_PORT",
        default_value = "auto",
        hide_env_values = true
    )]
    pub(crate) port: Address,

    /// The speed of a serial port, in bits per second, or auto to try the usual ones [default: 115200]
    ///
    /// auto presses Enter at each speed, and interrupts the running program if there is no answer.
    #[arg(long, global = true, value_name = "N")]
    pub(crate) baud: Option<Speed>,

    /// Time limit for connecting and for each request, in seconds, such as 30 or 1.5; 0 for none
    /// [default: 10 to connect, then none]
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Write results as JSON on stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Write the conversation to a file; attach it to a bug report
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Report progress on stderr
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,

    /// Fail at once, with exit code 7, if another tool is using a board of `flylead serve`
    #[arg(long, global = true)]
    pub(crate) no_wait: bool,

    /// Take over a board of `flylead serve` from its user, and interrupt the running program
    #[arg(long, global = true, conflicts_with = "no_wait")]
    pub(crate) take_over: bool,

    /// Acquire the place of --port labgrid:PLACE first, and release it however the command ends
    #[arg(long, global = true)]
    pub(crate) acquire: bool,

    /// Restart a board that does not answer, once: dtr, rts, or a command line that switches its power, such as
    /// "uhubctl -l 1-1 -p 2 -a cycle"
    ///
    /// The board is checked before the command begins; `flylead test` also restarts a board that is lost during the
    /// tests. dtr and rts pulse these lines of its port; a command line finds the address in FLYLEAD_PORT.
    #[arg(
        long,
        global = true,
        value_name = "HOW",
        env = "FLYLEAD_RECOVER",
        hide_env_values = true
    )]
    pub(crate) recover: Option<Recovery>,

    /// The process that started this one for one of its boards.
    #[arg(long, global = true, hide = true, value_name = "PROCESS")]
    pub(crate) started_by: Option<u32>,

    /// Command line, shown to tools that wait for their turn.
    #[arg(skip)]
    pub(crate) command: String,

    /// A connected board, with a folder mounted on it.
    #[arg(skip)]
    pub(crate) session: Option<Arc<Session>>,

    /// The connection of a chain of commands.
    #[arg(skip)]
    pub(crate) kept: Option<Kept>,

    /// True to leave stdin to a later command of the chain.
    #[arg(skip)]
    pub(crate) leaves_stdin: bool,

    /// The file of the conversation, where it is open already.
    #[arg(skip)]
    pub(crate) open_trace: Option<Trace>,
}

impl Common {
    /// Returns the address to connect to. An unknown name is reported once the address is opened.
    pub(crate) fn address(&self) -> Address {
        let meant = link::resolve(&self.port);
        let password = std::env::var("FLYLEAD_WEBREPL_PASSWORD");
        let password = password.ok().filter(|password| !password.is_empty());
        let meant = meant.unwrap_or_else(|_| self.port.clone());
        link::at_baud(meant, self.baud()).or_password(password.map(Secret))
    }

    /// Returns the speed of a serial port, unless it is to be detected or was not given.
    pub(crate) fn baud(&self) -> Option<u32> {
        match self.baud? {
            Speed::Fixed(baud) => Some(baud),
            Speed::Auto => None,
        }
    }

    /// Returns the speed for a command that opens ports repeatedly; an error for `auto`.
    pub(crate) fn fixed_baud(&self) -> Result<Option<u32>, Failure> {
        match self.baud {
            Some(Speed::Auto) => Err(Failure::new(
                Exit::Usage,
                format!(
                    "{} needs a fixed speed; `flylead --baud auto info` finds the board's",
                    self.command
                ),
            )),
            Some(Speed::Fixed(_)) | None => Ok(self.baud()),
        }
    }

    /// Opens the link to the board or server, and records its bytes if there is a trace.
    pub(crate) async fn open(&self) -> Result<Link, Failure> {
        let link = self.open_untraced().await?;
        Ok(match self.trace()? {
            Some(trace) => trace.wrap(link),
            None => link,
        })
    }

    /// Connects to the board without disturbing it; with `--recover`, a board that does not answer is restarted.
    pub(crate) async fn board(&self) -> Result<Board, Failure> {
        let Some(way) = &self.recover else {
            return self.attached().await;
        };
        let why = match self.answering().await {
            Ok(board) => return Ok(board),
            Err(why) => why,
        };
        self.note(format_args!(
            "{}; restarting the board by {way}",
            why.message()
        ));
        self.restarted(way).await
    }

    /// Restarts the board, and connects to it as soon as it answers.
    pub(crate) async fn restarted(&self, way: &Recovery) -> Result<Board, Failure> {
        self.let_go().await;
        let address = self.address();
        let restarted = way.bring_back(&address, || self.answering()).await;
        restarted.map_err(|failed| match failed {
            NotRestarted::Restart(error) => {
                Failure::new(Exit::Lost, format!("the board was not restarted: {error}"))
            }
            NotRestarted::Connect(failure) => failure,
        })
    }

    /// Connects to the board, which must take a program.
    async fn answering(&self) -> Result<Board, Failure> {
        let mut board = self.attached().await?;
        match board.exec("").await {
            Ok(_) => Ok(board),
            Err(error) => {
                board.close().await;
                Err(error.into())
            }
        }
    }

    async fn attached(&self) -> Result<Board, Failure> {
        let link = self.open_untraced().await?;
        let mut config = Config::default();
        config.enter_timeout = self.timeout.unwrap_or(config.enter_timeout);
        let config_timeout = config.enter_timeout;
        let board = Board::attach(link, config, self.trace()?);
        if !self.json {
            progress::of_entering(&board, config_timeout);
        }
        Ok(board.remembering(&self.address()).await)
    }

    /// Connects, does the work, and leaves the board at its prompt. Ctrl-C and the time limit end the work.
    pub(crate) async fn with_board(
        &self,
        work: impl AsyncFnOnce(&mut Board) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        let mut interrupts = Interrupts::new()?;
        let mut board = interrupts.or(self.board()).await?;
        let done = tokio::select! {
            done = interrupts.or(work(&mut board)) => done,
            late = late(self.limit()) => Err(late),
        };
        self.leave(board).await;
        done
    }

    /// Leaves the board at its prompt, if it still answers.
    pub(crate) async fn leave(&self, board: Board) {
        if let Err(error) = board.release().await {
            self.say(format_args!(
                "the board was not left at its prompt: {error}"
            ));
        }
    }

    /// Returns the time limit of the command, if there is one.
    pub(crate) fn limit(&self) -> Option<Duration> {
        self.timeout.filter(|limit| *limit != FOR_EVER)
    }

    pub(crate) async fn open_untraced(&self) -> Result<Link, Failure> {
        if let Some(session) = &self.session {
            return Ok(session.attach().await?);
        }
        let options = self.options(self.ask_for_a_turn());
        let Some(kept) = &self.kept else {
            return self.open_with(&options).await;
        };
        if let Some(link) = kept.lend() {
            return Ok(link);
        }
        Ok(kept.keep(self.open_with(&options).await?))
    }

    /// Closes a connection that was kept for the next command: the board restarts, and may come back elsewhere.
    pub(crate) async fn let_go(&self) {
        if let Some(kept) = &self.kept {
            kept.close().await;
        }
    }

    /// Opens a link for a person's typing: other tools take their turns in between.
    pub(crate) async fn open_shared(&self) -> Result<Link, Failure> {
        let mut ask = Ask::shared(self.who());
        ask.shows = Shows::Everything;
        let link = match &self.session {
            Some(session) => session.attach_lasting().await?,
            None if self.kept.is_some() => self.open_untraced().await?,
            None => self.open_with(&self.options(ask)).await?,
        };
        Ok(match self.trace()? {
            Some(trace) => trace.wrap(link),
            None => link,
        })
    }

    /// Returns the address at which a board that people type at comes back after it was unplugged, if it can come back
    /// by itself.
    pub(crate) fn returns_at(&self) -> Option<Address> {
        let address = self.address();
        let ends = matches!(address, Address::Process(_) | Address::Labgrid(_));
        if ends || self.session.is_some() || self.kept.is_some() {
            return None;
        }
        // Another board at the same port, or the only board that is left, is not the same board.
        match link::lasting(&address) {
            Ok(id @ Address::Id(_)) => Some(id),
            _ => Some(address),
        }
    }

    /// Tries to reopen the link to such an address.
    pub(crate) async fn open_again(&self, address: &Address) -> Result<Link, link::OpenError> {
        let mut ask = Ask::shared(self.who());
        ask.shows = Shows::Everything;
        let address = link::at_baud(address.clone(), self.baud());
        link::open_with(&address, &self.options(ask)).await
    }

    async fn open_with(&self, options: &link::Options) -> Result<Link, Failure> {
        let address = self.address();
        self.check_not_recording(&address)?;
        self.say(format_args!("opening {address}"));
        let opening = link::open_with(&address, options);
        Ok(progress::of_opening(self, &address, opening).await?)
    }

    /// Returns an error if the board records an experiment, which talking to it would end.
    fn check_not_recording(&self, address: &Address) -> Result<(), Failure> {
        let command = self.command.split(' ').next().unwrap_or_default();
        if self.take_over || LEAVES_RECORDINGS.contains(&command) {
            return Ok(());
        }
        let Some(recording) = export::recording(address) else {
            return Ok(());
        };
        let message = format!(
            "the run {} has been recording at {address} for {} s, and this would end it; end it with `flylead export stop` first, or use --take-over",
            recording.run_id,
            recording.age.as_secs()
        );
        Err(Failure::new(Exit::InUse, message))
    }

    fn options(&self, ask: Ask) -> link::Options {
        let mut options = link::Options::default();
        options.within = self.timeout.unwrap_or(link::CONNECT_TIMEOUT);
        options.turn_within = self.limit();
        options.ask = ask;
        options.find_speed = self.baud == Some(Speed::Auto);
        if !self.json {
            options.news = Some(Arc::new(tell));
        }
        options
    }

    fn ask_for_a_turn(&self) -> Ask {
        let mut ask = Ask::turn(self.who());
        ask.waits = !self.no_wait;
        ask.force = self.take_over;
        if SHOWN.contains(&self.command.as_str()) {
            ask.shows = Shows::Programs;
        }
        ask
    }

    fn who(&self) -> String {
        format!("flylead {} (process {})", self.command, std::process::id())
    }

    pub(crate) fn trace(&self) -> Result<Option<Trace>, Failure> {
        let create = |path: &PathBuf| {
            Trace::create(path)
                .map_err(|error| Failure::new(Exit::Usage, format!("{}: {error}", path.display())))
        };
        match &self.open_trace {
            Some(trace) => Ok(Some(trace.clone())),
            None => self.trace.as_ref().map(create).transpose(),
        }
    }

    /// Prints a note on stderr that is meant for people, not for scripts.
    pub(crate) fn note(&self, what: impl std::fmt::Display) {
        if !self.json {
            say(format_args!("flylead: {what}"));
        }
    }

    /// Reports the current activity if `--verbose` is given.
    pub(crate) fn say(&self, what: impl std::fmt::Display) {
        if self.verbose {
            say(format_args!("flylead: {what}"));
        }
    }
}

/// Reports news about the turn at a hub's board.
fn tell(news: &News) {
    match news {
        News::Waiting(by) => say(format_args!("flylead: waiting for {by}")),
        // Reported only after a while: at first, the turn is usually passed on automatically.
        News::Wanted(by) if !by.since.is_zero() => say(format_args!(
            "flylead: {} is waiting for the board; finish the line, or it takes its turn soon",
            by.who
        )),
        News::Taken(by) => say(format_args!(
            "flylead: the board was taken over by {}",
            by.who
        )),
        News::Paused(by) => say(format_args!(
            "flylead: {} has the board for now; your line comes back with your next key",
            by.who
        )),
        News::Away { why } => say(format_args!(
            "flylead: the board is gone: {why}; waiting for it"
        )),
        News::Back => say("flylead: the board is back"),
        News::Missed { bytes } => say(format_args!(
            "flylead: {bytes} bytes of output of other tools' programs are not shown: this terminal did not read in time"
        )),
        News::Speed { baud } => say(format_args!(
            "flylead: the board answers at {baud} baud; --baud {baud} saves this search"
        )),
        _ => {}
    }
}

/// Commands that interrupt no program on a board.
const LEAVES_RECORDINGS: [&str; 2] = ["export", "repl"];
/// Commands whose programs are shown to onlookers.
const SHOWN: [&str; 3] = ["exec", "run", "eval"];

/// Waits until the time limit has passed, if there is one.
async fn late(limit: Option<Duration>) -> Failure {
    match limit {
        Some(limit) => tokio::time::sleep(limit + MARGIN).await,
        None => std::future::pending().await,
    }
    Failure::new(Exit::Lost, "the board took longer than --timeout allows")
}

/// Time added to the command's limit so that the board's own limit expires first: its error says what is at the port
/// instead of a board.
const MARGIN: Duration = Duration::from_millis(500);

/// Duration longer than anybody waits, but short enough to be added to any instant.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(u32::MAX as u64);

/// Parses a number of seconds, with a fraction; 0 means no limit.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .map(|timeout| {
            if timeout.is_zero() {
                FOR_EVER
            } else {
                timeout.min(FOR_EVER)
            }
        })
        .ok_or_else(|| "write a number of seconds, such as 30 or 1.5".to_owned())
}
