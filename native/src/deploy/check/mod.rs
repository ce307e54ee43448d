//! Checks the file system of a board: full, damaged, or without the programs that the board starts.

mod media;
mod space;

use media::Media;
use space::Space;

use flylead_core::{
    board::{Entry, EntryKind, Error},
    raw_repl::{Outcome, Traceback},
};

use crate::{
    Board, BoardError,
    deploy::{Fault, join, states},
    link::doctor::{Area, Finding},
    literal::Literal,
};

/// Examines the files of a board below a directory, or below the one with its `main.py`. Everything is read, and
/// nothing is changed.
///
/// # Errors
/// The directory does not exist, or the board is lost.
pub async fn examine(board: &mut Board, root: &str) -> Result<Vec<Finding>, Fault> {
    let is_given = !root.is_empty();
    let root = &states::whole_path(board, root).await?;
    let has_directories = board.capabilities().await.map_err(Fault::at(""))?.stat;
    if is_given && has_directories {
        check_is_directory(board, root).await?;
    }
    let media = Media::of(board).await.map_err(Fault::at(""))?;
    let mut findings = Vec::new();
    if has_directories {
        findings.push(space(board, root, &media).await?);
    }
    let Some(files) = files(board, root, &media, &mut findings).await? else {
        return Ok(findings);
    };
    for name in STARTED {
        let found = program(board, root, name, files.started(name), &media.platform).await;
        findings.push(found.map_err(Fault::at(name))?);
    }
    findings.extend(deployed(board, root, &files.entries).await?);
    Ok(findings)
}

/// Refuses anything but a directory. A damaged one is examined.
async fn check_is_directory(board: &mut Board, path: &str) -> Result<(), Fault> {
    let error = match board.stat(path).await {
        Ok(entry) if entry.kind == EntryKind::Directory => return Ok(()),
        Ok(_) => Error::NotDirectory.into(),
        Err(BoardError::File(error)) if is_damage(&error) => return Ok(()),
        Err(error) => error,
    };
    Err(Fault::at(path)(error))
}

/// Returns a finding about something unreadable for a reason that is not a sign of damage.
fn unread(text: String) -> Finding {
    Area::Files.fault(text).advising(
        "this does not mean damage: restart the board with `flylead reset` and check again",
    )
}

/// Queries the size of the file system.
async fn space(board: &mut Board, root: &str, media: &Media) -> Result<Finding, Fault> {
    let quoted = serde_json::Value::from(root);
    let statvfs = format!("__import__('os').statvfs({quoted})");
    let space = match board.eval_own(&statvfs).await {
        Ok(answer) => Space::parse(&Literal::parse(&answer)),
        Err(BoardError::Raised(traceback)) if is_of_damage(&traceback) => {
            let text = format!("the file system is damaged: its size cannot be read ({traceback})");
            return Ok(media.damaged(root, text));
        }
        Err(BoardError::Raised(traceback)) if traceback.exception == "OSError" => {
            let text = format!("the size of the file system at {root} cannot be read: {traceback}");
            return Ok(unread(text));
        }
        // Not every board and not every file system reports it.
        Err(BoardError::Raised(_)) => None,
        Err(error) => return Err(Fault::at(root)(error)),
    };
    let unknown = || Area::Files.ok("the board does not report its free space");
    Ok(space.map_or_else(unknown, Space::finding))
}

/// Files of a board below a directory.
#[derive(Debug, Default)]
struct Files {
    entries: Vec<Entry>,
    /// Programs that the board starts by itself, as far as they were readable.
    started: Vec<(String, Result<Vec<u8>, Error>)>,
}

impl Files {
    fn started(&self, name: &str) -> Option<&Result<Vec<u8>, Error>> {
        let found = self.started.iter().find(|(found, _)| found == name);
        found.map(|(_, content)| content)
    }
}

