//! Reports the outcome of each copied file.

use serde_json::json;

use crate::{
    files::fs::{Common, Failure},
    terminal::print,
};

/// Prints a line for each file, for programs and with `--verbose`; people see its bar.
pub(crate) fn tell(common: &Common, from: &str, to: &str, bytes: u64) -> Result<(), Failure> {
    common.say(format_args!("{from} to {to}, {bytes} bytes"));
    if common.json {
        let line = json!({ "from": from, "to": to, "bytes": bytes });
        print(format!("{line}\n"))?;
    }
    Ok(())
}
