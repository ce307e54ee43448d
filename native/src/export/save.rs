//! A log on disk, only ever whole.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, File},
};
use flylead_core::export::RunId;

use super::{
    Manifest,
    folder::{Lock, add_second_name, copy_name, create, is_same, sweep, sync},
};

/// A log that is being received, in a file that is not yet the log.
///
/// Whatever ends the program, and whenever, `log.csv` is the old log or the new one, and never a part of one. Dropping
/// the saver removes what came.
///
/// No link inside the folder leads out of it: every path is opened below the folder's own handle.
#[derive(Debug)]
pub struct Saver {
    run: Dir,
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
    ///
    /// # Errors
    /// When the system does not let it, and when a link in the folder leads out of it.
    pub fn begin(artifacts: &Path, run_id: &RunId) -> io::Result<Self> {
        let root = open_root(artifacts)?;
        root.create_dir_all(format!("{run_id}/{SD}"))?;
        let run = root.open_dir(run_id.as_str())?;
        let folder = run.open_dir(SD)?;
        let lock = Lock::take(&run)?;
        sweep(&folder, &lock)?;
        let (part, file) = create(&folder, LOG, &lock)?;
        drop(lock);
        Ok(Self {
            run,
            folder,
            path: artifacts.join(run_id.as_str()).join(SD),
            part,
            file: Some(file),
        })
    }

