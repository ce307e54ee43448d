//! `flylead mcp`

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::Args;
use rmcp::{ServiceExt as _, transport::stdio};
use tokio::net::TcpListener;

use super::{Common, Exit, Failure, interrupts::Interrupts, token::new_token};
use crate::mcp::{AllowedPorts, Server, Settings, ToolNames, serve_http};

/// Offer ports and boards to an assistant, over the Model Context Protocol
///
/// It speaks on stdin and stdout, for a client that starts it; with --http it listens on this computer instead.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  claude mcp add flylead -- flylead mcp
  flylead mcp --http                      prints its address, and the token that clients send

Clients that are set up by a file take this:
  { \"mcpServers\": { \"flylead\": { \"command\": \"flylead\", \"args\": [\"mcp\"] } } }")]
pub(crate) struct Cmd {
    /// Listen for streamable HTTP here, at /mcp [default address: 127.0.0.1:8124]
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:8124")]
    http: Option<SocketAddr>,

    /// The token that HTTP clients must send; a new one is made and printed when it is not given
    #[arg(
        long,
        env = "FLYLEAD_MCP_TOKEN",
        hide_env_values = true,
        requires = "http"
    )]
    token: Option<String>,

    /// Listen beyond this computer too, if --http says so
    #[arg(long, requires = "http")]
    allow_remote: bool,

    /// Ports that may be opened beyond those that the system lists, such as "/dev/pts/*"
    #[arg(long, value_name = "PATTERN")]
    allow_port: Vec<String>,

    /// How the tools are called; Claude Desktop, Copilot CLI and Codex want underscores
    #[arg(long, value_enum, default_value = "dots")]
    tool_names: ToolNames,

    /// The folder of all runs
    #[arg(long, value_name = "FOLDER", default_value = "artifacts")]
    artifacts: PathBuf,

    /// After how many seconds without use a port is closed
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    idle_close: u32,

    /// Take any speed
    #[arg(long)]
    any_baud: bool,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let allowed = AllowedPorts::new(&self.allow_port)
            .map_err(|error| Failure::new(Exit::Usage, error))?;
        let settings = Settings {
            artifacts: self.artifacts.clone(),
            allowed,
            idle_close: Duration::from_secs(self.idle_close.into()),
            any_baud: self.any_baud,
        };
        let server = Server::new(settings, self.tool_names);
        match self.http {
            Some(address) => self.listen(server, address, common).await,
            None => speak(server).await,
        }
    }

    async fn listen(
        self,
        server: Server,
        address: SocketAddr,
        common: &Common,
    ) -> Result<Exit, Failure> {
        if !address.ip().is_loopback() && !self.allow_remote {
            let message = format!(
                "{address} can be reached from other computers; --allow-remote allows that"
            );
            return Err(Failure::new(Exit::Usage, message));
        }
        let mut interrupts = Interrupts::new()?;
        let listener = TcpListener::bind(address).await?;
        let url = format!("http://{}/mcp", listener.local_addr()?);
        let given = self.token.is_some();
        let token = match self.token {
            Some(token) => token,
            None => new_token(),
        };
        match common.json {
            true => println!("{}", serde_json::json!({ "url": url, "token": token })),
            false if given => println!("Flylead is at {url}"),
            false => println!("Flylead is at {url}\nAuthorization: Bearer {token}"),
        }
        tokio::select! {
            served = serve_http(server, listener, token) => served?,
            () = interrupts.next() => {}
        }
        Ok(Exit::Done)
    }
}

/// Ends when the client does.
async fn speak(server: Server) -> Result<Exit, Failure> {
    let lost = |error: &dyn std::error::Error| Failure::new(Exit::Lost, error.to_string());
    let service = server.serve(stdio()).await.map_err(|error| lost(&error))?;
    service.waiting().await.map_err(|error| lost(&error))?;
    Ok(Exit::Done)
}