/// Reads everything; `None` if not even the names can be read.
async fn files(
    board: &mut Board,
    root: &str,
    media: &Media,
    findings: &mut Vec<Finding>,
) -> Result<Option<Files>, Fault> {
    let entries = match board.tree(root, false).await {
        Ok(entries) => entries,
        Err(BoardError::File(error)) if is_damage(&error) => {
            let text = format!("the file system is damaged: its names cannot be read ({error})");
            findings.push(media.damaged(root, text));
            return Ok(None);
        }
        Err(BoardError::File(error)) if is_of_files(&error) => {
            findings.push(unread(format!(
                "the names of the files could not be read: {error}"
            )));
            return Ok(None);
        }
        Err(error) => return Err(Fault::at(root)(error)),
    };
    if let Some(entry) = entries.iter().find(|entry| is_odd(&entry.name)) {
        let name = &entry.name;
        let text = format!("the file system is damaged: it has the name {name:?}");
        findings.push(media.damaged(&join(root, name), text));
    }
    let files = entries.iter().filter(|entry| entry.kind == EntryKind::File);
    let mut count = 0;
    let mut started = Vec::new();
    for file in files {
        let path = join(root, &file.name);
        let content = match board.read(path.as_str(), |_| ()).await {
            Ok(content) => Ok(content),
            Err(BoardError::File(error)) if is_of_files(&error) => Err(error),
            Err(error) => return Err(Fault::at(path)(error)),
        };
        match &content {
            Ok(content) if content.len() as u64 == file.size => count += 1,
            Ok(content) => {
                let (has, size) = (content.len(), file.size);
                let text = format!("{path} has {has} bytes, but {size} are listed");
                findings.push(media.damaged(&path, text));
            }
            Err(error) if is_damage(error) => {
                let text = format!("{path} is damaged: {error}");
                findings.push(media.damaged(&path, text));
            }
            Err(error) => findings.push(unread(format!("{path} could not be read: {error}"))),
        }
        if STARTED.contains(&file.name.as_str()) {
            started.push((file.name.clone(), content));
        }
    }
    findings.push(Area::Files.ok(format!("{count} files were read in full")));
    Ok(Some(Files { entries, started }))
}

/// Returns true for an error that may be specific to one file.
const fn is_of_files(error: &Error) -> bool {
    !matches!(
        error,
        Error::Lost(_) | Error::Restarted | Error::NotStopped { .. } | Error::Cancelled
    )
}

/// Returns true for an error that only a damaged file system causes.
fn is_damage(error: &Error) -> bool {
    matches!(error.reason(), Error::Raised(traceback) if is_of_damage(traceback))
}

/// Returns true for EIO of FAT and of block devices, and EILSEQ of LittleFS: `5`, `[Errno 5] EIO`.
fn is_of_damage(traceback: &Traceback) -> bool {
    let number = traceback.message.trim_start_matches("[Errno ");
    let number = number.split(|it: char| !it.is_ascii_digit()).next();
    traceback.exception == "OSError" && matches!(number, Some("5" | "84"))
}

/// Returns true for a name that nobody would give a file.
fn is_odd(name: &str) -> bool {
    name.chars()
        .any(|char| char.is_control() || char == '\u{fffd}')
}

/// Examines a program that the board starts by itself.
async fn program(
    board: &mut Board,
    root: &str,
    name: &str,
    content: Option<&Result<Vec<u8>, Error>>,
    platform: &str,
) -> Result<Finding, BoardError> {
    let Some(content) = content else {
        return Ok(missing(name, platform));
    };
    let back = format!(
        "`flylead rollback` or `flylead restore` brings an older one back; otherwise copy it again: `flylead cp {name} :`"
    );
    let content = match content {
        Ok(content) => content,
        Err(error) => {
            let text = format!("{name} could not be read: {error}");
            return Ok(Area::Files.fault(text).advising(back));
        }
    };
    if content.is_empty() {
        let text = format!("{name} is empty, as after a power cut while it was written");
        return Ok(Area::Files.fault(text).advising(back));
    }
    if content.iter().all(|byte| matches!(byte, 0 | 0xff)) {
        let text = format!("{name} has erased flash in place of its content");
        return Ok(Area::Files.fault(text).advising(back));
    }
    let path = join(root, name);
    let quoted = serde_json::Value::from(path.as_str());
    let compile = format!("compile(open({quoted}).read(),{quoted},'exec')");
    let Outcome::Raised(traceback) = run(board, &compile).await? else {
        return Ok(Area::Files.ok(format!("{name}: {} bytes", content.len())));
    };
    let advice = match traceback.exception.as_str() {
        "SyntaxError" | "IndentationError" => format!("`flylead edit :{path}` opens it"),
        // Bytes that are not UTF-8.
        "UnicodeError" => back,
        // Such as a lack of memory, from which its normal start need not suffer.
        _ => return Ok(Area::Files.ok(format!("{name}: {} bytes", content.len()))),
    };
    let said = traceback.text.trim().lines().last().unwrap_or_default();
    let text = format!("{name} is not valid Python: {said}");
    Ok(Area::Files.fault(text).advising(advice))
}

