//! `flylead zylisp`

mod evaluate;
mod not_here;
mod port_file;
mod repl;
mod report;
mod serve;

use clap::{Args, Subcommand};
use flylead::{
    link,
    zylisp::{
        Address, Client, ClientError, ClientOptions, Encoding, Evaluation, Reply, ReplyOutcome,
    },
};
use serde_json::Value as Json;
use tokio::time::timeout;

use super::{Common, Exit, Failure, stdin::Stdin, terminal::print_line};
use evaluate::Show;
use not_here::NoBoard;
use report::{Programs, report};
pub(crate) use serve::serve_until_told;

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
    #[command(flatten)]
    no_board: NoBoard,
}

impl ServerArgs {
    async fn connect(&self, common: &Common) -> Result<Client, Failure> {
        self.no_board.check()?;
        let mut options = ClientOptions::default();
        options.encoding = self.codec;
        options.token = self.token.clone();
        options.connect_timeout = common.timeout.unwrap_or(link::CONNECT_TIMEOUT);
        options.trace = common.trace()?;
        if options.trace.is_some() && self.address == Address::InProcess {
            let why = "a session in-process sends nothing that --trace could write down";
            return Err(Failure::new(Exit::Usage, why));
        }
        Ok(Client::connect_with(&self.address, options).await?)
    }
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        match self.command {
            Command::Serve(serve) => serve.run(common).await,
            Command::Repl(repl) => repl.run(common).await,
            Command::Eval { server, code } => {
                let client = server.connect(common).await?;
                let evaluation = client.start(code.as_str()).await?;
                evaluate(common, &client, evaluation, &Programs::one(&code)).await
            }
            Command::Load { server, path } => {
                let client = server.connect(common).await?;
                let evaluation = client.start_file(path).await?;
                evaluate(common, &client, evaluation, &Programs::default()).await
            }
            Command::Describe { server } => {
                let client = server.connect(common).await?;
                let reply = in_time(common, client.describe()).await?;
                print_line(format_args!("{:#}", Json::Object(reply.data)))?;
                Ok(Exit::Done)
            }
            Command::Interrupt {
                server,
                session,
                id,
            } => {
                let client = server.connect(common).await?;
                let reply = in_time(common, client.interrupt_session(session, id)).await?;
                let words = reply.status.iter().map(|status| status.name().to_owned());
                let words: Vec<_> = words.collect();
                match common.json {
                    true => print_line(serde_json::json!({"status": words}))?,
                    false => print_line(words.join(" "))?,
                }
                Ok(Exit::Done)
            }
        }
    }
}

async fn evaluate(
    common: &Common,
    client: &Client,
    evaluation: Evaluation,
    programs: &Programs,
) -> Result<Exit, Failure> {
    let show = Show {
        limit: common.limit(),
        live: !common.json,
    };
    let reply = evaluate::wait(client, evaluation, &mut Stdin::default(), &show).await?;
    report(reply, programs, common.json)
}

/// Waits for an answer as long as the command line says, and looks whether it is a refusal.
async fn in_time(
    common: &Common,
    asked: impl Future<Output = Result<Reply, ClientError>>,
) -> Result<Reply, Failure> {
    let reply = match common.limit() {
        Some(limit) => timeout(limit, asked)
            .await
            .unwrap_or(Err(ClientError::Silent)),
        None => asked.await,
    }?;
    match reply.outcome {
        ReplyOutcome::Refused(why) => Err(Failure::new(Exit::Refused, why)),
        ReplyOutcome::Value { .. } | ReplyOutcome::Error(_) | ReplyOutcome::Interrupted => {
            Ok(reply)
        }
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
