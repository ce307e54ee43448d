//! Spelling of the tools' names.

use serde_json::Value;

/// Spelling of tools in the list, and in every text that names them. Calls may use both forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ToolNames {
    /// `serial.write`
    Dots,
    /// `serial_write`, for clients that refuse dots
    Underscore,
}

impl ToolNames {
    /// Returns one of our texts with the tools' names in this form.
    pub(super) fn spell(self, text: &str) -> String {
        match self {
            Self::Dots => text.to_owned(),
            Self::Underscore => DOTTED.iter().fold(text.to_owned(), |text, name| {
                text.replace(name, &underscored(name))
            }),
        }
    }

    /// Spells the names in every text below one of these keys, which hold our texts and no data of
    /// a device.
    pub(super) fn spell_below(self, value: &mut Value, keys: &[&str]) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    match keys.contains(&key.as_str()) {
                        true => self.spell_all(value),
                        false => self.spell_below(value, keys),
                    }
                }
            }
            Value::Array(values) => {
                values
                    .iter_mut()
                    .for_each(|value| self.spell_below(value, keys));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn spell_all(self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.spell(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.spell_all(value)),
            Value::Object(object) => object.values_mut().for_each(|value| self.spell_all(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Returns a name in the form used for comparing names.
pub(super) fn underscored(name: &str) -> String {
    name.replace('.', "_")
}

/// Name of the tool that clients call to continue.
pub(super) const NEXT: &str = "monitor_read_next";

/// Names that have two spellings.
pub(super) const DOTTED: [&str; 15] = [
    "serial.list_ports",
    "serial.write",
    "serial.wait_for",
    "serial.request_export",
    "serial.status",
    "serial.cancel",
    "board.exec",
    "board.reset",
    "board.list_files",
    "board.read_file",
    "board.write_file",
    "board.mkdir",
    "board.remove",
    "board.sync",
    "board.install",
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_name_the_tools_as_they_are_called_and_nothing_else_is_touched() {
        let spell = |text| ToolNames::Underscore.spell(text);
        assert_eq!(spell("call serial.write again"), "call serial_write again");
        assert_eq!(spell("the board. Then"), "the board. Then");
        let mut answer = json!({
            "error": { "message": "board.exec runs" },
            "lines": ["serial.write"],
        });
        ToolNames::Underscore.spell_below(&mut answer, &["error"]);
        assert_eq!(answer["error"]["message"], "board_exec runs");
        assert_eq!(answer["lines"], json!(["serial.write"]));
    }
}
