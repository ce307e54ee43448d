//! `flylead zylisp serve`

use std::{path::PathBuf, str::FromStr, time::Duration};

use clap::Args;
use flylead_native::{
    Board, link,
    zylisp::{self, Encoding, Server, ServerConfig, SharedBoard},
};
use tokio::{runtime::Builder, time::timeout};

use super::{
    not_here::{NoBoard, NoClient},
    port_file::PortFile,
};
use crate::{
    Common, Exit, Failure,
    terminal::{interrupts::Interrupts, print_line, say, shutdown::Shutdown},
};

/// Serve the language to any number of clients, each with an environment of its own, until Ctrl-C
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Addresses to listen on: HOST:PORT, tcp://HOST:PORT, ws://HOST:PORT, a path for a Unix socket
    /// that only you can use, or nrepl://HOST:PORT for the editors of Lisps. Beyond this computer a
    /// token is required, and nREPL is refused
    #[arg(value_name = "ADDR", default_value = "127.0.0.1:5555")]
    addresses: Vec<String>,
    /// Encoding of messages: json or msgpack
    #[arg(long, value_name = "NAME", default_value = "json")]
    codec: Encoding,
    /// Evaluator: zylisp, or board:ADDRESS for the Python of a board that all clients share
    #[arg(long, value_name = "WHAT", default_value = "zylisp")]
    eval: Evaluates,
    /// Token that clients must present first
    #[arg(long, env = "FLYLEAD_ZYLISP_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// A web page's origin that may connect to a WebSocket, such as http://localhost:8000; can be repeated. The page of
    /// `flylead serve` at its default address always may
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,
    /// A folder below which clients may load files
    #[arg(long, value_name = "FOLDER")]
    root: Vec<PathBuf>,
    /// Time limit of an evaluation, in seconds; 0 for none
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    eval_seconds: u64,
    /// Limit of simultaneous clients
    #[arg(long, value_name = "N", default_value_t = 2048)]
    connections: usize,
    /// Memory for each client's environment, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    memory: usize,
    /// Memory for all clients together, in MiB: requests for more are refused
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    total_memory: usize,
    /// Output of one evaluation that is kept, in KiB
    #[arg(long, value_name = "KIB", default_value_t = 256)]
    output: usize,
    /// The longest request or file, in KiB
    #[arg(long, value_name = "KIB", default_value_t = 4096)]
    message: usize,
    /// Time that a client has to send a request or to read a reply, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    patience: u64,
    #[command(flatten)]
    no_board: NoBoard,
    #[command(flatten)]
    no_client: NoClient,
}

impl Serve {
    pub(super) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        self.no_board.check()?;
        self.no_client.check()?;
        let eval = self.eval.clone();
        let config = self.config()?;
        // Evaluations use all processors; the rest of this program needs one.
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        common.say("serving");
        let done = runtime.spawn(serve(config, eval)).await;
        runtime.shutdown_background();
        done.map_err(|error| Failure::new(Exit::Lost, error))?
    }

    fn config(self) -> Result<ServerConfig, Failure> {
        let addresses = self.addresses.iter().map(String::as_str);
        let mut config =
            ServerConfig::at(addresses).map_err(|error| Failure::new(Exit::Usage, error))?;
        config.encoding = self.codec;
        config.token = self.token;
        config.origins = PAGE_ORIGINS.map(str::to_owned).into();
        config.origins.extend(self.origin);
        config.roots = self.root;
        config.connections = self.connections;
        config.message_limit = self.message << 10;
        config.message_timeout = Duration::from_secs(self.patience);
        config.write_timeout = config.message_timeout;
        config.limits.eval =
            Some(Duration::from_secs(self.eval_seconds)).filter(|limit| !limit.is_zero());
        config.language.memory = self.memory << 20;
        config.language.output = self.output << 10;
        config.total_memory = self.total_memory << 20;
        Ok(config)
    }
}

/// Origins of the page that `flylead serve` serves at its default address.
const PAGE_ORIGINS: [&str; 2] = ["http://127.0.0.1:8123", "http://localhost:8123"];

async fn serve(config: ServerConfig, eval: Evaluates) -> Result<Exit, Failure> {
    match &eval {
        Evaluates::Zylisp => serve_until_told(config).await,
        Evaluates::Board(address) => {
            let board = Board::connect(address).await?;
            let address = address.clone();
            let reopen = move || {
                let address = address.clone();
                async move {
                    Board::connect(&address)
                        .await
                        .map_err(|error| error.to_string())
                }
            };
            serve_board(config, SharedBoard::reopening(board, reopen)).await
        }
    }
}

/// Serves a board's Python until told to stop, and leaves the board at its prompt.
pub(crate) async fn serve_board(
    mut config: ServerConfig,
    board: SharedBoard,
) -> Result<Exit, Failure> {
    config.evaluator = Some(board.evaluators());
    config.evaluator_name = "micropython".into();
    let served = serve_until_told(config).await;
    let mut interrupts = Interrupts::new()?;
    let released = tokio::select! {
        released = timeout(RELEASE_TIMEOUT, board.released()) => released.is_ok(),
        () = interrupts.next() => false,
    };
    if !released {
        say("the board was left as it is: its program did not end in time");
    }
    served
}

/// Serves until Ctrl-C, the end of the terminal, or a polite signal.
async fn serve_until_told(config: ServerConfig) -> Result<Exit, Failure> {
    let (mut interrupts, mut shutdown) = (Interrupts::new()?, Shutdown::new()?);
    let mut server = Server::bind(config)
        .await
        .map_err(|error| Failure::new(Exit::NoLink, error))?;
    for address in server.addresses() {
        print_line(format_args!("listening on {address}"))?;
    }
    let port_file = PortFile::write(server.addresses());
    if let Err(error) = &port_file {
        say(format_args!("no .nrepl-port in this folder: {error}"));
    }
    loop {
        tokio::select! {
            () = interrupts.next() => break,
            () = shutdown.requested() => break,
            () = server.rested() => zylisp::release_pages(),
        }
    }
    say("stopping; evaluations that run get a few seconds");
    tokio::select! {
        () = server.stop() => {}
        () = interrupts.next() => {}
    }
    drop(port_file);
    Ok(Exit::Done)
}

/// Time that a board's last program has to end at the end of a server. It may catch three Ctrl-Cs, one each second, and
/// resist the following burst for six seconds.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(15);

/// Evaluator of a server.
#[derive(Debug, Clone)]
enum Evaluates {
    Zylisp,
    Board(link::Address),
}

impl FromStr for Evaluates {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("board:")) {
            ("zylisp", _) => Ok(Self::Zylisp),
            (_, Some(address)) => address
                .parse()
                .map(Self::Board)
                .map_err(|error| format!("{error}")),
            _ => Err("write zylisp, or board:ADDRESS such as board:/dev/ttyACM0".into()),
        }
    }
}
