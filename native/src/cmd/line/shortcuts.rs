//! The person's own shortcuts: `[shortcuts]` in `config.toml`, in the folder `flylead` of their settings.

use std::{collections::BTreeMap, io};

use flylead::{disk, state};
use serde::Deserialize;

use crate::cmd::{Exit, Failure, syntax};

/// What each shortcut stands for; read when the first is asked for, so that nothing else depends on the file.
#[derive(Default)]
pub(super) struct Shortcuts(Option<BTreeMap<String, Vec<String>>>);

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    shortcuts: BTreeMap<String, Meaning>,
}

/// One text, whose words are taken apart as a shell would, or the words.
#[derive(Deserialize)]
#[serde(untagged)]
enum Meaning {
    Text(String),
    Words(Vec<String>),
}

impl Shortcuts {
    /// The words that a shortcut stands for, if it is one.
    pub(super) fn get(&mut self, name: &str) -> Result<Option<Vec<String>>, Failure> {
        let known = match self.0.take() {
            Some(known) => known,
            None => load()?,
        };
        let meant = known.get(name).cloned();
        self.0 = Some(known);
        Ok(meant)
    }
}

fn load() -> Result<BTreeMap<String, Vec<String>>, Failure> {
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
    let all = all.map(|(name, meaning)| Ok((name.clone(), meaning.words(&name)?)));
    all.collect::<Result<_, _>>().map_err(wrong)
}

impl Meaning {
    fn words(self, name: &str) -> Result<Vec<String>, String> {
        if syntax::is_command(name) || name.starts_with('-') || name == "+" {
            return Err(format!(
                "`{name}` means something already, and can be no shortcut"
            ));
        }
        let words = match self {
            Self::Words(words) => Some(words),
            Self::Text(text) => shlex::split(&text),
        };
        match words {
            Some(words) if !words.is_empty() => Ok(words),
            Some(_) => Err(format!("the shortcut {name} stands for nothing")),
            None => Err(format!("the shortcut {name} has a quote that does not end")),
        }
    }
}

/// In bytes.
const LONGEST: u64 = 1 << 20;
