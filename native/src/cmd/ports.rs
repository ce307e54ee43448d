//! `flylead ports`

use clap::Args;
use flylead::link::{self, Port};
use serde_json::{Value, json};

use super::{
    Common, Exit, Failure,
    terminal::{self, print},
};

/// List the serial ports of this computer
///
/// Those on USB are taken for boards; --port auto chooses among them, and id:SERIALNUMBER names one wherever it is
/// plugged in.
#[derive(Debug, Args)]
pub(crate) struct Cmd {}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let ports = link::ports()?;
        let text = match common.json {
            true => format!("{}\n", ports.iter().map(as_json).collect::<Value>()),
            false => as_table(&ports),
        };
        print(text)?;
        if ports.is_empty() {
            common.note("there is no serial port; is the board's cable one that carries data?");
        }
        Ok(Exit::Done)
    }
}

fn as_json(port: &Port) -> Value {
    let usb = port.usb.as_ref().map(|usb| {
        json!({
            "vendor": format!("{:04x}", usb.vendor),
            "product": format!("{:04x}", usb.product),
            "id": usb.serial_number,
            "manufacturer": usb.manufacturer,
            "name": usb.name,
        })
    });
    json!({ "port": port.path, "usb": usb })
}

/// Columns as wide as they have to be.
fn as_table(ports: &[Port]) -> String {
    let rows: Vec<_> = ports.iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    let line = |[port, usb, id, name]: &[String; 4]| {
        let [a, b, c] = widths;
        let line = format!("{port:a$}  {usb:b$}  {id:c$}  {name}");
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

fn row(port: &Port) -> [String; 4] {
    let Some(usb) = &port.usb else {
        return [
            port.path.clone(),
            String::new(),
            String::new(),
            String::new(),
        ];
    };
    let names = [&usb.manufacturer, &usb.name];
    let names: Vec<_> = names.into_iter().flatten().map(String::as_str).collect();
    [
        port.path.clone(),
        format!("{:04x}:{:04x}", usb.vendor, usb.product),
        port.id()
            .map(|id| format!("id:{}", terminal::name(id)))
            .unwrap_or_default(),
        terminal::name(&names.join(" ")).into_owned(),
    ]
}
