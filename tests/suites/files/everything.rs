//! Every request, with what is hard about names and content.

use std::fs;

use flylead_core::board::{Answer, EntryKind, Error, Request};

use crate::common::{by_both_means, entries, kind, list, names, open, random, read, write};

const NAMES: [&str; 6] = [
    "plain.py",
    "with space.txt",
    "it's \"quoted\" \\ .txt",
    "naïve 日本 🦀.txt",
    "-r",
    "line\nbreak",
];

#[test]
fn any_content_comes_back_as_it_went() {
    by_both_means(|board, files| {
        let all: Vec<u8> = (0..=255).cycle().take(1024).collect();
        let source = b"def f(x):\n    return x + 1\n".repeat(500);
        let sizes = [1, 511, 512, 513, 4096, 40_000];
        let mut contents = vec![Vec::new(), all, source, b"\x03\x04\x01\x02+D".repeat(100)];
        contents.extend(sizes.map(|size| random(size as u64, size)));
        for content in contents {
            let answer = files.must(write("data.bin", &content));
            assert!(matches!(answer, Answer::Written(done) if done.bytes == content.len() as u64));
            assert!(fs::read(board.flash().join("data.bin")).unwrap() == content);
            assert!(files.must(read("data.bin")) == Answer::Bytes(content));
        }
        assert_eq!(names(&list(files, "")), ["data.bin"]);
    });
}

#[test]
fn any_name_can_be_written_read_listed_hashed_renamed_and_removed() {
    by_both_means(|board, files| {
        for name in NAMES {
            let content = name.as_bytes();
            files.must(write(name, content));
            assert!(
                fs::read(board.flash().join(name)).unwrap() == content,
                "{name}"
            );
            assert_eq!(files.must(read(name)), Answer::Bytes(content.to_vec()));
            assert_eq!(names(&list(files, "/flash")), [name]);
            let [path, from] = [name, name].map(String::from);
            assert!(matches!(
                files.must(Request::Hash { path }),
                Answer::Hash(_)
            ));
            let to = format!("new {name}");
            files.must(Request::Rename {
                from,
                to: to.clone(),
            });
            assert_eq!(kind(files, name), Err(Error::NotFound));
            files.must(Request::Remove { path: to });
            assert!(list(files, "").is_empty(), "{name}");
        }
    });
}

#[test]
fn appending_makes_a_file_and_makes_it_longer() {
    by_both_means(|_, files| {
        let mut whole = Vec::new();
        for seed in 0..3 {
            let data = random(seed, 3000);
            let path = "log".into();
            whole.extend(&data);
            files.must(Request::Append { path, data });
            assert!(files.must(read("log")) == Answer::Bytes(whole.clone()));
        }
        assert_eq!(names(&list(files, "")), ["log"]);
    });
}

#[test]
fn a_tree_is_made_told_with_hashes_and_removed() {
    by_both_means(|board, files| {
        let path = "a/b c/日本".to_owned();
        files.must(Request::MakeDirectory {
            path: path.clone(),
            parents: true,
        });
        files.must(Request::MakeDirectory {
            path,
            parents: true,
        });
        files.must(write("a/b c/x.py", b"x"));
        files.must(Request::Touch {
            path: "a/empty".into(),
        });
        let tree = entries(files.must(Request::Tree {
            path: "a".into(),
            hashes: true,
        }));
        assert_eq!(names(&tree), ["b c", "b c/x.py", "b c/日本", "empty"]);
        assert_eq!(tree[0].kind, EntryKind::Directory);
        assert_eq!((tree[1].size, tree[3].size), (1, 0));
        assert_eq!(tree[1].sha256.unwrap()[..4], [0x2d, 0x71, 0x16, 0x42]);
        assert_eq!(tree[3].sha256.unwrap()[..4], [0xe3, 0xb0, 0xc4, 0x42]);
        assert!(
            tree[1]
                .modified
                .is_some_and(|seconds| seconds > 1_600_000_000)
        );
        files.must(Request::RemoveTree { path: "a".into() });
        assert_eq!(fs::read_dir(board.flash()).unwrap().count(), 0);
    });
}

#[test]
fn touching_a_file_leaves_its_content() {
    by_both_means(|_, files| {
        files.must(write("a", b"content"));
        files.must(Request::Touch { path: "a".into() });
        assert_eq!(files.must(read("a")), Answer::Bytes(b"content".to_vec()));
    });
}

#[test]
fn each_refusal_says_what_is_wrong() {
    by_both_means(|_, files| {
        let path = "there".to_owned();
        files.must(Request::MakeDirectory {
            path: path.clone(),
            parents: false,
        });
        files.must(write("there/file", b"x"));
        let again = Request::MakeDirectory {
            path: path.clone(),
            parents: false,
        };
        assert_eq!(files.ask(again), Err(Error::Exists));
        assert_eq!(files.ask(read("none")), Err(Error::NotFound));
        assert_eq!(files.ask(read("there")), Err(Error::IsDirectory));
        assert_eq!(files.ask(write("none/x", b"x")), Err(Error::NotFound));
        let below_a_file = Request::List {
            path: "there/file".into(),
            times: true,
        };
        assert_eq!(files.ask(below_a_file), Err(Error::NotDirectory));
        for gone in ["none", "there/none"] {
            let path = gone.to_owned();
            assert_eq!(
                files.ask(Request::Hash { path: path.clone() }),
                Err(Error::NotFound)
            );
            assert_eq!(
                files.ask(Request::Stat { path: path.clone() }),
                Err(Error::NotFound)
            );
            assert_eq!(
                files.ask(Request::Remove { path: path.clone() }),
                Err(Error::NotFound)
            );
            assert_eq!(
                files.ask(Request::RemoveTree { path }),
                Err(Error::NotFound)
            );
        }
        assert!(files.ask(Request::Remove { path }).is_err());
        assert_eq!(files.must(read("there/file")), Answer::Bytes(b"x".to_vec()));
    });
}

#[test]
fn a_thousand_entries_are_listed_and_removed() {
    let board = flylead_tests::boards::UnixBoard::start();
    let many = board.flash().join("many");
    fs::create_dir(&many).unwrap();
    for number in 0..1000 {
        fs::write(many.join(format!("file {number:04}")), [0; 3]).unwrap();
    }
    open_to_all(&many);
    let mut files = open(board.path());
    let listed = list(&mut files, "many");
    assert_eq!(listed.len(), 1000);
    assert!(
        listed.iter().enumerate().all(|(number, entry)| {
            entry.name == format!("file {number:04}") && entry.size == 3
        })
    );
    files.must(Request::RemoveTree {
        path: "many".into(),
    });
    assert!(!many.exists());
}

/// The board is another user, if this test is run by root.
fn open_to_all(folder: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
}

#[test]
fn free_space_is_told() {
    by_both_means(|_, files| {
        let Answer::Space(space) = files.must(Request::Space {
            path: "/flash".into(),
        }) else {
            panic!("no space told")
        };
        assert!(space.free > 0 && space.free <= space.total, "{space:?}");
    });
}
