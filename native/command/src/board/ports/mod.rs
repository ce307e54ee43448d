//! `flylead ports`

pub(crate) mod lease;
mod name;
mod places;
pub(crate) mod uses;

use clap::{Args, Subcommand};
use flylead_native::link::{self, Port, names::Names};
use serde_json::{Value, json};

use crate::{
    Common, Exit, Failure,
    terminal::{self, print},
};
use uses::Uses;

/// List the serial ports of this computer, and give boards names
///
/// Ports on USB are assumed to be boards; --port auto chooses among them, and id:SERIALNUMBER or a name that you gave to a
/// board finds it wherever it is plugged in.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    #[command(subcommand)]
    action: Option<Action>,

    /// List the places of a labgrid lab, and who has acquired them
    #[arg(long)]
    labgrid: bool,

    /// Show who uses each board: tools that share it through `flylead serve`, and on Linux other programs that have its
    /// port open
    #[arg(long, conflicts_with = "labgrid")]
    users: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    Name(name::Name),
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        if let Some(Action::Name(cmd)) = self.action {
            return cmd.run(common);
        }
        if self.labgrid {
            return places::list(common).await;
        }
        let ports = link::ports()?;
        let names = Names::load()?;
        let uses = match self.users {
            true => Some(Uses::look(&ports).await),
            false => None,
        };
        let text = match (common.json, &uses) {
            (true, None) => {
                let ports = ports.iter().map(|port| as_json(port, &names));
                format!("{}\n", ports.collect::<Value>())
            }
            (true, Some(uses)) => format!("{}\n", uses.as_json(&ports, &names)),
            (false, None) => as_table(&ports, &names),
            (false, Some(uses)) => as_table(&ports, &names) + &uses.as_text(&ports),
        };
        print(text)?;
        let waiting = link::boot_loaders();
        for board in &waiting {
            common.note(format_args!("{board}"));
        }
        if ports.is_empty() && waiting.is_empty() {
            common.note("no serial port was found; does the board's cable carry data?");
        }
        Ok(Exit::Done)
    }
}

fn as_json(port: &Port, names: &Names) -> Value {
    let usb = port.usb.as_ref().map(|usb| {
        json!({
            "vendor": format!("{:04x}", usb.vendor),
            "product": format!("{:04x}", usb.product),
            "id": usb.serial_number,
            "manufacturer": usb.manufacturer,
            "name": usb.name,
        })
    });
    json!({ "port": port.path, "usb": usb, "names": names.of(port).collect::<Vec<_>>() })
}

/// Returns a table, with columns as wide as necessary.
pub(crate) fn as_table(ports: &[Port], names: &Names) -> String {
    let rows: Vec<_> = ports.iter().map(|port| row(port, names)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths = [0, 1, 2, 3].map(|column| width(column).unwrap_or(0));
    let line = |row: &[String; 5]| {
        let columns = row.iter().zip(widths.into_iter().chain([0]));
        // An empty column is left out.
        let columns = columns.filter(|(text, width)| *width > 0 || !text.is_empty());
        let columns: Vec<_> = columns
            .map(|(text, width)| format!("{text:width$}"))
            .collect();
        format!("{}\n", columns.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn row(port: &Port, names: &Names) -> [String; 5] {
    let path = port.path.clone();
    let given = names.of(port).collect::<Vec<_>>().join(",");
    let Some(usb) = &port.usb else {
        return [path, given, String::new(), String::new(), String::new()];
    };
    let device = [&usb.manufacturer, &usb.name];
    let device: Vec<_> = device.into_iter().flatten().map(String::as_str).collect();
    [
        path,
        given,
        format!("{:04x}:{:04x}", usb.vendor, usb.product),
        port.id()
            .map(|id| format!("id:{}", terminal::name(id)))
            .unwrap_or_default(),
        terminal::name(&device.join(" ")).into_owned(),
    ]
}