    /// Adds bytes to what came.
    ///
    /// # Errors
    /// When the system does not let it.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file()?.write_all(bytes)
    }

    /// Makes what came the log. It is on disk, and not only on its way there, when this returns.
    ///
    /// # Errors
    /// When the system does not let it. The message says where what came is then.
    pub fn publish(self, manifest: Manifest) -> io::Result<Saved> {
        self.publish_watched(manifest, &mut |_| Ok(()))
    }

    /// Keeps a part of a log as `log.csv.partial`, for a person to look at, in place of an earlier part.
    ///
    /// # Errors
    /// When the system does not let it.
    pub fn keep_partial(mut self) -> io::Result<PathBuf> {
        let _lock = self.close()?;
        self.folder.rename(&self.part, &self.folder, PARTIAL)?;
        Ok(self.path.join(PARTIAL))
    }

    /// Keeps a whole log that was refused as `log.csv.suspect`, beside others that are not the same.
    ///
    /// # Errors
    /// When the system does not let it.
    pub fn keep_suspect(mut self) -> io::Result<PathBuf> {
        let lock = self.close()?;
        self.keep_beside(SUSPECT, &lock)
    }

    fn publish_watched(
        mut self,
        manifest: Manifest,
        watch: &mut dyn FnMut(Step) -> io::Result<()>,
    ) -> io::Result<Saved> {
        let previous = match self.finish(watch) {
            Ok(lock) => self
                .replace(&manifest, watch, &lock)
                .map_err(|error| self.keep_unsaved(error, &lock))?,
            // What went wrong first is what is told.
            Err(error) => {
                return Err(match self.close() {
                    Ok(lock) => self.keep_unsaved(error, &lock),
                    Err(_) => error,
                });
            }
        };
        // Of an earlier attempt; there is none as a rule.
        let _ = self.folder.remove_file(PARTIAL);
        Ok(Saved {
            path: self.path.join(LOG),
            previous,
            manifest,
        })
    }

    /// What came is whole on disk, under a name of its own.
    fn finish(&mut self, watch: &mut dyn FnMut(Step) -> io::Result<()>) -> io::Result<Lock> {
        watch(Step::Received)?;
        self.file()?.sync_all()?;
        watch(Step::Synced)?;
        self.close()
    }

    /// The log and its manifest, and nothing of another save in between.
    fn replace(
        &mut self,
        manifest: &Manifest,
        watch: &mut dyn FnMut(Step) -> io::Result<()>,
        lock: &Lock,
    ) -> io::Result<Option<PathBuf>> {
        let previous = self.keep_previous(lock)?;
        watch(Step::PreviousKept)?;
        self.folder.rename(&self.part, &self.folder, LOG)?;
        watch(Step::Replaced)?;
        let part = self.write_manifest(manifest, lock)?;
        watch(Step::ManifestWritten)?;
        self.folder.rename(part, &self.folder, MANIFEST)?;
        watch(Step::ManifestReplaced)?;
        sync(&self.folder)?;
        watch(Step::FolderSynced)?;
        Ok(previous)
    }

    fn file(&mut self) -> io::Result<&mut File> {
        self.file
            .as_mut()
            .ok_or_else(|| io::Error::other("the log is closed already"))
    }

    /// Ends writing, and answers the right to give what came its name: a file that nobody holds open is swept away by
    /// whoever has that right.
    fn close(&mut self) -> io::Result<Lock> {
        let lock = Lock::take(&self.run)?;
        drop(self.file.take());
        Ok(lock)
    }

    /// Gives the log that is there a second name, unless it is the same log.
    fn keep_previous(&self, lock: &Lock) -> io::Result<Option<PathBuf>> {
        if !self.folder.try_exists(LOG)? || is_same(&self.folder, LOG, &self.part)? {
            return Ok(None);
        }
        let (name, is_used) = copy_name(&self.folder, LOG, LOG)?;
        if !is_used {
            add_second_name(&self.folder, LOG, &name, lock)?;
        }
        Ok(Some(self.path.join(name)))
    }

    /// Keeps what came whole and could not become the log, and says where.
    fn keep_unsaved(&self, error: io::Error, lock: &Lock) -> io::Error {
        match self.keep_beside(UNSAVED, lock) {
            Ok(kept) => io::Error::new(
                error.kind(),
                format!("{error}; what came whole is in {}", kept.display()),
            ),
            // It is the log already, or the disk takes nothing at all.
            Err(_) => error,
        }
    }

    /// Keeps what came under this name, or one with a number; a file with the same bytes is enough.
    fn keep_beside(&self, name: &str, _: &Lock) -> io::Result<PathBuf> {
        let (name, is_used) = copy_name(&self.folder, name, &self.part)?;
        if !is_used {
            self.folder.rename(&self.part, &self.folder, &name)?;
        }
        Ok(self.path.join(name))
    }

    fn write_manifest(&self, manifest: &Manifest, lock: &Lock) -> io::Result<String> {
        let (part, mut file) = create(&self.folder, MANIFEST, lock)?;
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

const SD: &str = "sd";
const LOG: &str = "log.csv";
const PARTIAL: &str = "log.csv.partial";
const SUSPECT: &str = "log.csv.suspect";
/// What came whole and could not become the log.
const UNSAVED: &str = "log.csv.unsaved";
const MANIFEST: &str = "manifest.json";

#[cfg(test)]
mod tests {
    use super::*;
    use flylead_core::export::Integrity;
    use std::fs;

    const PREVIOUS: &str = "log.csv.1";
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
            integrity: Integrity::Crc32,
            proven: true,
            accepted: Vec::new(),
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
        let left = artifacts.path().join("run001/sd/.flylead-log.csv.1-0.tmp");
        fs::write(left, "killed").unwrap();
        save(artifacts.path(), "next\n");
        assert_eq!(names(artifacts.path()), [LOG, PREVIOUS, MANIFEST]);
        let log = artifacts.path().join("run001/sd/log.csv");
        assert_eq!(fs::read_to_string(log).unwrap(), "next\n");
    }

    #[test]
    fn no_log_is_lost_to_a_third_one() {
        let artifacts = tempfile::tempdir().unwrap();
        for log in ["first\n", "second\n", "third\n", "third\n"] {
            save(artifacts.path(), log);
        }
        let all = [LOG, PREVIOUS, "log.csv.2", MANIFEST];
        assert_eq!(names(artifacts.path()), all);
        let read =
            |name| fs::read_to_string(artifacts.path().join("run001/sd").join(name)).unwrap();
        assert_eq!(
            all[..3].iter().map(read).collect::<Vec<_>>(),
            ["third\n", "first\n", "second\n"]
        );
    }

    #[test]
    fn files_of_the_user_are_left_alone() {
        let artifacts = tempfile::tempdir().unwrap();
        save(artifacts.path(), "old\n");
        let mine = artifacts.path().join("run001/sd/.mine.tmp");
        fs::write(&mine, "mine").unwrap();
        save(artifacts.path(), "new\n");
        assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
    }

    #[test]
    fn a_log_that_cannot_be_put_in_its_place_is_kept_and_named() {
        let artifacts = tempfile::tempdir().unwrap();
        let log = artifacts.path().join("run001/sd/log.csv");
        fs::create_dir_all(&log).unwrap();
        let error = begin(artifacts.path(), "new\n")
            .publish(manifest())
            .unwrap_err();
        assert!(error.to_string().contains("log.csv.unsaved"), "{error}");
        let kept = log.with_file_name("log.csv.unsaved");
        assert_eq!(fs::read_to_string(kept).unwrap(), "new\n");
    }

    #[test]
    fn suspects_are_kept_beside_each_other() {
        let artifacts = tempfile::tempdir().unwrap();
        for log in ["one\n", "two\n", "two\n"] {
            begin(artifacts.path(), log).keep_suspect().unwrap();
        }
        assert_eq!(names(artifacts.path()), [SUSPECT, "log.csv.suspect.1"]);
    }

    /// Each thread saves a log that names its writer, and a manifest that does too.
    #[test]
    fn two_saves_at_once_leave_a_manifest_that_belongs_to_the_log() {
        let artifacts = tempfile::tempdir().unwrap();
        for round in 0..200 {
            std::thread::scope(|scope| {
                for writer in 0..2 {
                    let text = format!("{round} {writer}\n");
                    let mut saver = begin(artifacts.path(), &text);
                    saver.write(b"").unwrap();
                    let mut manifest = manifest();
                    manifest.sha256 = text;
                    scope.spawn(move || saver.publish(manifest).unwrap());
                }
            });
            let read =
                |name| fs::read_to_string(artifacts.path().join("run001/sd").join(name)).unwrap();
            let manifest: serde_json::Value = serde_json::from_str(&read(MANIFEST)).unwrap();
            assert_eq!(manifest["sha256"], read(LOG));
        }
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
