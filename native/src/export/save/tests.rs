//! Saves that end at any step, meet each other, and find what others left.

use super::{publish::Step, *};
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
        checksum_wait_ms: None,
        proven: true,
        accepted: Vec::new(),
        warnings: Vec::new(),
        received: None,
        requested_at: 0,
        received_at: 0,
        origin: crate::export::Origin::default(),
        flylead: String::new(),
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
            Step::Replaced | Step::ManifestWritten | Step::ManifestReplaced | Step::FolderSynced
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
    let read = |name| fs::read_to_string(artifacts.path().join("run001/sd").join(name)).unwrap();
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
