//! `flylead zylisp repl`

mod directive;
mod editor;
mod history;
mod knowledge;
mod typing;

use std::{
    io::{self, IsTerminal},
    mem,
    path::PathBuf,
};

use clap::Args;
use flylead_native::zylisp::{
    Address, Client, Evaluation, Program, Reply, ReplyOutcome,
    lang::{Entry, MANUAL},
};
use serde_json::Value as Json;

use super::{
    Exit, Failure, ServerArgs,
    evaluate::{Input, Show, wait},
    report::{Programs, report},
};
use crate::{
    Common,
    terminal::{interrupts::Interrupts, print, say, stdin::Stdin},
};
use directive::{Directive, HELP};
use editor::{Language, Lines};
use history::History;
use typing::{Typed, Typing};

/// Type programs and see their values
///
/// An unfinished expression continues on the next line. Tab completes names, Ctrl-R searches what was typed, Ctrl-C interrupts what
/// runs or clears the line, Ctrl-D leaves; `:help` lists the other commands. When the connection ends, the next program
/// makes a new one. When stdin is not a terminal, its programs are evaluated one after the other; the exit code is that of
/// the first one that failed.
#[derive(Debug, Args)]
pub(super) struct Repl {
    /// HOST:PORT, tcp://HOST:PORT, a Unix socket's path, ws://…, wss://…, or in-process for a session without a server
    #[arg(value_name = "ADDR", default_value = "in-process")]
    address: Address,
    #[command(flatten)]
    server: ServerArgs,
    /// File for the typed lines; those that begin with a blank are not kept [default:
    /// flylead/zylisp-history in the user's state folder]
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Print the prompt even if stdin is not a terminal, for editors that wait for it
    #[arg(long)]
    prompt: bool,
    /// Do not save what is typed
    #[arg(long, conflicts_with = "history")]
    no_history: bool,
}

/// The server's side of the conversation.
struct Session<'a> {
    address: &'a Address,
    server: &'a ServerArgs,
    common: &'a Common,
    language: Language,
    /// `None` once the connection has ended.
    client: Option<Client>,
    /// Typed programs, whose lines errors refer to.
    programs: Programs,
    /// Number of typed programs.
    typed: usize,
}

/// Session in this process, which `flylead zylisp` opens without a command.
impl Default for Repl {
    fn default() -> Self {
        Self {
            address: Address::InProcess,
            server: ServerArgs::default(),
            prompt: false,
            history: None,
            no_history: false,
        }
    }
}

impl Repl {
    pub(super) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let server = &self.server;
        let client = server.connect(&self.address, common).await?;
        let language = Language::of(&client.describe().await?);
        let mut session = Session {
            address: &self.address,
            server,
            common,
            language,
            client: Some(client),
            programs: Programs::default(),
            typed: 0,
        };
        match io::stdin().is_terminal() {
            true => self.talk(session).await,
            false => run_all(&mut session, self.prompt).await,
        }
    }

    /// Evaluates the programs that a person types.
    async fn talk(&self, mut session: Session<'_>) -> Result<Exit, Failure> {
        let language = session.language;
        say(format_args!(
            "{} at {}. Ctrl-D leaves, :help lists the commands.",
            language.title(),
            self.address
        ));
        let mut typing = Typing::new(self.lines(language)?);
        loop {
            typing.ask_of(session.client.as_ref());
            let program = match typing.program().await? {
                Typed::Line(program) => program,
                Typed::Nothing => continue,
                Typed::End => return Ok(Exit::Done),
            };
            if Directive::of(&program) == Some(Directive::Quit) {
                return Ok(Exit::Done);
            }
            if let Err(failure) = session.enter(&program, &mut typing).await {
                session.client = None;
                failure.report(false);
            }
        }
    }

    fn lines(&self, language: Language) -> Result<Lines, Failure> {
        let history = match (self.no_history, &self.history) {
            (true, _) => History::none(),
            (false, Some(file)) => History::at(file.clone()),
            (false, None) => History::of_user(),
        };
        Lines::new(language, history).map_err(|error| Failure::new(Exit::Usage, error))
    }
}

