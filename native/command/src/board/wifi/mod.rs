//! `flylead wifi`

mod start;

use std::{
    env,
    io::{self, IsTerminal as _},
};

use clap::Args;
use flylead_core::{
    board::{self, Request},
    raw_repl::own,
};
use flylead_native::{Board, BoardError};
use serde_json::json;

use crate::{
    Common, Exit, Failure,
    files::fs::{at, in_thread},
    terminal::{print, print_line, visible_line},
};
use start::{with_lines, without_lines};

/// Connect the board to a Wi-Fi network, now and whenever it starts
///
/// Without a name, the networks in reach are listed. The command asks for the password, or takes it from
/// FLYLEAD_WIFI_PASSWORD, and never shows it; leave it empty for an open network. A board that has connected keeps name
/// and password in wifi_cfg.py, and its boot.py connects it at every start. Anyone who has the board can read them
/// there.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead wifi                      the networks in reach
  flylead wifi 'My network'
  flylead wifi 'My network' --webrepl
  flylead wifi --forget")]
pub(crate) struct Cmd {
    /// Name of the network
    ssid: Option<String>,
    /// Enable WebREPL, with a password from a prompt or from FLYLEAD_WEBREPL_PASSWORD
    #[arg(long, requires = "ssid")]
    webrepl: bool,
    /// Connect now, and keep nothing on the board
    #[arg(long, requires = "ssid", conflicts_with = "webrepl")]
    once: bool,
    /// Remove name and password from the board
    #[arg(long, conflicts_with = "ssid")]
    forget: bool,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let Some(ssid) = &self.ssid else {
            return match self.forget {
                true => {
                    common
                        .with_board(async |board| forget(board, common).await)
                        .await
                }
                false => {
                    common
                        .with_board(async |board| list(board, common).await)
                        .await
                }
            };
        };
        // A person types before the board is taken.
        let password = secret(
            "FLYLEAD_WIFI_PASSWORD",
            &format!("Password of {}", visible_line(ssid)),
        )
        .await?;
        let webrepl = match self.webrepl {
            true => Some(webrepl_password().await?),
            false => None,
        };
        let work = async |board: &mut Board| {
            let address = connect(board, ssid, &password).await?;
            if !self.once {
                keep(board, ssid, &password, webrepl.as_deref()).await?;
            }
            self.report(common, ssid, &address)?;
            Ok(Exit::Done)
        };
        common.with_board(work).await
    }

    fn report(&self, common: &Common, ssid: &str, address: &str) -> Result<(), Failure> {
        let webrepl = self.webrepl.then(|| format!("ws://{address}:8266"));
        if common.json {
            let report =
                json!({ "ssid": ssid, "address": address, "kept": !self.once, "webrepl": webrepl });
            return Ok(print_line(report)?);
        }
        let kept = match self.once {
            true => "",
            false => "; it connects again whenever it starts",
        };
        print_line(format!(
            "connected to {}: {address}{kept}",
            visible_line(ssid)
        ))?;
        if let Some(webrepl) = webrepl {
            common.say(format_args!(
                "After `flylead reset --hard` the board is also at `flylead -p {webrepl}`."
            ));
        }
        Ok(())
    }
}

/// Takes a secret from the environment, or asks for it without showing it.
async fn secret(variable: &'static str, name: &str) -> Result<String, Failure> {
    if let Ok(value) = env::var(variable) {
        return Ok(value);
    }
    if !io::stdin().is_terminal() {
        let message = format!(
            "there is no terminal to ask for the password on; set {variable} to the password"
        );
        return Err(Failure::new(Exit::Usage, message));
    }
    let prompt = format!("{name}: ");
    let asked = in_thread(move || rpassword::prompt_password(prompt));
    Ok(asked.await?)
}

/// Asks for the password of WebREPL, whose server takes four to nine characters (micropython-lib, `webrepl_setup.py`).
async fn webrepl_password() -> Result<String, Failure> {
    let password = secret(
        "FLYLEAD_WEBREPL_PASSWORD",
        "Password for WebREPL, of 4 to 9 characters",
    )
    .await?;
    match password.len() {
        4..=9 => Ok(password),
        _ => {
            let message = "WebREPL takes passwords of 4 to 9 characters; nothing was changed";
            Err(Failure::new(Exit::Usage, message))
        }
    }
}

async fn list(board: &mut Board, common: &Common) -> Result<Exit, Failure> {
    let said = ask(board, SCAN.to_owned()).await?;
    let mut networks: Vec<_> = said.lines().filter_map(Network::read).collect();
    networks.sort_by_key(|network| -network.signal);
    if common.json {
        let all: Vec<_> = networks.iter().map(Network::to_json).collect();
        print_line(json!(all))?;
        return Ok(Exit::Done);
    }
    if networks.is_empty() {
        common.note("the board found no network; most boards support only 2.4 GHz");
    }
    for network in networks {
        let Network { name, signal, .. } = &network;
        let open = if network.is_open { "  open" } else { "" };
        print(format!("{signal:>4} dBm  {}{open}\n", visible_line(name)))?;
    }
    Ok(Exit::Done)
}

/// Network in range.
struct Network {
    name: String,
    /// Strength of its signal, in dBm.
    signal: i64,
    is_open: bool,
}

