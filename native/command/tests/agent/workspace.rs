//! A workspace that nothing escapes from, on a real disk.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, symlink},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use flylead_core::agent::path::{Names, WorkspacePath, judge};
use flylead_native::workspace::{FileError, Folder, Workspace};
use rustix::fs::{CWD, RenameFlags, renameat_with};

fn judged(path: &str) -> WorkspacePath {
    judge(path, Names::Unix).unwrap().0
}

/// Lists everything below a folder: names, sizes, contents, link targets.
fn snapshot(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            let content = if kind.is_dir() {
                folders.push(path.clone());
                Vec::new()
            } else if kind.is_symlink() {
                fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            found.insert(path.display().to_string(), content);
        }
    }
    found
}

/// A workspace full of traps, beside a folder that nobody may touch.
fn trap() -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    let (inside, outside) = (top.path().join("ws"), top.path().join("ws-secret"));
    fs::create_dir_all(inside.join("sub/deep")).unwrap();
    fs::create_dir_all(inside.join(".git/hooks")).unwrap();
    fs::create_dir_all(outside.join("folder")).unwrap();
    fs::write(outside.join("file"), "secret").unwrap();
    fs::write(outside.join("folder/file"), "secret").unwrap();
    fs::write(inside.join("sub/file"), "mine").unwrap();
    let outside = outside.to_str().unwrap();
    for (name, target) in [
        ("relative", "../ws-secret"),
        ("absolute", outside),
        ("dangling", "../ws-secret/new"),
        ("file", "../ws-secret/file"),
        ("chain", "relative"),
        ("chained", "chain/folder"),
        ("loop", "loop"),
        ("root", "/proc/self/root"),
        ("up", ".."),
        ("git", ".git"),
        ("hooks", "sub/../.git/hooks"),
        ("sub/out", "../../ws-secret"),
        ("sub/deep/out", "../../../ws-secret/folder"),
        ("good", "sub"),
    ] {
        symlink(target, inside.join(name)).unwrap();
    }
    top
}

fn hostile_paths(top: &Path) -> Vec<String> {
    let links = [
        "relative",
        "absolute",
        "dangling",
        "file",
        "chain",
        "chained",
        "loop",
        "root",
        "up",
        "sub/out",
        "sub/deep/out",
        "good/out",
        "good/deep/out",
        "sub/../relative",
        "good/../up",
    ];
    let ends = [
        "",
        "/file",
        "/folder/file",
        "/new",
        "/new/file",
        "/../ws-secret/file",
        "/./file",
        "/x/../file",
        "/..",
    ];
    let outside = top.join("ws-secret/file").display().to_string();
    let starts = [
        "../",
        "../../",
        "sub/../../",
        "./../",
        "..\\",
        "sub\\..\\..\\",
        "sub/deep/../../../",
        "a/b/../../../",
    ];
    let targets = [
        "ws-secret/file",
        "ws-secret/new",
        "ws-secret",
        "ws/../ws-secret/file",
        "etc/passwd",
    ];
    let mut paths: Vec<String> = vec![
        outside.clone(),
        format!("/{outside}"),
        outside.replace('/', "\\"),
        "C:\\x".into(),
    ];
    for link in links {
        paths.extend(ends.iter().map(|end| format!("{link}{end}")));
    }
    for start in starts {
        paths.extend(targets.iter().map(|target| format!("{start}{target}")));
    }
    for name in ["x", "hooks/pre-commit", "config", "HEAD"] {
        let spellings = [
            ".git",
            ".GIT",
            ".Git.",
            ".git ",
            "git",
            "GIT~1",
            ".g\u{200c}it",
            ".git::$DATA",
            "sub/../.git",
            "sub/.git",
        ];
        paths.extend(spellings.iter().map(|git| format!("{git}/{name}")));
    }
    paths.extend(
        [
            "hooks/pre-commit",
            "hooks/x",
            "good/../.git/x",
            "good/../hooks/x",
        ]
        .map(String::from),
    );
    let variants = paths.clone();
    paths.extend(variants.iter().map(|path| format!("./{path}")));
    paths.extend(variants.iter().map(|path| path.replace('/', "//")));
    paths
}