impl Session<'_> {
    /// Carries out typed input.
    async fn enter(&mut self, program: &str, input: &mut impl Input) -> Result<Exit, Failure> {
        if program.trim().is_empty() {
            return Ok(Exit::Done);
        }
        let client = self.client().await?;
        match Directive::of(program) {
            None => {
                let evaluation = client.start(self.named(program)).await?;
                self.show(&client, evaluation, input).await
            }
            Some(Directive::Load(path)) => {
                let evaluation = client.start_file(path).await?;
                self.show(&client, evaluation, input).await
            }
            Some(Directive::More) => {
                let reply = client.more(PAGE).await?;
                report(reply, &self.programs, self.common.json)
            }
            Some(Directive::Doc("")) => {
                match self.language {
                    Language::Zylisp => MANUAL.iter().for_each(describe),
                    Language::Python => {
                        say(knowledge::names(&client.complete("").await?).join(" "));
                    }
                }
                Ok(Exit::Done)
            }
            Some(Directive::Doc(name)) => {
                explain(name, &client.look_up(name).await?);
                Ok(Exit::Done)
            }
            Some(Directive::Help | Directive::Quit) => {
                say(HELP);
                Ok(Exit::Done)
            }
            Some(Directive::Unknown(name)) => {
                say(format_args!(
                    "there is no :{name}; :help lists the commands"
                ));
                Ok(Exit::Usage)
            }
        }
    }

    /// Gives the program a name of its own: a function's error is in the program that defined it.
    fn named(&mut self, program: &str) -> Program {
        self.typed += 1;
        let name = format!("typed {}", self.typed);
        self.programs.keep(name.clone(), program);
        let mut program = Program::from(program);
        program.file = Some(name);
        program
    }

    async fn show(
        &self,
        client: &Client,
        evaluation: Evaluation,
        input: &mut impl Input,
    ) -> Result<Exit, Failure> {
        let show = Show {
            limit: self.common.limit(),
            live: !self.common.json,
        };
        let reply = wait(client, evaluation, input, &show).await?;
        report(reply, &self.programs, self.common.json)
    }

    /// Returns the connection, restored if the last one has ended.
    async fn client(&mut self) -> Result<Client, Failure> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let client = self.server.connect(self.address, self.common).await?;
        say("reconnected: this is a new session, which has no definitions yet");
        self.client = Some(client.clone());
        Ok(client)
    }
}

/// Evaluates everything on stdin, one whole program at a time. Ctrl-C ends it.
async fn run_all(session: &mut Session<'_>, prompts: bool) -> Result<Exit, Failure> {
    let language = session.language;
    let mut interrupts = Interrupts::new()?;
    let mut stdin = Stdin::default();
    let mut program = String::new();
    let mut exit = Exit::Done;
    loop {
        if prompts && program.is_empty() {
            print(language.prompt())?;
        }
        let line = tokio::select! {
            line = stdin.line() => line?,
            () = interrupts.next() => return Ok(Exit::Interrupted),
        };
        let ended = line.is_none();
        program += &line.unwrap_or_default();
        if !ended && language.is_unfinished(&program) {
            program.push('\n');
            continue;
        }
        if Directive::of(&program) == Some(Directive::Quit) {
            return Ok(exit);
        }
        let done = session.enter(&mem::take(&mut program), &mut stdin).await?;
        exit = if exit == Exit::Done { done } else { exit };
        if ended {
            return Ok(exit);
        }
    }
}

fn describe(entry: &Entry) {
    say(format_args!("{:<24} {}", entry.usage, entry.meaning));
}

/// Prints the facts that the server knows about a name.
fn explain(name: &str, reply: &Reply) {
    let text = |key| reply.data.get(key).and_then(Json::as_str);
    let Some(usage) = text("usage") else {
        say(format_args!(
            "the server does not know {name}; :doc lists the names that it knows"
        ));
        return;
    };
    say(format_args!(
        "{usage:<24} {}",
        text("doc").unwrap_or_default()
    ));
    if let Some(line) = reply.data.get("line") {
        let file = text("file").unwrap_or("a program");
        say(format_args!("{:<24} defined in line {line} of {file}", ""));
    }
}

/// Returns the name of the server's evaluator.
fn evaluator(description: &Reply) -> Option<&str> {
    if matches!(description.outcome, ReplyOutcome::Refused(_)) {
        return None;
    }
    description.data.get("evaluator")?.as_str()
}

/// Size of a long value's part to show at once, in bytes.
const PAGE: usize = 64 << 10;
