//! `flylead zylisp`

mod repl;
mod serve;

use std::{fmt, time::Duration};

use clap::{Args, Subcommand};
use flylead::zylisp::{
    Address, Client, ClientError, ClientOptions, Encoding, Evaluation, Reply, ReplyOutcome, text_of,
};
use serde_json::{Value as Json, json};
use tokio::time::timeout;

use super::{
    Common, Exit, Failure,
    interrupts::Interrupts,
    terminal::{self, print},
};

/// Serve Zylisp REPLs, and use them
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Repl(repl::Repl),
    /// Evaluate a program in a session of its own, and print its output and value
    Eval {
        #[command(flatten)]
        server: ServerArgs,
        /// The program
        code: String,
    },
    /// Evaluate a file that is on the server's side, below one of its folders
    Load {
        #[command(flatten)]
        server: ServerArgs,
        /// The file's path
        path: String,
    },
    /// Print what the server is and can do, as JSON
    Describe {
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Interrupt what a session evaluates
    Interrupt {
        #[command(flatten)]
        server: ServerArgs,
        /// The session, as its own `describe` names it
        session: String,
        /// The id of the evaluation [default: the one that runs]
        id: Option<String>,
    },
}

/// Which server.
#[derive(Debug, Args)]
struct ServerArgs {
    /// HOST:PORT, tcp://HOST:PORT, a Unix socket's path, ws://…, wss://…, or in-process for a session without a server
    #[arg(value_name = "ADDR")]
    address: Address,
    /// How messages are written: json or msgpack, as the server does
    #[arg(long, value_name = "NAME", default_value = "json")]
    codec: Encoding,
    /// The server's token
    #[arg(long, env = "FLYLEAD_ZYLISP_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

impl ServerArgs {
    async fn connect(&self) -> Result<Client, Failure> {
        let mut options = ClientOptions::default();
        options.encoding = self.codec;
        options.token = self.token.clone();
        Ok(Client::connect_with(&self.address, options).await?)
    }
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        match self.command {
            Command::Serve(serve) => serve.run(common).await,
            Command::Repl(repl) => repl.run().await,
            Command::Eval { server, code } => {
                let client = server.connect().await?;
                let evaluation = client.start(code).await?;
                evaluate(common.limit(), &client, evaluation, common.json).await
            }
            Command::Load { server, path } => {
                let client = server.connect().await?;
                let evaluation = client.start_file(path).await?;
                evaluate(common.limit(), &client, evaluation, common.json).await
            }
            Command::Describe { server } => {
                let reply = server.connect().await?.describe().await?;
                refused(&reply)?;
                say(format_args!("{:#}", Json::Object(reply.data)))?;
                Ok(Exit::Done)
            }
            Command::Interrupt {
                server,
                session,
                id,
            } => {
                let reply = server
                    .connect()
                    .await?
                    .interrupt_session(session, id)
                    .await?;
                refused(&reply)?;
                let words: Vec<_> = reply
                    .status
                    .iter()
                    .map(|status| status.name().to_owned())
                    .collect();
                say(words.join(" "))?;
                Ok(Exit::Done)
            }
        }
    }
}

/// Shows an evaluation: its output as it comes, then what it came to. Ctrl-C and the end of the time interrupt it, and
/// its reply still comes.
async fn evaluate(
    limit: Option<Duration>,
    client: &Client,
    evaluation: Evaluation,
    as_json: bool,
) -> Result<Exit, Failure> {
    let reply = wait(limit, client, reply(evaluation, !as_json)).await?;
    report(reply, as_json)
}

async fn reply(mut evaluation: Evaluation, live: bool) -> Result<Reply, Failure> {
    while live && let Some(output) = evaluation.next_output().await {
        print(output)?;
    }
    Ok(evaluation.reply().await?)
}

async fn wait(
    limit: Option<Duration>,
    client: &Client,
    reply: impl Future<Output = Result<Reply, Failure>>,
) -> Result<Reply, Failure> {
    let mut interrupts = Interrupts::new()?;
    let mut reply = std::pin::pin!(reply);
    tokio::select! {
        reply = &mut reply => return reply,
        () = interrupts.next() => {}
        () = tokio::time::sleep(limit.unwrap_or(Duration::MAX)), if limit.is_some() => {}
    }
    let both = async { tokio::join!(client.interrupt(), &mut reply).1 };
    match timeout(INTERRUPT_TIMEOUT, both).await {
        Ok(reply) => reply,
        Err(_) => Err(Failure::new(
            Exit::Lost,
            "the server did not answer an interrupt",
        )),
    }
}

/// Prints a reply: output and value on stdout, errors on stderr.
fn report(reply: Reply, as_json: bool) -> Result<Exit, Failure> {
    let exit = match &reply.outcome {
        ReplyOutcome::Value { .. } => Exit::Done,
        ReplyOutcome::Interrupted => Exit::Interrupted,
        ReplyOutcome::Refused(_) => Exit::Refused,
        _ => Exit::Raised,
    };
    if as_json {
        say(to_json(&reply))?;
        return Ok(exit);
    }
    print(reply.output)?;
    match reply.outcome {
        ReplyOutcome::Value { value, text } => say(text.unwrap_or_else(|| text_of(&value)))?,
        ReplyOutcome::Error(error) => {
            terminal::say(format_args!("{}: {}", error.kind, error.message));
        }
        ReplyOutcome::Interrupted => terminal::say("interrupted"),
        ReplyOutcome::Refused(why) => terminal::say(format_args!("refused: {why}")),
    }
    Ok(exit)
}

fn say(what: impl fmt::Display) -> std::io::Result<()> {
    print(format!("{what}\n"))
}

fn to_json(reply: &Reply) -> Json {
    let (key, value) = match &reply.outcome {
        ReplyOutcome::Value { value, .. } => ("value", value.clone()),
        ReplyOutcome::Error(error) => (
            "error",
            json!({"type": error.kind, "message": error.message}),
        ),
        ReplyOutcome::Interrupted => ("interrupted", true.into()),
        ReplyOutcome::Refused(why) => ("refused", why.as_str().into()),
    };
    json!({"output": reply.output, key: value})
}

fn refused(reply: &Reply) -> Result<(), Failure> {
    match &reply.outcome {
        ReplyOutcome::Refused(why) => Err(Failure::new(Exit::Refused, why)),
        _ => Ok(()),
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Connect { .. } => Self::new(Exit::NoLink, error),
            ClientError::Unauthorized { .. } => Self::new(Exit::Refused, error),
            _ => Self::new(Exit::Lost, error),
        }
    }
}

/// How long a server may take to interrupt an evaluation.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(5);
