//! Firmware from a file of this computer, from the network, or from a list by a board's name.

use std::path::Path;

use flylead_native::{
    disk,
    flash::{Catalogue, FIRMWARE_LIMIT, Firmware, MAKERS, NotListed, Shelf, ShelfError},
    install::{Fetcher, Source},
};
use serde_json::json;

use super::{Cmd, Common, Exit, Failure};
use crate::{
    files::fs::{here, in_thread},
    terminal::print_line,
};

/// Reads the requested firmware, and checks that it is valid and has the expected SHA-256.
pub(super) async fn fetch(
    command: &Cmd,
    common: &Common,
    place: &str,
) -> Result<Firmware, Failure> {
    if !is_url(place) && !is_file(place) {
        return listed(command, common, place).await;
    }
    if command.version.is_some() {
        let message = "--version selects a version of a board's firmware, but this is a file";
        return Err(Failure::new(Exit::Usage, message));
    }
    let bytes = match is_url(place) {
        true => {
            let source = Source::Url(place.to_owned());
            let fetched = Fetcher::default().fetch(&source, FIRMWARE_LIMIT).await;
            fetched.map_err(|error| Failure::new(Exit::Usage, error))?
        }
        false => {
            let path = Path::new(place).to_owned();
            let read = in_thread(move || disk::read(&path, FIRMWARE_LIMIT)).await;
            read.map_err(here(Path::new(place)))?
        }
    };
    let name = place.split(['?', '#']).next().filter(|_| is_url(place));
    let firmware = Firmware::read(name.unwrap_or(place), bytes)
        .map_err(|error| wrong(place, &error.to_string()))?;
    checked(command, place, firmware)
}

/// Compares a firmware with the hash on the command line.
fn checked(command: &Cmd, place: &str, firmware: Firmware) -> Result<Firmware, Failure> {
    let sha256 = firmware.sha256();
    match &command.sha256 {
        Some(expected) if !sha256.eq_ignore_ascii_case(expected.trim()) => {
            let why = format!("its SHA-256 is {sha256}, not the expected one");
            Err(wrong(place, &why))
        }
        _ => Ok(firmware),
    }
}

fn wrong(place: &str, why: &str) -> Failure {
    Failure::new(Exit::Usage, format!("{place}: {why}; nothing was written"))
}

/// Gets the firmware of a board by its name.
async fn listed(command: &Cmd, common: &Common, name: &str) -> Result<Firmware, Failure> {
    let shelf = shelf(command);
    let catalogue = shelf.list(Some(name), command.renew).await;
    let catalogue = catalogue.map_err(unavailable)?;
    let entry = catalogue.find(name, command.version.as_deref());
    let entry = entry.map_err(not_listed)?;
    common.say(format_args!("reading {}", entry.place));
    let firmware = shelf.get(entry).await.map_err(unavailable)?;
    checked(command, &entry.place, firmware)
}

/// Lists firmware: all of it and the boards that have more, or the versions of one board.
pub(super) async fn list(command: &Cmd, common: &Common) -> Result<Exit, Failure> {
    let name = command.firmware.as_deref();
    let catalogue = shelf(command).list(name, command.renew).await;
    let catalogue = catalogue.map_err(unavailable)?;
    let entries: Vec<_> = match name {
        Some(name) => catalogue.of_board(name),
        None => catalogue.firmware.iter().collect(),
    };
    let pages = match name {
        Some(_) => Vec::new(),
        None => pages_alone(&catalogue),
    };
    if entries.is_empty() && pages.is_empty() {
        let named = name.and_then(|name| catalogue.find(name, None).err());
        let message = named.map_or_else(
            || "no firmware is listed there; name a board: `flylead flash --list pico`".to_owned(),
            |error| error.to_string(),
        );
        return Err(Failure::new(Exit::Usage, message));
    }
    if common.json {
        let entries = entries.iter().map(|entry| json!(entry));
        let pages = pages.iter().map(|board| json!({ "board": board }));
        print_line(json!(entries.chain(pages).collect::<Vec<_>>()))?;
        return Ok(Exit::Done);
    }
    for entry in entries {
        print_line(format!(
            "{:<24} {:<10} {}",
            entry.board, entry.version, entry.file
        ))?;
    }
    for board in &pages {
        print_line(board)?;
    }
    if !pages.is_empty() {
        common.note("`flylead flash --list NAME` lists the versions for a board");
    }
    Ok(Exit::Done)
}

/// Returns the boards whose firmware is not listed yet, because it has pages of its own.
fn pages_alone(catalogue: &Catalogue) -> Vec<&str> {
    let listed = catalogue.boards();
    let pages = catalogue.pages.iter().map(String::as_str);
    pages.filter(|board| !listed.contains(board)).collect()
}

fn shelf(command: &Cmd) -> Shelf {
    Shelf::new(command.from.as_deref().unwrap_or(MAKERS))
}

fn not_listed(error: NotListed) -> Failure {
    Failure::new(Exit::Usage, error)
}

fn unavailable(error: ShelfError) -> Failure {
    Failure::new(Exit::Usage, error)
}

/// Returns true for a URL.
fn is_url(place: &str) -> bool {
    place.starts_with("https://") || place.starts_with("http://")
}

/// Returns true for the name of a file, even of one that is missing.
fn is_file(place: &str) -> bool {
    let ends = [".uf2", ".hex", ".bin", ".dfu"];
    let has_end = ends
        .iter()
        .any(|end| place.to_ascii_lowercase().ends_with(end));
    has_end || place.contains(['/', '\\']) || Path::new(place).is_file()
}
