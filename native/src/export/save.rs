//! A log on disk, only ever whole.

use std::{
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, File, OpenOptions},
};
use flylead_core::export::RunId;

use super::Manifest;

/// A log that is being received, in a file that is not yet the log.
///
/// Whatever ends the program, and whenever, `log.csv` is the old log or the new one, and never a part of one. Dropping
/// the saver removes what came.
///
/// No link inside the folder leads out of it: every path is opened below the folder's own handle.
#[derive(Debug)]
pub struct Saver {
    folder: Dir,
    path: PathBuf,
    part: String,
    file: Option<File>,
}

/// A log that is safe on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Saved {
    /// Where it is.
    pub path: PathBuf,
    /// Where the log before it is now, if there was one and it was another.
    pub previous: Option<PathBuf>,
    /// What is known of it.
    pub manifest: Manifest,
}

/// Where a save stands; a test ends it at each of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Received,
    Synced,
    PreviousKept,
    Replaced,
    ManifestWritten,
    ManifestReplaced,
    FolderSynced,
}

impl Saver {
    /// Opens `ARTIFACTS/RUN_ID/sd`, and a new file in it.
    pub fn begin(artifacts: &Path, run_id: &RunId) -> io::Result<Self> {
        let inside = format!("{run_id}/sd");
        let root = open_root(artifacts)?;
        root.create_dir_all(&inside)?;
        let folder = root.open_dir(&inside)?;
        sweep(&folder)?;
        let part = part_name(LOG);
        let file = create(&folder, &part)?;
        Ok(Self {
            folder,
            path: artifacts.join(inside),
            part,
            file: Some(file),
        })
    }

    /// Adds bytes to what came.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file()?.write_all(bytes)
    }

    /// Makes what came the log. It is on disk, and not only on its way there, when this returns.
    pub fn publish(self, manifest: Manifest) -> io::Result<Saved> {
        self.publish_watched(manifest, &mut |_| Ok(()))
    }

    /// Keeps what came as `log.csv.partial`, for a person to look at.
    pub fn keep_partial(mut self) -> io::Result<PathBuf> {
        drop(self.file.take());
        self.folder.rename(&self.part, &self.folder, PARTIAL)?;
        Ok(self.path.join(PARTIAL))
    }

    fn publish_watched(
        mut self,
        manifest: Manifest,
        watch: &mut dyn FnMut(Step) -> io::Result<()>,
    ) -> io::Result<Saved> {
        watch(Step::Received)?;
        self.file()?.sync_all()?;
        drop(self.file.take());
        watch(Step::Synced)?;
        let previous = self.keep_previous()?;
        watch(Step::PreviousKept)?;
        self.folder.rename(&self.part, &self.folder, LOG)?;
        watch(Step::Replaced)?;
        let part = self.write_manifest(&manifest)?;
        watch(Step::ManifestWritten)?;
        self.folder.rename(part, &self.folder, MANIFEST)?;
        watch(Step::ManifestReplaced)?;
        sync_folder(&self.folder)?;
        watch(Step::FolderSynced)?;
        // Of an earlier attempt; there is none as a rule.
        let _ = self.folder.remove_file(PARTIAL);
        let path = self.path.join(LOG);
        Ok(Saved {
            path,
            previous,
            manifest,
        })
    }

    fn file(&mut self) -> io::Result<&mut File> {
        self.file
            .as_mut()
            .ok_or_else(|| io::Error::other("the log is closed already"))
    }

    /// Gives the log that is there a second name, unless it is the same log.
    fn keep_previous(&self) -> io::Result<Option<PathBuf>> {
        if !self.folder.try_exists(LOG)? || same(&self.folder, LOG, &self.part)? {
            return Ok(None);
        }
        let link = part_name(PREVIOUS);
        self.folder.hard_link(LOG, &self.folder, &link)?;
        self.folder.rename(&link, &self.folder, PREVIOUS)?;
        Ok(Some(self.path.join(PREVIOUS)))
    }

    fn write_manifest(&self, manifest: &Manifest) -> io::Result<String> {
        let part = part_name(MANIFEST);
        let mut file = create(&self.folder, &part)?;
        file.write_all(&serde_json::to_vec_pretty(manifest)?)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        Ok(part)
    }
}

