//! The person's own shortcuts: `[shortcuts]` in `config.toml`, in the folder `flylead` of their settings.

use std::{collections::BTreeMap, ffi::OsString, io};

use flylead_native::{disk, state};
use serde::Deserialize;

use crate::{Exit, Failure, help::syntax};

/// Meanings of the shortcuts, read at their first use, so that nothing else depends on the file.
#[derive(Default)]
pub(super) struct Shortcuts(Option<BTreeMap<String, Shortcut>>);

/// A shortcut, such as `"double x=4" = "eval x*2"`.
#[derive(Clone)]
pub(super) struct Shortcut {
    name: String,
    /// Arguments with their defaults. The board gets them as variables.
    arguments: Vec<(String, Option<String>)>,
    words: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    shortcuts: BTreeMap<String, Meaning>,
}

/// One text, which is split into words as in a shell, or the words themselves.
#[derive(Deserialize)]
#[serde(untagged)]
enum Meaning {
    Text(String),
    Words(Vec<String>),
}

impl Shortcuts {
    /// Returns the meaning of a shortcut, if the word is one.
    pub(super) fn get(&mut self, name: &str) -> Result<Option<Shortcut>, Failure> {
        let known = match self.0.take() {
            Some(known) => known,
            None => load()?,
        };
        let meant = known.get(name).cloned();
        self.0 = Some(known);
        Ok(meant)
    }
}

fn load() -> Result<BTreeMap<String, Shortcut>, Failure> {
    let Some(folder) = state::config_folder() else {
        return Ok(BTreeMap::new());
    };
    let file = folder.join("flylead").join("config.toml");
    let wrong = |why: String| Failure::new(Exit::Usage, format!("{}: {why}", file.display()));
    let text = match disk::read_text(&file, LONGEST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        read => read.map_err(|error| wrong(error.to_string()))?,
    };
    let settings: Settings = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let all = settings.shortcuts.into_iter();
    let all = all.map(|(key, meaning)| {
        let mut words = key.split_whitespace();
        let name = words.next().unwrap_or_default().to_owned();
        let arguments = words.map(|word| match word.split_once('=') {
            Some((argument, value)) => (argument.to_owned(), Some(value.to_owned())),
            None => (word.to_owned(), None),
        });
        let shortcut = Shortcut {
            arguments: arguments.collect(),
            words: meaning.words(&name)?,
            name: name.clone(),
        };
        Ok((name, shortcut))
    });
    all.collect::<Result<_, _>>().map_err(wrong)
}

impl Shortcut {
    /// Returns the words of the shortcut, with arguments taken from the words behind it: `double 5`, `double x=5`.
    pub(super) fn with(self, behind: &mut Vec<OsString>) -> Result<Vec<String>, Failure> {
        let mut set = Vec::new();
        for (name, default) in &self.arguments {
            let given = behind.first().and_then(|word| word.to_str());
            let value = given.and_then(|word| match word.split_once('=') {
                Some((named, value)) => (named == name).then_some(value),
                None => Some(word),
            });
            let value = match (value.map(ToOwned::to_owned), default) {
                (Some(value), _) => {
                    behind.remove(0);
                    value
                }
                (None, Some(default)) => default.clone(),
                (None, None) => {
                    let message = format!("{} needs a value for {name}", self.name);
                    return Err(Failure::new(Exit::Usage, message));
                }
            };
            set.push(format!("{name}={value}"));
        }
        Ok(match set.is_empty() {
            true => self.words,
            false => {
                let set = ["exec".to_owned(), set.join(";"), "+".to_owned()];
                set.into_iter().chain(self.words).collect()
            }
        })
    }
}

impl Meaning {
    fn words(self, name: &str) -> Result<Vec<String>, String> {
        if syntax::is_command(name) || name.starts_with('-') || name == "+" {
            return Err(format!(
                "`{name}` already has a meaning, and cannot be a shortcut"
            ));
        }
        let words = match self {
            Self::Words(words) => Some(words),
            Self::Text(text) => shlex::split(&text),
        };
        match words {
            Some(words) if !words.is_empty() => Ok(words),
            Some(_) => Err(format!("the shortcut {name} is empty")),
            None => Err(format!("the shortcut {name} has an unclosed quote")),
        }
    }
}

/// Limit of the file, in bytes.
const LONGEST: u64 = 1 << 20;