impl Network {
    /// Reads a line: the signal, the kind of security, and the name in hexadecimal digits, as it may contain any bytes.
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let signal = words.next()?.parse().ok()?;
        let is_open = words.next()? == "0";
        let name = words.next().unwrap_or_default().as_bytes().chunks(2);
        let bytes: Option<Vec<u8>> = name
            .map(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok())
            .collect();
        Some(Self {
            name: String::from_utf8_lossy(&bytes?).into_owned(),
            signal,
            is_open,
        })
    }

    fn to_json(&self) -> serde_json::Value {
        json!({ "ssid": self.name, "signal_dbm": self.signal, "open": self.is_open })
    }
}

/// Connects the board, and returns its address in the network.
async fn connect(board: &mut Board, ssid: &str, password: &str) -> Result<String, Failure> {
    let password = match password {
        "" => "None".to_owned(),
        password => literal(password),
    };
    let words = format!(
        "SSID={}\nPASSWORD={password}\nSECONDS={SECONDS}\n",
        literal(ssid)
    );
    let said = ask(board, words + CONNECT).await?;
    let mut words = said.split_whitespace();
    let [is_connected, address, status] = [(); 3].map(|()| words.next().unwrap_or_default());
    if is_connected == "1" {
        return Ok(address.to_owned());
    }
    let why = match status {
        "STAT_WRONG_PASSWORD" => "the password is wrong".to_owned(),
        "STAT_NO_AP_FOUND" => {
            "no network with this name is in range; `flylead wifi` lists those that are".to_owned()
        }
        status => format!(
            "it did not connect within {SECONDS} s (status {}); check the name, the password and that the network uses 2.4 GHz",
            visible_line(status)
        ),
    };
    Err(refused(format!(
        "{}: {why}. Nothing was kept on the board",
        visible_line(ssid)
    )))
}

/// Stores name and password on the board, and makes `boot.py` use them.
async fn keep(
    board: &mut Board,
    ssid: &str,
    password: &str,
    webrepl: Option<&str>,
) -> Result<(), Failure> {
    let password = match password {
        "" => "None".to_owned(),
        password => literal(password),
    };
    let settings = format!("SSID = {}\nPASSWORD = {password}\n", literal(ssid));
    write(board, SETTINGS, settings).await?;
    if let Some(password) = webrepl {
        write(
            board,
            WEBREPL_SETTINGS,
            format!("PASS = {}\n", literal(password)),
        )
        .await?;
    }
    let boot = read(board, BOOT).await?.unwrap_or_default();
    let has_webrepl = webrepl.is_some() || boot.contains("webrepl.start()");
    let now = with_lines(
        &boot,
        has_webrepl && !without_lines(&boot).contains("webrepl.start()"),
    );
    write(board, BOOT, now).await
}

async fn forget(board: &mut Board, common: &Common) -> Result<Exit, Failure> {
    let boot = read(board, BOOT).await?;
    let settings = read(board, SETTINGS).await?;
    if let Some(boot) = &boot {
        let now = without_lines(boot);
        if now != *boot {
            write(board, BOOT, now).await?;
        }
    }
    match settings {
        None => common.note("no network was kept on the board"),
        Some(_) => {
            let path = SETTINGS.to_owned();
            let removed = board.request(Request::Remove { path }, |_| ()).await;
            removed.map_err(at(SETTINGS))?;
            common.note("the network is no longer stored on the board, which stays connected until it is reset");
        }
    }
    Ok(Exit::Done)
}

/// Runs a program that prints one line, and reports a board without a radio as such.
async fn ask(board: &mut Board, program: String) -> Result<String, Failure> {
    match board.exec(own(&program)).await {
        Ok(said) => Ok(String::from_utf8_lossy(&said).trim().to_owned()),
        Err(BoardError::Raised(traceback)) if traceback.is_missing() => Err(refused(
            "this board has no Wi-Fi, or a firmware without it".to_owned(),
        )),
        Err(error) => Err(error.into()),
    }
}

async fn read(board: &mut Board, path: &str) -> Result<Option<String>, Failure> {
    match board.read(path, |_| ()).await {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| {
            refused(format!(
                "{path} on the board is not text in UTF-8, so nothing was changed in it"
            ))
        }),
        Err(BoardError::File(board::Error::NotFound)) => Ok(None),
        Err(error) => Err(at(path)(error)),
    }
}

async fn write(board: &mut Board, path: &str, text: String) -> Result<(), Failure> {
    board.write(path, text, |_| ()).await.map_err(at(path))?;
    Ok(())
}

fn refused(message: String) -> Failure {
    Failure::new(Exit::Refused, message)
}

/// Returns text as a Python literal; JSON texts are valid Python.
fn literal(text: &str) -> String {
    json!(text).to_string()
}

const CONNECT: &str = include_str!("connect.py");
const SCAN: &str = include_str!("scan.py");
/// Time limit for a connection, in seconds: a slow network takes ten.
const SECONDS: u32 = 20;
const BOOT: &str = "boot.py";
/// File of our settings; those of WebREPL are in `webrepl_cfg.py`.
const SETTINGS: &str = "wifi_cfg.py";
const WEBREPL_SETTINGS: &str = "webrepl_cfg.py";
