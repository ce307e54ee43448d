//! `flylead mcp`

use std::{
    net::SocketAddr,
    path::{Path, PathBuf, absolute},
    time::Duration,
};

use clap::Args;
use flylead_native::{
    link::{self, Address},
    state,
};
use rmcp::{ServiceExt as _, transport::stdio};
use tokio::net::TcpListener;

use super::{
    names::ToolNames,
    ports::allowed::AllowedPorts,
    server::{Server, http::serve_http, settings::Settings},
};
use crate::{
    common::Common,
    exit::{Exit, Failure},
    serve::{
        page::Names,
        reachable,
        token::{check_token, new_token},
    },
    terminal::{interrupts::Interrupts, print_line, shutdown::Shutdown},
};

/// Offer ports and boards to an assistant, over the Model Context Protocol
///
/// The server speaks on stdin and stdout, for a client that starts it; with --http, it listens on this computer
/// instead. --port allows one more serial port; --baud and --timeout are the defaults for calls.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  claude mcp add flylead -- flylead mcp
  flylead mcp --http                      prints its address, and the token that clients send
  flylead mcp --http 0.0.0.0:8124 --allow-remote --host lab.example

Configuration for clients with a settings file:
  { \"mcpServers\": { \"flylead\": { \"command\": \"flylead\", \"args\": [\"mcp\"] } } }")]
pub(crate) struct Cmd {
    /// Listen for streamable HTTP here, at /mcp [default address: 127.0.0.1:8124]
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:8124")]
    http: Option<SocketAddr>,

    /// Token that HTTP clients must send [default: a new one, which is printed]
    #[arg(
        long,
        env = "FLYLEAD_MCP_TOKEN",
        hide_env_values = true,
        requires = "http"
    )]
    token: Option<String>,

    /// Allow --http to listen beyond this computer; clients use its IP addresses, or a name given with --host
    #[arg(long, requires = "http")]
    allow_remote: bool,

    /// Name of this computer in the network, besides its addresses
    #[arg(long, value_name = "NAME", requires = "allow_remote")]
    host: Vec<String>,

    /// Ports that may be opened besides those that the system lists, such as "/dev/rfcomm*" or rfc2217://HOST:PORT; the
    /// terminal of a session on this computer is never opened
    #[arg(long, value_name = "PATTERN")]
    allow_port: Vec<String>,

    /// Spelling of the tools' names; Claude Desktop, Copilot CLI and Codex require underscores
    #[arg(long, value_enum, default_value = "dots")]
    tool_names: ToolNames,

    /// Folder of all runs [default: flylead/artifacts in the user's data folder]
    #[arg(long, value_name = "FOLDER")]
    artifacts: Option<PathBuf>,

    /// Folder whose files may be copied to boards [default: none]
    #[arg(long, value_name = "FOLDER")]
    files: Option<PathBuf>,

    /// Run and erase things on boards without having the client ask the person
    #[arg(long)]
    no_confirm: bool,

    /// Close a port after this time without use, unless its device is recording
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    idle_close: u32,

    /// Accept any baud rate
    #[arg(long)]
    any_baud: bool,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        if let Some(token) = &self.token {
            check_token(token)?;
        }
        let server = Server::new(self.settings(common)?, self.tool_names);
        let done = match self.http {
            Some(address) => self.listen(&server, address, common).await,
            None => speak(&server).await,
        };
        server.close().await;
        done
    }

    fn settings(&self, common: &Common) -> Result<Settings, Failure> {
        let mut allowed = self.allow_port.clone();
        allowed.extend(port(&common.port)?);
        Ok(Settings {
            artifacts: self.artifacts()?,
            files: self.files.as_deref().map(existing).transpose()?,
            allowed: AllowedPorts::new(&allowed)
                .map_err(|error| Failure::new(Exit::Usage, error))?,
            idle_close: Duration::from_secs(self.idle_close.into()),
            any_baud: self.any_baud,
            baud: common.fixed_baud()?.unwrap_or(Address::DEFAULT_BAUD),
            timeout: common.timeout,
            trace: common.trace()?,
            confirm: !self.no_confirm,
        })
    }

    /// Returns the folder of all runs. Clients start servers in any folder, `/` included, so a path must not depend on
    /// it.
    fn artifacts(&self) -> Result<PathBuf, Failure> {
        match &self.artifacts {
            Some(folder) => Ok(absolute(folder)?),
            None => match state::data_folder() {
                Some(folder) => Ok(folder.join("flylead/artifacts")),
                None => {
                    let message = "this user has no data folder; name one with --artifacts FOLDER";
                    Err(Failure::new(Exit::Usage, message))
                }
            },
        }
    }

    async fn listen(
        &self,
        server: &Server,
        address: SocketAddr,
        common: &Common,
    ) -> Result<Exit, Failure> {
        if !address.ip().is_loopback() && !self.allow_remote {
            let message = format!(
                "{address} can be reached from other computers; --allow-remote allows that"
            );
            return Err(Failure::new(Exit::Usage, message));
        }
        let (mut interrupts, mut shutdown) = (Interrupts::new()?, Shutdown::new()?);
        let listener = TcpListener::bind(address).await?;
        let url = format!("http://{}/mcp", reachable(listener.local_addr()?));
        let token = self.token.clone().unwrap_or_else(new_token);
        match common.json {
            true => print_line(serde_json::json!({ "url": url, "token": token }))?,
            false if self.token.is_some() => print_line(format_args!("Flylead is at {url}"))?,
            false => print_line(format_args!(
                "Flylead is at {url}\nAuthorization: Bearer {token}"
            ))?,
        }
        let names = Names {
            any_address: self.allow_remote,
            more: self.host.clone(),
        };
        tokio::select! {
            served = serve_http(server.clone(), listener, token, names) => served?,
            () = interrupts.next() => {}
            () = shutdown.requested() => {}
        }
        Ok(Exit::Done)
    }
}

/// Returns the serial port that `--port` names, as a pattern.
fn port(address: &Address) -> Result<Option<String>, Failure> {
    match address {
        Address::Auto => Ok(None),
        Address::Named(_) => port(&link::find(address)?),
        Address::Serial { path, .. } => Ok(Some(globset::escape(path))),
        Address::Rfc2217 { host, .. } => Ok(Some(globset::escape(&format!("rfc2217://{host}")))),
        other => {
            let message = format!(
                "flylead mcp opens only serial ports and rfc2217:// addresses, not {other}; omit --port and unset FLYLEAD_PORT"
            );
            Err(Failure::new(Exit::Usage, message))
        }
    }
}

fn existing(folder: &Path) -> Result<PathBuf, Failure> {
    folder
        .canonicalize()
        .map_err(|error| Failure::new(Exit::Usage, format!("{}: {error}", folder.display())))
}

/// Serves a client until it disconnects, or a signal asks this process to end.
async fn speak(server: &Server) -> Result<Exit, Failure> {
    let lost = |error: &dyn std::error::Error| Failure::new(Exit::Lost, error.to_string());
    let (mut interrupts, mut shutdown) = (Interrupts::new()?, Shutdown::new()?);
    let service = server.clone().serve(stdio()).await;
    let service = service.map_err(|error| lost(&error))?;
    tokio::select! {
        ended = service.waiting() => drop(ended.map_err(|error| lost(&error))?),
        () = interrupts.next() => {}
        () = shutdown.requested() => {}
    }
    Ok(Exit::Done)
}