impl Drop for Saver {
    fn drop(&mut self) {
        // After a publication there is nothing to remove.
        let _ = self.folder.remove_file(&self.part);
    }
}

/// Opens the folder of all runs, making it if need be.
pub(super) fn open_root(artifacts: &Path) -> io::Result<Dir> {
    std::fs::create_dir_all(artifacts)?;
    Dir::open_ambient_dir(artifacts, ambient_authority())
}

/// A name that no other save has, hidden, in the same folder.
fn part_name(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let id = process::id();
    format!(".{name}.{id}-{count}{PART_END}")
}

fn create(folder: &Dir, name: &str) -> io::Result<File> {
    // Left behind by a program that ended with the same number.
    let _ = folder.remove_file(name);
    let file = folder.open_with(name, OpenOptions::new().write(true).create_new(true))?;
    // Held for as long as the file is open, so that nobody sweeps it away. Not every file system has locks, and
    // there nothing is swept either.
    let _ = file.try_clone()?.into_std().try_lock();
    Ok(file)
}

/// Removes what killed programs left behind: nobody holds those files any more.
fn sweep(folder: &Dir) -> io::Result<()> {
    for entry in folder.entries()? {
        let name = entry?.file_name();
        let Some(name) = name.to_str().filter(|name| is_part(name)) else {
            continue;
        };
        // One that has just become the log, or is another's, is none of ours.
        if folder
            .open(name)
            .is_ok_and(|file| file.into_std().try_lock().is_ok())
        {
            let _ = folder.remove_file(name);
        }
    }
    Ok(())
}

fn is_part(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(PART_END)
}

/// Whether two files have the same bytes.
fn same(folder: &Dir, one: &str, other: &str) -> io::Result<bool> {
    let mut one = folder.open(one)?;
    let mut other = folder.open(other)?;
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; BLOCK], vec![0; BLOCK]);
    loop {
        let length = one.read(&mut left)?;
        if length == 0 {
            return Ok(true);
        }
        other.read_exact(&mut right[..length])?;
        if left[..length] != right[..length] {
            return Ok(false);
        }
    }
}

/// A rename is on disk when its folder is. The handle itself is only a place to start paths from.
#[cfg(unix)]
fn sync_folder(folder: &Dir) -> io::Result<()> {
    folder.open(".")?.sync_all()
}

/// Windows writes its folders itself.
#[cfg(not(unix))]
fn sync_folder(_folder: &Dir) -> io::Result<()> {
    Ok(())
}

