//! Resolves the boards of a command.

use std::{collections::HashSet, path::Path};

use flylead_native::{
    disk,
    labgrid::{self, Place},
    link::{self, Address, Port},
};

use super::slug::slug;
use crate::{
    Exit, Failure,
    board::each::pattern::{Pattern, is_pattern},
};

/// A selected board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Board {
    /// Address as written, which may contain a password.
    pub(super) address: String,
    /// Name shown to people if the board has none.
    pub(super) name: String,
    /// Value of `{}`: different for each board.
    pub(super) slug: String,
}

/// Returns the boards that the selectors name, each once, in order.
pub(super) async fn select(selectors: &[String]) -> Result<Vec<Board>, Failure> {
    let mut chosen = Chosen::default();
    for selector in selectors {
        match selector.strip_prefix('@') {
            Some(file) => chosen.listed(file).await?,
            None => chosen.add(selector).await?,
        }
    }
    Ok(chosen.boards)
}

#[derive(Default)]
struct Chosen {
    boards: Vec<Board>,
    /// Places of the boards, if known.
    places: HashSet<String>,
    slugs: HashSet<String>,
    /// Ports of this computer, once they have been queried.
    ports: Option<Vec<Port>>,
}

impl Chosen {
    async fn listed(&mut self, file: &str) -> Result<(), Failure> {
        let text = disk::read_text(Path::new(file), LONGEST_LIST)
            .map_err(|error| usage(format!("{file}: {error}")))?;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                self.add(line)
                    .await
                    .map_err(|error| error.adding(format!("line {} of {file}", number + 1)))?;
            }
        }
        Ok(())
    }

    async fn add(&mut self, selector: &str) -> Result<(), Failure> {
        let tags = selector.strip_prefix("labgrid:");
        if let Some(tags) = tags.filter(|tags| tags.contains('=')) {
            return self.marked(tags).await;
        }
        if selector != "all" && !is_pattern(selector) {
            let address: Address = selector.parse()?;
            // An unknown board is reported before anything runs anywhere.
            link::resolve(&address)?;
            self.push(selector, &address);
            return Ok(());
        }
        let pattern = Pattern::of(selector)?;
        let named = pattern.names()?;
        for name in &named {
            self.push(name, &Address::Named(name.clone()));
        }
        let ports = match self.ports.take() {
            Some(ports) => ports,
            None => link::ports()?,
        };
        let found: Vec<_> = ports.iter().filter(|port| pattern.is_of(port)).collect();
        if found.is_empty() && named.is_empty() {
            let what = match pattern {
                Pattern::All => "there is no board on USB",
                Pattern::Glob(_) => "no port or board matches this pattern",
            };
            let message =
                format!("{selector}: {what}; `flylead ports` lists the available serial ports");
            return Err(Failure::new(Exit::NoLink, message));
        }
        for port in found {
            let baud = None;
            let path = port.path.clone();
            self.push(&port.path, &Address::Serial { path, baud });
        }
        self.ports = Some(ports);
        Ok(())
    }

    /// Adds the places of the lab that have all of these tags, such as `room=a,board=pico`.
    async fn marked(&mut self, tags: &str) -> Result<(), Failure> {
        let wanted: Vec<_> = tags.split(',').map(|tag| tag.split_once('=')).collect();
        let has_it = |place: &Place, tag: &Option<(&str, &str)>| {
            tag.is_some_and(|(key, value)| place.tags.get(key).is_some_and(|own| own == value))
        };
        let places = labgrid::places().await?;
        let has_all = |place: &&Place| wanted.iter().all(|tag| has_it(place, tag));
        let mut is_any = false;
        for place in places.iter().filter(has_all) {
            is_any = true;
            let address = Address::Labgrid(place.name.clone());
            self.push(&address.to_string(), &address);
        }
        match is_any {
            true => Ok(()),
            false => Err(Failure::new(
                Exit::NoLink,
                format!(
                    "labgrid:{tags}: no place has these tags; `flylead ports --labgrid` lists the places"
                ),
            )),
        }
    }

    fn push(&mut self, written: &str, address: &Address) {
        let name = address.to_string();
        // The same board may have been selected by another of its names.
        let place = link::find(address).map_or_else(|_| name.clone(), |place| place.to_string());
        if !self.places.insert(place) {
            return;
        }
        let plain = slug(&name);
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let slug = std::iter::once(plain.clone())
            .chain(numbered)
            .find(|slug| !self.slugs.contains(slug));
        let slug = slug.unwrap_or(plain);
        self.slugs.insert(slug.clone());
        self.boards.push(Board {
            address: written.to_owned(),
            name,
            slug,
        });
    }
}

fn usage(message: String) -> Failure {
    Failure::new(Exit::Usage, message)
}

/// Limit in bytes: about ten thousand addresses.
const LONGEST_LIST: u64 = 1 << 20;
