//! Small local files, read up to a size limit, and replaced completely or not at all.

use std::{
    ffi::OsString,
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use crate::random_hex;

/// Reads the text of a file of at most `longest` bytes.
///
/// # Errors
/// The file cannot be read, is not UTF-8, or is longer.
pub fn read_text(path: &Path, longest: u64) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?
        .take(longest + 1)
        .read_to_string(&mut text)?;
    match read as u64 > longest {
        true => Err(io::Error::other("it is too long")),
        false => Ok(text),
    }
}

/// Reads the content of a file of at most `longest` bytes.
///
/// # Errors
/// The file cannot be read, or is longer.
pub fn read(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?
        .take(longest + 1)
        .read_to_end(&mut content)?;
    match content.len() as u64 > longest {
        true => Err(io::Error::other("it is too long")),
        false => Ok(content),
    }
}

/// Returns true if links lead from a path below a folder to somewhere outside of it.
///
/// # Errors
/// Either path does not exist, or cannot be inspected.
pub fn leads_out(folder: &Path, path: &Path) -> io::Result<bool> {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    Ok(!path.canonicalize()?.starts_with(folder.canonicalize()?))
}

/// Replaces the content of a file, completely or not at all.
///
/// A link stays, and its target is replaced; a file keeps its mode, and its owner if this user may set it. Pipes and
/// devices cannot be replaced, so they are written to, which may block.
///
/// # Errors
/// The system refuses. The file is then unchanged.
pub fn save(path: &Path, content: &[u8]) -> io::Result<()> {
    let path = resolve(path)?;
    match fs::metadata(&path) {
        Ok(old) if old.is_file() => {
            // A file without write permission may not be replaced either.
            OpenOptions::new().write(true).open(&path)?;
            put(&path, content, Some(&old), true)
        }
        Ok(_) => OpenOptions::new()
            .write(true)
            .open(&path)
            .and_then(|mut file| file.write_all(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => put(&path, content, None, false),
        Err(error) => Err(error),
    }
}

/// Replaces whatever is at this path by a new file with this content, completely or not at all. A link is replaced,
/// too, so that nobody with access to the folder can redirect the write.
///
/// # Errors
/// The system refuses. The path is then unchanged.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    put(path, content, None, false)
}

/// Like [`replace`], but only this user can read the file; on Windows the folder's permissions apply.
///
/// # Errors
/// The system refuses. The path is then unchanged.
pub fn replace_private(path: &Path, content: &[u8]) -> io::Result<()> {
    put(path, content, None, true)
}

/// Resolves a path, even if nothing exists there.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINK_LIMIT {
        let Ok(target) = fs::read_link(&path) else {
            return Ok(path);
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other("too many links"))
}

/// Writes a new file beside the old one, and moves it into its place.
fn put(path: &Path, content: &[u8], old: Option<&Metadata>, is_private: bool) -> io::Result<()> {
    let part = part_name(path)?;
    let written = create(&part, is_private)
        .and_then(|file| fill(file, content, old))
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The rest of a failed copy is useless; a failure to remove it changes nothing.
        let _ = fs::remove_file(&part);
    }
    written
}

/// Returns a hidden, unused and unguessable name beside a file, with enough of the file's own name to recognize it.
fn part_name(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(NAME_KEPT).collect();
    let part = format!(".{name}.{}.part", random_hex::<8>());
    Ok(path.with_file_name(OsString::from(part)))
}

/// Creates a new file. One that replaces another is unreadable to other users until it has the old one's mode.
fn create(path: &Path, is_private: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    options.open(path)
}

fn fill(mut file: File, content: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    file.write_all(content)?;
    if let Some(old) = old {
        #[cfg(unix)]
        keep_owner(&file, old);
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()
}

/// Restores the owner. Only root may give a file to another user; a file of any other user is already theirs.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

const LINK_LIMIT: usize = 40;
/// Number of characters of a file's name to keep in its part's name: 24 of four bytes each still fit in a name of 255
/// bytes.
const NAME_KEPT: usize = 24;

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_link_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        symlink("file", &link).unwrap();
        for kept in [0o600, 0o755, 0o640] {
            fs::set_permissions(&file, fs::Permissions::from_mode(kept)).unwrap();
            save(&link, format!("{kept}").as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), format!("{kept}"));
            assert_eq!(mode(&file), kept);
        }
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_is_read_as_far_as_it_may_be_long() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "four").unwrap();
        assert_eq!(read_text(&file, 4).unwrap(), "four");
        assert!(read_text(&file, 3).is_err());
        fs::write(&file, [0xff]).unwrap();
        assert!(read_text(&file, 4).is_err());
    }

    #[test]
    fn a_link_to_nothing_leads_to_the_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("new", &link).unwrap();
        save(&link, b"x").unwrap();
        assert_eq!(fs::read(folder.path().join("new")).unwrap(), b"x");
        symlink("loop", folder.path().join("loop")).unwrap();
        assert!(save(&folder.path().join("loop"), b"x").is_err());
    }

    #[test]
    fn a_link_that_is_replaced_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "kept").unwrap();
        symlink("file", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
        assert_eq!(fs::read_to_string(&link).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_name_as_long_as_it_may_be_leaves_room_for_its_part() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["x".repeat(255), "\u{1f980}".repeat(63)] {
            let path = folder.path().join(name);
            save(&path, b"x").unwrap();
            assert_eq!(fs::read(path).unwrap(), b"x");
        }
    }

    #[test]
    fn a_pipe_is_written_to_and_a_directory_is_not() {
        use rustix::fs::{CWD, Mode, mkfifoat};
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        save(&pipe, b"x").unwrap();
        assert_eq!(reader.join().unwrap(), b"x");
        assert!(!fs::metadata(&pipe).unwrap().is_file());
        assert!(save(folder.path(), b"x").is_err());
    }
}