fn missing(name: &str, platform: &str) -> Finding {
    let text = format!("there is no {name}");
    match name {
        "main.py" => Area::Files
            .note(format!("{text}: the board starts no program by itself"))
            .advising("`flylead cp main.py :` or `flylead deploy` puts one there"),
        _ if MAKES_BOOT.contains(&platform) => Area::Files
            .note(format!(
                "{text}, which this firmware writes into a new file system"
            ))
            .advising("an empty one is enough: `flylead touch :boot.py`"),
        _ => Area::Files.ok(format!("{text}; this firmware does not need one")),
    }
}

async fn run(board: &mut Board, source: &str) -> Result<Outcome, BoardError> {
    let mut program = board.start(source, None).await?;
    while program.next_output().await?.is_some() {}
    program.outcome().await
}

/// Examines the state made by `flylead deploy`.
async fn deployed(
    board: &mut Board,
    root: &str,
    entries: &[Entry],
) -> Result<Option<Finding>, Fault> {
    let state = states::state(board, root).await?;
    let has_states = entries
        .iter()
        .any(|entry| entry.name.starts_with(".flylead/"));
    Ok(match state {
        None if has_states => Some(
            Area::Files
                .fault(
                    "the board has programs of `flylead deploy`, but main.py does not start them",
                )
                .advising("`flylead deploy` puts its starter back"),
        ),
        None => None,
        Some(state) if !state.is_good => Some(Area::Files.note(format!(
            "the program {} is on trial; the board goes back if it fails",
            state.current
        ))),
        Some(state) => Some(Area::Files.ok(format!("the program {} is deployed", state.current))),
    })
}

/// Programs that a board starts by itself, in this order.
const STARTED: [&str; 2] = ["boot.py", "main.py"];
const MAKES_BOOT: [&str; 3] = ["esp32", "esp8266", "pyboard"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::doctor::Level;

    #[test]
    fn only_errors_of_the_medium_are_damage() {
        let raised = |text: &str| Error::Raised(Traceback::parse(text.as_bytes()));
        for damage in ["OSError: 84", "OSError: 5", "OSError: [Errno 5] EIO"] {
            assert!(is_damage(&raised(damage)), "{damage}");
        }
        for other in ["OSError: 50", "OSError: 19", "ValueError: 5"] {
            assert!(!is_damage(&raised(other)), "{other}");
        }
        for other in [
            Error::NoMemory,
            Error::Stalled,
            Error::BadAnswer,
            Error::Denied,
        ] {
            assert!(!is_damage(&other) && is_of_files(&other), "{other}");
        }
    }

    #[test]
    fn a_missing_program_is_told_as_the_firmware_has_it() {
        assert_eq!(missing("main.py", "rp2").level, Level::Note);
        assert_eq!(missing("boot.py", "rp2").level, Level::Ok);
        assert_eq!(missing("boot.py", "esp32").level, Level::Note);
    }

    #[test]
    fn names_of_a_damaged_directory_are_odd() {
        assert!(is_odd("MA\u{1}N.PY") && is_odd("\u{fffd}x"));
        assert!(!is_odd("Größe.py"));
    }
}
