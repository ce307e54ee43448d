//! `flylead zylisp`

mod evaluate;
mod not_here;
mod port_file;
mod repl;
mod report;
mod serve;

use clap::{Args, Subcommand};
use flylead_native::{
    link,
    zylisp::{
        Address, Client, ClientError, ClientOptions, Encoding, Evaluation, Reply, ReplyOutcome,
    },
};
use serde_json::Value as Json;
use tokio::time::timeout;

use super::{
    Common, Exit, Failure,
    terminal::{print_line, stdin::Stdin},
};
use evaluate::Show;
use not_here::NoBoard;
use report::{Programs, report};
pub(crate) use serve::serve_board;

/// Evaluate Zylisp, a small Lisp: here, on a server, or as one
///
/// Without a command it is the REPL: `flylead zylisp repl in-process`.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    no_board: NoBoard,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Repl(repl::Repl),
    /// Evaluate a program in a session of its own, and print its output and value
    #[command(override_usage = "flylead zylisp eval [OPTIONS] [ADDR] <CODE>")]
    Eval {
        #[command(flatten)]
        server: ServerArgs,
        /// The program; before it the address of a server, see `repl`
        #[arg(required = true, value_name = "CODE")]
        words: Vec<String>,
    },
    /// Evaluate a file that is on the server's side, below one of its folders
    Load {
        /// Address of the server: see `repl`
        #[arg(value_name = "ADDR")]
        address: Address,
        #[command(flatten)]
        server: ServerArgs,
        /// The file's path
        path: String,
    },
    /// Print what the server is and can do, as JSON
    Describe {
        /// Address of the server: see `repl`
        #[arg(value_name = "ADDR")]
        address: Address,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Interrupt the evaluation of a session
    Interrupt {
        /// Address of the server: see `repl`
        #[arg(value_name = "ADDR")]
        address: Address,
        #[command(flatten)]
        server: ServerArgs,
        /// The session, as its own `describe` names it
        session: String,
        /// The id of the evaluation [default: the one that runs]
        id: Option<String>,
    },
}

/// Options of a connection to a server.
#[derive(Debug, Default, Args)]
struct ServerArgs {
    /// Encoding of messages: json or msgpack; must match the server's
    #[arg(long, value_name = "NAME", default_value = "json")]
    codec: Encoding,
    /// The server's token
    #[arg(long, env = "FLYLEAD_ZYLISP_TOKEN", hide_env_values = true)]
    token: Option<String>,
    #[command(flatten)]
    no_board: NoBoard,
}

impl ServerArgs {
    async fn connect(&self, address: &Address, common: &Common) -> Result<Client, Failure> {
        self.no_board.check()?;
        let mut options = ClientOptions::default();
        options.encoding = self.codec;
        options.token = self.token.clone();
        options.connect_timeout = common.timeout.unwrap_or(link::CONNECT_TIMEOUT);
        options.trace = common.trace()?;
        if options.trace.is_some() && *address == Address::InProcess {
            let why = "a session in-process sends nothing that --trace could record";
            return Err(Failure::new(Exit::Usage, why));
        }
        Ok(Client::connect_with(address, options).await?)
    }
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        self.no_board.check()?;
        let Some(command) = self.command else {
            return repl::Repl::default().run(common).await;
        };
        match command {
            Command::Serve(serve) => serve.run(common).await,
            Command::Repl(repl) => repl.run(common).await,
            Command::Eval { server, words } => {
                let (address, code) = to_evaluate(words)?;
                let client = server.connect(&address, common).await?;
                let evaluation = client.start(code.as_str()).await?;
                evaluate(common, &client, evaluation, &Programs::one(&code)).await
            }
            Command::Load {
                address,
                server,
                path,
            } => {
                let client = server.connect(&address, common).await?;
                let evaluation = client.start_file(path).await?;
                evaluate(common, &client, evaluation, &Programs::default()).await
            }
            Command::Describe { address, server } => {
                let client = server.connect(&address, common).await?;
                let reply = in_time(common, client.describe()).await?;
                print_line(format_args!("{:#}", Json::Object(reply.data)))?;
                Ok(Exit::Done)
            }
            Command::Interrupt {
                address,
                server,
                session,
                id,
            } => {
                let client = server.connect(&address, common).await?;
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

/// Returns the address and the program of the words after `eval`.
fn to_evaluate(words: Vec<String>) -> Result<(Address, String), Failure> {
    let usage = |error: String| Failure::new(Exit::Usage, error);
    match <[String; 2]>::try_from(words) {
        Ok([address, code]) => {
            let address = address.parse();
            Ok((address.map_err(|error| usage(format!("{error}")))?, code))
        }
        Err(words) => match <[String; 1]>::try_from(words) {
            Ok([code]) => Ok((Address::InProcess, code)),
            Err(_) => Err(usage("write the program as one word, in quotes".into())),
        },
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

/// Waits for an answer as long as the command line allows, and checks if it is a refusal.
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

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the program ended with an error, which is on stderr
  2    the command line is wrong, or something on this computer
  3    the server could not be reached, or cannot listen there
  4    the server was lost, or did not answer in time
  5    the server refused
  130  interrupted by Ctrl-C";
