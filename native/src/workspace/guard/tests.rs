use std::os::unix::fs::PermissionsExt;

use super::*;

fn workspace(folders: &[&str], files: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let top = tempfile::tempdir().unwrap();
    let root = top.path().canonicalize().unwrap().join("work");
    fs::create_dir(&root).unwrap();
    for folder in folders {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in files {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), "").unwrap();
    }
    (top, root)
}

fn relative(root: &Path, paths: &[PathBuf]) -> Vec<String> {
    let relative = |path: &PathBuf| path.strip_prefix(root).unwrap().display().to_string();
    paths.iter().map(relative).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn repositories_settings_and_the_folders_above_them_are_kept() {
    let (_top, root) = workspace(
        &[
            ".git/hooks",
            "a/b/.git",
            "node_modules/x/.vscode",
            "node_modules/x/.github",
        ],
        &[
            "a/.vscode/settings.json",
            "a/b/.github/x",
            "a/.github/x",
            "store.git/HEAD",
            "store.git/objects/x",
            "store.git/refs/x",
            "src/main.rs",
        ],
    );
    symlink("../src", root.join("a/.idea")).unwrap();
    let guard = Guard::before(&root).unwrap();
    let kept = relative(&root, &guard.mounts().read_only);
    let stand_ins = [
        ".flylead", ".vscode", ".idea", ".husky", ".github", ".claude",
    ];
    let wanted = [
        ".git",
        "a/.vscode",
        "a/b/.git",
        "a/b/.github",
        "src",
        "store.git",
    ];
    assert_eq!(kept, [&wanted[..], &stand_ins[..]].concat());
    assert_eq!(relative(&root, &guard.mounts().pinned), ["a", "a/b"]);
    assert!(root.join(".claude").is_dir());
    assert!(guard.after(&root.join("../aside"), None).is_empty());
    assert_eq!(
        names(&root),
        [".git", "a", "node_modules", "src", "store.git"]
    );
}

#[test]
fn what_is_new_is_put_aside_and_links_are_as_they_were() {
    let (top, root) = workspace(&[".git"], &["real/settings.json"]);
    symlink("real", root.join(".vscode")).unwrap();
    let guard = Guard::before(&root).unwrap();
    for path in [
        "deep/er/.git/hooks/x",
        ".envrc",
        "deep/.GIT",
        "bare/objects/x",
        "bare/refs/x",
        "bare/HEAD",
        "tree/HEAD",
        "tree/commondir",
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), "evil").unwrap();
    }
    fs::remove_file(root.join(".vscode")).unwrap();
    symlink("bare", root.join(".vscode")).unwrap();
    let said = guard.after(&top.path().join("aside"), None);
    assert_eq!(said.len(), 1);
    for name in [
        "deep/er/.git",
        ".envrc",
        "deep/.GIT",
        "bare/HEAD",
        "tree/HEAD",
        ".vscode",
    ] {
        assert!(said[0].contains(name), "{name}: {said:?}");
    }
    assert_eq!(names(&top.path().join("aside")).len(), 6);
    assert_eq!(
        fs::read_link(root.join(".vscode")).unwrap(),
        Path::new("real")
    );
    assert_eq!(names(&root.join("bare")), ["objects", "refs"]);
    assert!(root.join(".git").is_dir() && !root.join(".envrc").exists());
}

/// Memory is another disk than the one of temporary files, or another mount of one.
#[test]
fn what_is_put_aside_on_another_disk_is_put_behind_no_link() {
    let (top, root) = workspace(&[".git"], &[]);
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let aside = memory.path().join("aside");
    let elsewhere = top.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, root.join(".flylead")).unwrap();
    let guard = Guard::before(&root).unwrap();
    fs::create_dir_all(root.join("a/.vscode")).unwrap();
    let said = guard.after(&aside, None).concat();
    assert!(
        said.contains("could NOT be put aside") && said.contains(".flylead is a link"),
        "{said}"
    );
    assert_eq!(names(&elsewhere), [""; 0]);
    fs::remove_file(root.join(".flylead")).unwrap();
    let guard = Guard::before(&root).unwrap();
    fs::create_dir_all(root.join("b/.idea")).unwrap();
    assert!(guard.after(&aside, None).concat().contains("b/.idea"));
    assert!(!root.join("b/.idea").exists() && names(&root.join(".flylead/aside")).len() == 1);
}