#[test]
fn no_hostile_path_reads_writes_or_deletes_anything_outside() {
    let top = trap();
    let folder = Folder::open(&top.path().join("ws")).unwrap();
    let paths = hostile_paths(top.path());
    assert!(paths.len() >= 500, "{}", paths.len());
    let outside = snapshot(&top.path().join("ws-secret"));
    let git = snapshot(&top.path().join("ws/.git"));
    for path in &paths {
        let Ok((judged, _)) = judge(path, Names::Unix) else {
            continue;
        };
        let read = folder.read(&judged, 1 << 20).unwrap_or_default();
        assert!(
            !read.windows(6).any(|at| at == b"secret"),
            "{path} was read"
        );
        // CREATE_FILE and EDIT_FILE write; an edit reads first.
        let _ = folder.write(&judged, b"escaped");
        let _ = folder.write(&judged, b"escaped again");
        let _ = folder.delete(&judged);
        assert_eq!(snapshot(&top.path().join("ws-secret")), outside, "{path}");
        assert_eq!(snapshot(&top.path().join("ws/.git")), git, "{path}");
    }
    let names: Vec<_> = fs::read_dir(top.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_hundred_good_paths_are_all_accepted() {
    let top = trap();
    let folder = Folder::open(&top.path().join("ws")).unwrap();
    let names = [
        "a.txt",
        "...",
        "ünï",
        "with blank",
        "-rf",
        "a]b",
        ".github",
        ".gitignore",
        "git",
        "CON",
    ];
    let folders = [
        "",
        "new/",
        "sub/",
        "sub/../",
        "sub\\deep\\",
        "./",
        "x/y/z/",
        "good/",
        "good/deep/../",
        "a//b/",
    ];
    let paths: Vec<String> = folders
        .iter()
        .flat_map(|folder| names.map(|name| format!("{folder}{name}")))
        .collect();
    for path in paths.iter().filter(|path| {
        *path != "git" && !path.ends_with("../git") && *path != "./git" || path.contains("good")
    }) {
        let judged = judged(path);
        folder
            .write(&judged, path.as_bytes())
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(folder.read(&judged, 100).unwrap(), path.as_bytes());
    }
    assert_eq!(paths.len(), 100);
}

#[test]
fn links_devices_and_directories_are_named_for_what_they_are() {
    let top = trap();
    let root = top.path().join("ws");
    let folder = Folder::open(&root).unwrap();
    rustix::fs::mknodat(
        CWD,
        root.join("pipe"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    symlink("sub/file", root.join("link")).unwrap();
    assert_eq!(folder.read(&judged("link"), 10).unwrap(), b"mine");
    assert!(matches!(
        folder.write(&judged("link"), b"x"),
        Err(FileError::Link)
    ));
    assert!(matches!(
        folder.read(&judged("pipe"), 10),
        Err(FileError::Special)
    ));
    assert!(matches!(
        folder.read(&judged("sub"), 10),
        Err(FileError::Directory)
    ));
    assert!(matches!(
        folder.write(&judged("sub"), b"x"),
        Err(FileError::Directory)
    ));
    assert!(matches!(
        folder.delete(&judged("sub")),
        Err(FileError::Directory)
    ));
    assert!(matches!(
        folder.write(&judged("sub/file/x"), b"x"),
        Err(FileError::NotADirectory)
    ));
    assert!(matches!(
        folder.read(&judged("none"), 10),
        Err(FileError::NotFound)
    ));
    assert!(matches!(
        folder.read(&judged("sub/file"), 3),
        Err(FileError::TooLong { bytes: 4 })
    ));
    folder.delete(&judged("link")).unwrap();
    assert_eq!(fs::read(root.join("sub/file")).unwrap(), b"mine");
}

#[test]
fn no_folder_is_made_where_a_link_leads_nowhere_and_one_behind_a_link_is() {
    let top = tempfile::tempdir().unwrap();
    let at = |name: &str| top.path().join(name);
    fs::create_dir(at("real")).unwrap();
    symlink("gone/below", at("nowhere")).unwrap();
    symlink("real", at("link")).unwrap();
    let folder = Folder::open(top.path()).unwrap();
    let refused = folder.write(&judged("nowhere/a/b"), b"x");
    assert!(matches!(refused, Err(FileError::Link)), "{refused:?}");
    assert!(!at("gone").exists());
    folder.write(&judged("link/new/b"), b"x").unwrap();
    assert_eq!(fs::read(at("real/new/b")).unwrap(), b"x");
}

#[test]
fn a_write_breaks_a_hard_link_and_keeps_the_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let top = trap();
    let root = top.path().join("ws");
    let folder = Folder::open(&root).unwrap();
    fs::hard_link(top.path().join("ws-secret/file"), root.join("hard")).unwrap();
    fs::set_permissions(root.join("sub/file"), fs::Permissions::from_mode(0o750)).unwrap();
    folder.write(&judged("hard"), b"mine").unwrap();
    folder.write(&judged("sub/file"), b"new").unwrap();
    assert_eq!(
        fs::read(top.path().join("ws-secret/file")).unwrap(),
        b"secret"
    );
    assert_eq!(
        fs::metadata(root.join("sub/file")).unwrap().mode() & 0o777,
        0o750
    );
}

#[test]
fn the_agents_own_folder_is_neither_written_nor_listed() {
    let top = tempfile::tempdir().unwrap();
    let own = top.path().join(".flylead/inbox");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("reply.txt"), "").unwrap();
    fs::write(top.path().join("a"), "").unwrap();
    let folder = Folder::open(top.path()).unwrap();
    for path in [".flylead/inbox/reply.txt", ".FLYLEAD/new"] {
        assert!(matches!(
            folder.write(&judged(path), b""),
            Err(FileError::Protected)
        ));
    }
    let names: Vec<String> = folder
        .list()
        .unwrap()
        .into_iter()
        .map(|file| file.path)
        .collect();
    assert_eq!(names, ["a"]);
}

#[test]
fn the_listing_is_sorted_and_leaves_out_what_git_ignores() {
    let top = trap();
    let root = top.path().join("ws");
    for (name, content) in [
        (".gitignore", "*.log\nbuild/\n"),
        ("b.log", ""),
        ("build/x", ""),
        ("z", "12"),
        ("a/b", ""),
        ("a.b", ""),
    ] {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), content).unwrap();
    }
    let listed = Folder::open(&root).unwrap().list().unwrap();
    let listed: Vec<String> = listed
        .iter()
        .map(|file| format!("{} {}", file.path, file.bytes))
        .collect();
    assert_eq!(
        listed,
        [".gitignore 13", "a.b 0", "a/b 0", "sub/file 4", "z 2"]
    );
}

