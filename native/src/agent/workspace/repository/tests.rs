use std::{os::unix::fs::PermissionsExt, process::Command};

use super::*;

const NO: Review = |_| false;
const YES: Review = |_| true;

/// A repository with a commit, and a copy of it that a command may change.
struct Repository {
    top: tempfile::TempDir,
    root: PathBuf,
    lifted: Lifted,
}

fn git(folder: &Path, git: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env("GIT_DIR", git)
        .env("GIT_WORK_TREE", folder);
    command
        .args(["-c", "user.name=n", "-c", "user.email=e"])
        .args(words);
    let done = command.output().unwrap();
    assert!(
        done.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    String::from_utf8(done.stdout).unwrap()
}

impl Repository {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().canonicalize().unwrap().join("work");
        fs::create_dir(&root).unwrap();
        let real = root.join(".git");
        git(&root, &real, &["init", "-q", "-b", "main"]);
        fs::write(root.join("a"), "1\n").unwrap();
        git(&root, &real, &["add", "a"]);
        git(&root, &real, &["commit", "-qm", "first"]);
        let mut mounts = Mounts::default();
        let lifted = Lifted::of(
            std::slice::from_ref(&real),
            top.path().join("copies"),
            &mut mounts,
        )
        .unwrap();
        // In the sandbox a mount has them there.
        for (what, at) in mounts.shown {
            let at = lifted.copies[0].path.join(at.strip_prefix(&real).unwrap());
            fs::remove_dir(&at).unwrap();
            std::os::unix::fs::symlink(what, at).unwrap();
        }
        Self { top, root, lifted }
    }

    fn copy(&self) -> PathBuf {
        self.lifted.copies[0].path.clone()
    }

    fn in_copy(&self, words: &[&str]) -> String {
        git(&self.root, &self.copy(), words)
    }

    fn take_over(self, gitlinks: &[&str], review: Review) -> (tempfile::TempDir, PathBuf, String) {
        let gitlinks: Vec<String> = gitlinks.iter().map(|it| (*it).to_owned()).collect();
        let said = self
            .lifted
            .take_over(&self.root, &gitlinks, review)
            .join("\n");
        assert!(!self.top.path().join("copies").exists());
        (self.top, self.root, said)
    }
}

#[test]
fn a_commit_stays_without_a_question_and_its_objects_are_whole() {
    let repository = Repository::new();
    fs::write(repository.root.join("a"), "2\n").unwrap();
    repository.in_copy(&["commit", "-qam", "second"]);
    repository.in_copy(&["branch", "other"]);
    let real = repository.root.join(".git");
    assert_eq!(
        git(&repository.root, &real, &["log", "--format=%s"]),
        "first\n"
    );
    let (_top, root, said) = repository.take_over(&[], NO);
    assert!(
        said.contains("3 new objects") && said.contains("refs/heads/other"),
        "{said}"
    );
    assert_eq!(
        git(&root, &real, &["log", "--format=%s", "other"]),
        "second\nfirst\n"
    );
    assert_eq!(git(&root, &real, &["status", "--porcelain"]), "");
    git(&root, &real, &["fsck", "--strict"]);
    assert!(
        !real.join("objects/info/alternates").exists() && !real.join("objects-before").exists()
    );
}

#[test]
fn what_git_obeys_stays_only_if_the_person_says_so() {
    for (review, stays) in [(NO, false), (YES, true)] {
        let repository = Repository::new();
        repository.in_copy(&["config", "core.fsmonitor", "evil"]);
        repository.in_copy(&["commit", "-q", "--allow-empty", "-m", "second"]);
        let hook = repository.copy().join("hooks/pre-commit");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, "evil\n").unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o777)).unwrap();
        fs::create_dir(repository.copy().join("rebase-merge")).unwrap();
        fs::write(
            repository.copy().join("rebase-merge/git-rebase-todo"),
            "exec evil\n",
        )
        .unwrap();
        let (_top, root, said) = repository.take_over(&[], review);
        let real = root.join(".git");
        assert_eq!(
            fs::read_to_string(real.join("config"))
                .unwrap()
                .contains("evil"),
            stays
        );
        assert_eq!(real.join("hooks/pre-commit").exists(), stays);
        assert_eq!(real.join("rebase-merge").exists(), stays);
        assert_eq!(said.contains("the person rejected"), !stays, "{said}");
        assert_eq!(
            git(&root, &real, &["log", "--format=%s"]),
            "second\nfirst\n"
        );
    }
}

#[test]
fn a_person_is_shown_what_changes() {
    let repository = Repository::new();
    repository.in_copy(&["config", "alias.st", "!evil"]);
    let shown: Review = |changes| {
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].path, ".git/config");
        assert!(
            changes[0].text.contains("+\tst = !evil"),
            "{}",
            changes[0].text
        );
        true
    };
    let (_top, _root, said) = repository.take_over(&[], shown);
    assert!(said.contains("config"), "{said}");
}

#[test]
fn an_index_with_another_repository_in_it_is_asked_for() {
    let repository = Repository::new();
    fs::write(repository.root.join("b"), "b").unwrap();
    repository.in_copy(&["add", "b"]);
    let (_top, root, said) = repository.take_over(&["sub"], NO);
    assert!(
        said.contains("the person rejected") && said.contains(".git/index"),
        "{said}"
    );
    assert_eq!(
        git(&root, &root.join(".git"), &["status", "--porcelain"]),
        "?? b\n"
    );
}

#[test]
fn nothing_stays_where_somebody_else_was_at_work_meanwhile() {
    let repository = Repository::new();
    repository.in_copy(&["commit", "-q", "--allow-empty", "-m", "theirs"]);
    let real = repository.root.join(".git");
    git(
        &repository.root,
        &real,
        &["commit", "-q", "--allow-empty", "-m", "mine"],
    );
    let (_top, root, said) = repository.take_over(&[], YES);
    assert!(
        said.contains("none of its changes") && said.contains("meantime"),
        "{said}"
    );
    assert_eq!(git(&root, &real, &["log", "--format=%s"]), "mine\nfirst\n");
}

#[test]
fn links_and_pipes_in_a_copy_lead_nowhere() {
    let repository = Repository::new();
    let secret = repository.top.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let head = repository.copy().join("HEAD");
    fs::remove_file(&head).unwrap();
    std::os::unix::fs::symlink(&secret, &head).unwrap();
    let pipe = repository.copy().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        pipe,
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let (_top, root, said) = repository.take_over(&[], NO);
    assert!(
        said.contains(".git/HEAD") && said.contains(".git/pipe"),
        "{said}"
    );
    assert_eq!(
        fs::read_to_string(root.join(".git/HEAD")).unwrap(),
        "ref: refs/heads/main\n"
    );
}

#[test]
fn a_repository_is_made_where_there_was_none() {
    let top = tempfile::tempdir().unwrap();
    let root = top.path().canonicalize().unwrap();
    let real = root.join("work/.git");
    fs::create_dir_all(&real).unwrap();
    let mut mounts = Mounts::default();
    let lifted = Lifted::of(
        std::slice::from_ref(&real),
        root.join("copies"),
        &mut mounts,
    )
    .unwrap();
    let copy = lifted.copies[0].path.clone();
    git(
        &root.join("work"),
        &copy,
        &["init", "-q", "--template=", "-b", "main"],
    );
    let said = lifted.take_over(&root.join("work"), &[], YES).join("\n");
    assert!(said.contains("HEAD"), "{said}");
    assert_eq!(
        git(&root.join("work"), &real, &["symbolic-ref", "HEAD"]),
        "refs/heads/main\n"
    );
}