#[test]
fn a_folder_that_is_closed_or_very_deep_hides_nothing() {
    let (top, root) = workspace(&[".git"], &[]);
    let guard = Guard::before(&root).unwrap();
    let closed = root.join("closed/.git");
    fs::create_dir_all(&closed).unwrap();
    fs::set_permissions(root.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let deep = root.join("d/".repeat(120)).join(".git");
    fs::create_dir_all(deep).unwrap();
    let said = guard.after(&top.path().join("aside"), None);
    assert!(
        said[0].contains("closed/.git") && said[0].contains("d/d/d"),
        "{said:?}"
    );
    assert!(!root.join("d/".repeat(97)).exists());
}

/// They stay, as they would from a file command, which shows them with the same mark.
#[test]
fn files_that_tools_obey_are_named_when_a_command_has_made_or_changed_them() {
    let (top, root) = workspace(
        &["node_modules/x"],
        &["Makefile", "web/package.json", "conftest.py", "a.txt"],
    );
    let guard = Guard::before(&root).unwrap();
    let made = [
        "AGENTS.md",
        ".cursorrules",
        ".vimrc",
        ".mise.toml",
        "lib/.tool-versions",
    ];
    fs::create_dir(root.join("lib")).unwrap();
    for name in made {
        fs::write(root.join(name), "new").unwrap();
    }
    fs::write(root.join("web/package.json"), "changed").unwrap();
    // As long, and with its old time.
    let old = fs::metadata(root.join("conftest.py"))
        .unwrap()
        .modified()
        .unwrap();
    fs::remove_file(root.join("conftest.py")).unwrap();
    let file = fs::File::create(root.join("conftest.py")).unwrap();
    file.set_modified(old).unwrap();
    fs::write(root.join("a.txt"), "changed").unwrap();
    fs::write(root.join("node_modules/x/package.json"), "new").unwrap();
    let said = guard.after(&top.path().join("aside"), None);
    let [said] = &said[..] else {
        panic!("{said:?}")
    };
    for name in made.iter().chain(&["web/package.json", "conftest.py"]) {
        assert!(said.contains(&format!("{name} (")), "{name}: {said}");
        assert!(root.join(name).exists(), "{name}");
    }
    assert!(said.contains("AGENTS.md (an assistant obeys it"), "{said}");
    for name in ["Makefile", "a.txt", "node_modules"] {
        assert!(!said.contains(name), "{name}: {said}");
    }
}

#[test]
fn what_a_killed_run_left_in_place_of_folders_is_removed() {
    let (_top, root) = workspace(&[], &[".idea/x"]);
    mem::forget(Guard::before(&root).unwrap());
    assert!(root.join(".git").is_dir());
    remove_stand_ins(&root);
    assert_eq!(names(&root), [".idea"]);
}

#[test]
fn sockets_and_pipes_are_hidden() {
    let (_top, root) = workspace(&["a"], &[]);
    let _listener = std::os::unix::net::UnixListener::bind(root.join("a/socket")).unwrap();
    let guard = Guard::before(&root).unwrap();
    assert_eq!(relative(&root, &guard.mounts().hidden), ["a/socket"]);
    drop(guard.after(&root, None));
}

/// Whoever writes to a folder above could make a repository of it, all of which is then shown.
#[test]
fn a_repository_around_is_shown_if_nobody_else_may_write_there() {
    let (top, root) = workspace(&[], &[]);
    let top = top.path().canonicalize().unwrap();
    for folder in [".git/objects", ".git/refs", "other"] {
        fs::create_dir_all(top.join(folder)).unwrap();
    }
    fs::write(top.join(".git/HEAD"), "").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(top.join("other/socket")).unwrap();
    for (mode, shown) in [(0o755, true), (0o777, false), (0o1777, false)] {
        fs::set_permissions(&top, fs::Permissions::from_mode(mode)).unwrap();
        let guard = Guard::before(&root).unwrap();
        assert_eq!(guard.mounts().beside.contains(&top), shown, "{mode:o}");
        let hidden = guard.mounts().hidden.contains(&top.join("other/socket"));
        assert_eq!(hidden, shown, "{mode:o}");
    }
}

#[test]
fn what_was_known_is_kept_in_a_file() {
    let (_top, root) = workspace(&[".git", "b"], &["b/HEAD", "b/commondir"]);
    symlink("x", root.join(".idea")).unwrap();
    let known = Known::of(walk(&root).unwrap());
    let again: Known = serde_json::from_slice(&serde_json::to_vec(&known).unwrap()).unwrap();
    assert_eq!(again, known);
}
