//! Lists the files of a local folder as they are sent to a board.

use std::{
    fs::{self, DirEntry},
    io,
    path::{Path, PathBuf},
};

use crate::os::disk;

use super::{Skipped, home::Home, join};

/// Local file or directory, its name relative to the tree's root, with slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// Name.
    pub name: String,
    /// Kind of entry.
    pub kind: Kind,
    /// True if the entry's directory is reached through a link, and may be third-party.
    pub is_linked: bool,
}

/// Kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// An entry that exists and is not sent, nor is anything below it.
    Kept,
}

/// Rules that select the files of a folder to send. The default sends the least.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rules {
    /// Also follows links that lead out of the folder: they may reveal a secret to the board.
    pub unsafe_links: bool,
    /// Also sends version control, caches, secrets and files that git ignores.
    pub everything: bool,
}

/// Lists everything below a directory, directories before their content. Links are followed, because boards have none.
///
/// # Errors
/// The directory itself cannot be read. Anything below it that cannot be sent is noted in `skipped`.
pub fn entries(root: &Path, rules: Rules, skipped: &mut Skipped) -> io::Result<Vec<Local>> {
    let mut walk = Walk {
        root,
        rules,
        home: (!rules.everything).then(|| Home::of(root)),
        files: Vec::new(),
        skipped,
    };
    let start = Directory {
        name: String::new(),
        real: fs::canonicalize(root)?,
        is_linked: false,
        above: Vec::new(),
    };
    let mut open = walk.enter(&start)?;
    while let Some(directory) = open.pop() {
        match walk.enter(&directory) {
            Ok(below) => open.extend(below),
            Err(error) => walk.skip(directory.name, error),
        }
    }
    let mut files = walk.files;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// Directory that is still to be read.
struct Directory {
    name: String,
    /// Path without any link in it.
    real: PathBuf,
    is_linked: bool,
    /// Real paths of the directories through which the walk has come.
    above: Vec<PathBuf>,
}

struct Walk<'a> {
    root: &'a Path,
    rules: Rules,
    /// Entries that stay here; `None` if everything is sent.
    home: Option<Home>,
    files: Vec<Local>,
    skipped: &'a mut Skipped,
}

impl Walk<'_> {
    /// Records the content of a directory, and returns the directories in it.
    fn enter(&mut self, directory: &Directory) -> io::Result<Vec<Directory>> {
        let mut below = Vec::new();
        for entry in fs::read_dir(self.root.join(&directory.name))? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                let path = entry.path();
                self.skipped.add(path.display(), "its name is not UTF-8");
                continue;
            };
            let name = join(&directory.name, &name);
            if let Some(reason) = self.home_keeps(&name, directory.is_linked) {
                self.skipped.keep(self.root.join(&name).display(), reason);
                self.note(name, Kind::Kept, directory.is_linked);
                continue;
            }
            match look_at(self.root, self.rules, &entry, &name, directory) {
                Ok((kind, subdirectory)) => {
                    below.extend(subdirectory);
                    self.note(name, kind, directory.is_linked);
                }
                Err(reason) => self.skip(name, reason),
            }
        }
        Ok(below)
    }

    fn home_keeps(&self, name: &str, is_linked: bool) -> Option<&'static str> {
        self.home.as_ref()?.keeps(name, is_linked)
    }

    fn note(&mut self, name: String, kind: Kind, is_linked: bool) {
        self.files.push(Local {
            name,
            kind,
            is_linked,
        });
    }

    fn skip(&mut self, name: String, reason: impl ToString) {
        self.skipped.add(self.root.join(&name).display(), reason);
        self.files.retain(|file| file.name != name);
        self.note(name, Kind::Kept, false);
    }
}

/// Classifies an entry, or returns the reason for skipping it.
fn look_at(
    root: &Path,
    rules: Rules,
    entry: &DirEntry,
    name: &str,
    parent: &Directory,
) -> Result<(Kind, Option<Directory>), String> {
    let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
    let metadata = fs::metadata(entry.path()).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if is_link => "it is a dangling link".to_owned(),
        _ => error.to_string(),
    })?;
    let is_refused = is_link && !rules.unsafe_links;
    if is_refused && disk::leads_out(root, &entry.path()).map_err(|error| error.to_string())? {
        return Err("it is a link that leads out of the folder; --unsafe-links sends it".into());
    }
    if metadata.is_file() {
        return Ok((Kind::File, None));
    }
    if !metadata.is_dir() {
        return Err("it is neither a file nor a directory".into());
    }
    let real = fs::canonicalize(entry.path()).map_err(|error| error.to_string())?;
    let above = [parent.above.as_slice(), std::slice::from_ref(&parent.real)].concat();
    if above.contains(&real) {
        return Err("it is a link to one of its parent directories".into());
    }
    let directory = Directory {
        name: name.to_owned(),
        real,
        is_linked: parent.is_linked || is_link,
        above,
    };
    Ok((Kind::Directory, Some(directory)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names that are sent, and those that stay here, for a folder with these files.
    fn sorted(files: &[&str], ignored: &str, rules: Rules) -> [String; 2] {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        fs::create_dir_all(folder.path().join(".git")).unwrap();
        fs::write(folder.path().join(".gitignore"), ignored).unwrap();
        let mut skipped = Skipped::default();
        let found = entries(folder.path(), rules, &mut skipped).unwrap();
        let of = |is_kept: bool| {
            let files = found.iter();
            let files = files.filter(|file| (file.kind == Kind::Kept) == is_kept);
            let names: Vec<_> = files.map(|file| file.name.as_str()).collect();
            names.join(" ")
        };
        [of(false), of(true)]
    }

    #[test]
    fn version_control_caches_secrets_and_what_git_ignores_stay_here() {
        let files = [
            "main.py",
            "secrets.py",
            "lib/a.py",
            "lib/__pycache__/a.pyc",
            "wifi.env",
            "key.pem",
            "data/log.csv",
            "local.json",
        ];
        let [sent, kept] = sorted(&files, "data/\nlocal.json\n", Rules::default());
        assert_eq!(sent, "lib lib/a.py main.py secrets.py");
        assert_eq!(
            kept,
            ".git .gitignore data key.pem lib/__pycache__ local.json wifi.env"
        );
    }

    #[test]
    fn everything_is_sent_if_asked_for() {
        let rules = Rules {
            everything: true,
            ..Rules::default()
        };
        let [sent, kept] = sorted(&["a.py", ".env", "x/.git/config"], "a.py", rules);
        assert_eq!(sent, ".env .git .gitignore a.py x x/.git x/.git/config");
        assert_eq!(kept, "");
    }

    #[test]
    fn a_folder_that_git_ignores_is_sent_if_it_is_the_one_that_was_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".git")).unwrap();
        fs::create_dir_all(folder.path().join("build")).unwrap();
        fs::write(folder.path().join(".gitignore"), "build/\n").unwrap();
        fs::write(folder.path().join("build/a.py"), "").unwrap();
        let mut skipped = Skipped::default();
        let found = entries(&folder.path().join("build"), Rules::default(), &mut skipped);
        assert_eq!(found.unwrap()[0].kind, Kind::File);
    }
}