const PART_END: &str = ".tmp";
const LOG: &str = "log.csv";
const PREVIOUS: &str = "log.csv.1";
const PARTIAL: &str = "log.csv.partial";
const MANIFEST: &str = "manifest.json";
const BLOCK: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const STEPS: [Step; 7] = [
        Step::Received,
        Step::Synced,
        Step::PreviousKept,
        Step::Replaced,
        Step::ManifestWritten,
        Step::ManifestReplaced,
        Step::FolderSynced,
    ];

    fn run() -> RunId {
        RunId::new("run001").unwrap()
    }

    fn manifest() -> Manifest {
        Manifest {
            run_id: "run001".into(),
            bytes: 0,
            sha256: String::new(),
            crc32: String::new(),
            integrity: "crc32".into(),
            warnings: Vec::new(),
            requested_at: 0,
            received_at: 0,
        }
    }

    fn begin(artifacts: &Path, log: &str) -> Saver {
        let mut saver = Saver::begin(artifacts, &run()).unwrap();
        saver.write(log.as_bytes()).unwrap();
        saver
    }

    fn save(artifacts: &Path, log: &str) -> Saved {
        begin(artifacts, log).publish(manifest()).unwrap()
    }

    fn names(artifacts: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(artifacts.join("run001/sd"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn f16_a_log_comes_with_its_manifest_and_nothing_else() {
        let artifacts = tempfile::tempdir().unwrap();
        let saved = save(artifacts.path(), "a,b\n");
        assert_eq!(fs::read_to_string(&saved.path).unwrap(), "a,b\n");
        assert_eq!(saved.previous, None);
        assert_eq!(names(artifacts.path()), [LOG, MANIFEST]);
    }

    #[test]
    fn f16_another_log_is_kept_and_the_same_one_is_not() {
        let artifacts = tempfile::tempdir().unwrap();
        save(artifacts.path(), "old\n");
        assert_eq!(save(artifacts.path(), "old\n").previous, None);
        let previous = save(artifacts.path(), "new\n").previous.unwrap();
        assert_eq!(fs::read_to_string(previous).unwrap(), "old\n");
        assert_eq!(names(artifacts.path()), [LOG, PREVIOUS, MANIFEST]);
    }

    #[test]
    fn f16_a_thousand_failed_retries_leave_a_good_log_alone() {
        let artifacts = tempfile::tempdir().unwrap();
        save(artifacts.path(), "good\n");
        for attempt in 0..1000 {
            let saver = begin(artifacts.path(), "half a lo");
            if attempt % 2 == 0 {
                saver.keep_partial().unwrap();
            }
        }
        let log = artifacts.path().join("run001/sd/log.csv");
        assert_eq!(fs::read_to_string(log).unwrap(), "good\n");
        assert_eq!(names(artifacts.path()), [LOG, PARTIAL, MANIFEST]);
    }

    #[test]
    fn f16_a_program_that_ends_at_any_step_leaves_the_old_log_or_the_new_one() {
        for last in STEPS {
            let artifacts = tempfile::tempdir().unwrap();
            save(artifacts.path(), "old\n");
            let stop = &mut |step| {
                if step == last {
                    Err(io::Error::other("killed"))
                } else {
                    Ok(())
                }
            };
            assert!(
                begin(artifacts.path(), "new\n")
                    .publish_watched(manifest(), stop)
                    .is_err()
            );
            let log = fs::read_to_string(artifacts.path().join("run001/sd/log.csv")).unwrap();
            let is_new = matches!(
                last,
                Step::Replaced
                    | Step::ManifestWritten
                    | Step::ManifestReplaced
                    | Step::FolderSynced
            );
            assert_eq!(log, if is_new { "new\n" } else { "old\n" }, "{last:?}");
        }
    }

    #[test]
    fn f16_what_a_killed_save_left_behind_does_not_stop_the_next() {
        let artifacts = tempfile::tempdir().unwrap();
        save(artifacts.path(), "old\n");
        let left = artifacts.path().join("run001/sd/.log.csv.1-0.tmp");
        fs::write(left, "killed").unwrap();
        save(artifacts.path(), "next\n");
        assert_eq!(names(artifacts.path()), [LOG, PREVIOUS, MANIFEST]);
        let log = artifacts.path().join("run001/sd/log.csv");
        assert_eq!(fs::read_to_string(log).unwrap(), "next\n");
    }

    #[test]
    fn f16_a_save_under_way_is_not_swept_away_by_another() {
        let artifacts = tempfile::tempdir().unwrap();
        let slow = begin(artifacts.path(), "slow\n");
        save(artifacts.path(), "quick\n");
        let saved = slow.publish(manifest()).unwrap();
        assert_eq!(fs::read_to_string(&saved.path).unwrap(), "slow\n");
        assert_eq!(
            fs::read_to_string(saved.previous.unwrap()).unwrap(),
            "quick\n"
        );
    }

    #[cfg(unix)]
    #[test]
    fn f17_a_link_in_the_folder_does_not_lead_out_of_it() {
        let (artifacts, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), artifacts.path().join("run001")).unwrap();
        assert!(Saver::begin(artifacts.path(), &run()).is_err());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