/// `FLYLEAD_RACE_SECONDS=400` lets it go on to a million tries.
#[test]
fn a_directory_that_is_swapped_for_a_link_in_a_tight_loop_lets_no_write_out() {
    let top = tempfile::tempdir().unwrap();
    let (root, outside) = (top.path().join("ws"), top.path().join("outside"));
    fs::create_dir_all(root.join("dir")).unwrap();
    fs::create_dir(&outside).unwrap();
    symlink("../outside", root.join("other")).unwrap();
    let folder = Folder::open(&root).unwrap();
    let stop = AtomicBool::new(false);
    let seconds = std::env::var("FLYLEAD_RACE_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(3);
    let (mut tries, mut inside) = (0u64, 0u64);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(
                    CWD,
                    root.join("dir"),
                    CWD,
                    root.join("other"),
                    RenameFlags::EXCHANGE,
                )
                .unwrap();
            }
        });
        let deadline = Instant::now() + Duration::from_secs(seconds);
        while tries < 1_000_000 && Instant::now() < deadline {
            let path = judged("dir/file");
            inside += u64::from(match tries % 3 {
                0 => folder.write(&path, b"x").is_ok(),
                1 => folder.read(&path, 10).is_ok_and(|content| content == b"x"),
                _ => folder.delete(&path).is_ok(),
            });
            tries += 1;
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(
        fs::read_dir(&outside).unwrap().count(),
        0,
        "escaped in {tries} tries"
    );
    println!("{tries} tries, {inside} of them inside, 0 outside");
}

/// Disks that take both forms for one find the file.
#[cfg(target_os = "linux")]
#[test]
fn a_name_in_another_form_of_its_letters_is_not_taken_but_told() {
    let top = tempfile::tempdir().unwrap();
    let folder = Folder::open(top.path()).unwrap();
    folder
        .write(&judged("Ro\u{308}he/cafe\u{301}.txt"), b"x")
        .unwrap();
    let composed = judged("R\u{f6}he/caf\u{e9}.txt");
    assert!(matches!(
        folder.read(&composed, 9),
        Err(FileError::NotFound)
    ));
    assert_eq!(
        folder.look_alike(&composed).as_deref(),
        Some("Ro\u{308}he/cafe\u{301}.txt")
    );
    assert_eq!(
        folder.look_alike(&judged("Ro\u{308}he/cafe\u{301}.txt")),
        None
    );
    assert_eq!(folder.look_alike(&judged("Ro\u{308}he/cafe.txt")), None);
    assert_eq!(folder.look_alike(&judged("th\u{e9}")), None);
}
