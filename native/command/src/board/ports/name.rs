//! `flylead ports name`

use clap::Args;
use flylead_native::link::{
    self, Address,
    names::{Names, NamesError},
};
use serde_json::{Value, json};

use crate::{
    Common, Exit, Failure,
    terminal::{self, print},
};

/// Name a board, list the names, or remove one
///
/// The name of a board on USB that has a serial number stands for that number, and so finds the board wherever it is plugged in; for any
/// other board, it stands for the address. Every option that takes an address accepts the name. Names are saved for
/// this user, without passwords.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead ports name /dev/ttyACM0 bench    and then: flylead --port bench repl
  flylead ports name ws://192.168.4.1:8266 greenhouse
  flylead ports name                       lists the names
  flylead ports name --remove bench")]
pub(super) struct Name {
    /// Board to name: an address as --port takes it, such as /dev/ttyACM0 or auto
    #[arg(requires = "name", value_name = "DEVICE")]
    device: Option<Address>,

    /// Name for the board: letters, digits, -, _ and .
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Remove this name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["device", "name"])]
    remove: Option<String>,
}

impl Name {
    pub(super) fn run(self, common: &Common) -> Result<Exit, Failure> {
        match (self.device, self.name, self.remove) {
            (Some(device), Some(name), _) => keep(&device, &name, common),
            (_, _, Some(name)) => remove(&name, common),
            _ => list(common),
        }
    }
}

fn keep(device: &Address, name: &str, common: &Common) -> Result<Exit, Failure> {
    link::check_is_no_port(name)?;
    let has_password = matches!(
        device,
        Address::WebSocket {
            password: Some(_),
            ..
        }
    );
    let address = link::lasting(device)?;
    Names::keep(name, &address)?;
    show(name, &address, common)?;
    if has_password {
        common.note("the password is not saved; set FLYLEAD_WEBREPL_PASSWORD to it");
    }
    if let Address::Serial { path, .. } = &address {
        common.note(format_args!(
            "{path} has no unique serial number, so the name means any device plugged in there"
        ));
    }
    Ok(Exit::Done)
}

fn remove(name: &str, common: &Common) -> Result<Exit, Failure> {
    match Names::remove(name)? {
        Some(address) => {
            common.say(format_args!("{name} was {address}"));
            if common.json {
                print(format!("{}\n", json!({ "removed": name })))?;
            }
            Ok(Exit::Done)
        }
        None => {
            let message = format!("no board is named {name}; `flylead ports name` lists the names");
            Err(Failure::new(Exit::Usage, message))
        }
    }
}

fn list(common: &Common) -> Result<Exit, Failure> {
    let names = Names::load()?;
    if common.json {
        let all = names.iter().map(|(name, address)| as_json(name, address));
        print(format!("{}\n", all.collect::<Value>()))?;
        return Ok(Exit::Done);
    }
    let width = names.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    let line = |(name, address): (&str, &Address)| {
        let address = address.to_string();
        format!("{name:width$}  {}\n", terminal::name(&address))
    };
    print(names.iter().map(line).collect::<String>())?;
    if width == 0 {
        common.note("there are no names yet; `flylead ports name DEVICE NAME` adds one");
    }
    Ok(Exit::Done)
}

fn show(name: &str, address: &Address, common: &Common) -> Result<(), Failure> {
    if common.json {
        print(format!("{}\n", as_json(name, address)))?;
    } else {
        common.note(format_args!("{name} is {address}"));
    }
    Ok(())
}

fn as_json(name: &str, address: &Address) -> Value {
    json!({ "name": name, "address": address.to_string() })
}

impl From<NamesError> for Failure {
    fn from(error: NamesError) -> Self {
        Self::new(Exit::Usage, error)
    }
}
