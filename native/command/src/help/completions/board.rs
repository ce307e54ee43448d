//! `flylead board-paths`, which the shells' completion scripts call.

use std::time::Duration;

use clap::Args;
use flylead_core::raw_repl::Config;
use flylead_native::{
    Board,
    link::{self, Address, names::Names},
    literal::Literal,
};
use tokio::time::timeout;

use super::typed::{path, port, words};
use crate::{Common, Exit, Failure, terminal::print_line};

/// Print the paths of the board that complete the last word of a line, or the boards behind --port
///
/// A path begins with a colon. For other words this fails.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Cmd {
    /// The command line as far as it is typed
    line: String,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let mut words = words(&self.line);
        let last = words.pop().unwrap_or_default();
        if matches!(words.last().map(String::as_str), Some("-p" | "--port")) {
            for name in boards(&last) {
                print_line(name)?;
            }
            return Ok(Exit::Done);
        }
        let Some(typed) = last.strip_prefix(':') else {
            return Ok(Exit::Usage);
        };
        let Some(port) = port(words) else {
            return Ok(Exit::Done);
        };
        let address = match port {
            Some(port) => port.parse().ok(),
            None => Some(common.port.clone()),
        };
        let Some(address) = address else {
            return Ok(Exit::Done);
        };
        // The person who pressed Tab waits for this.
        let found = timeout(MOMENT, found(&address, typed)).await;
        for path in found.ok().flatten().unwrap_or_default() {
            print_line(format_args!(":{path}"))?;
        }
        Ok(Exit::Done)
    }
}

/// Returns the names of boards and the serial ports that begin with the typed text.
fn boards(typed: &str) -> Vec<String> {
    let names = Names::load().unwrap_or_default();
    let names = names.iter().map(|(name, _)| name.to_owned());
    let ports = link::ports().unwrap_or_default();
    let all = names.chain(ports.into_iter().map(|port| port.path));
    all.filter(|name| name.starts_with(typed)).collect()
}

/// Returns the matching paths of a board that a hub owns and that is idle.
async fn found(address: &Address, typed: &str) -> Option<Vec<String>> {
    let link = link::open_idle(address, "flylead's completion").await?;
    let mut board = Board::attach(link, Config::default(), None);
    let (folder, beginning) = path(typed);
    let said = board.eval_own(&entries(folder, beginning)).await;
    // If the board cannot be left properly, its owner brings it to its prompt.
    let _ = board.release().await;
    let entries = Literal::parse(&said.ok()?);
    let entries = entries.items().iter();
    let entries = entries.filter_map(|entry| entry.as_text());
    // A completion has to fit on one line.
    let plain = entries.filter(|entry| !entry.chars().any(char::is_control));
    let head = &typed[..typed.len() - beginning.len()];
    Some(plain.map(|entry| format!("{head}{entry}")).collect())
}

/// Returns the expression for a folder's entries with this beginning, where folders end with a slash. Boards without
/// folders list names alone.
fn entries(folder: &str, beginning: &str) -> String {
    let (folder, beginning) = (text(folder), text(beginning));
    format!(
        "(lambda o,p,b:[n+'/'*(k==16384) for n,k in sorted((e[0],e[1]) for e in (o.ilistdir(*p) if hasattr(o,'ilistdir') else [(n,0) for n in o.listdir()])) if n.startswith(b)][:{MOST}])(__import__('os'),[p for p in [{folder}] if p],{beginning})"
    )
}

/// Returns a text as a Python expression, whatever it contains.
fn text(text: &str) -> String {
    format!("str(bytes({:?}),'utf8')", text.as_bytes())
}

/// Time limit of the whole completion.
const MOMENT: Duration = Duration::from_millis(300);
/// Limit of listed entries.
const MOST: usize = 200;
