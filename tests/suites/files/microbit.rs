//! The smallest board: 16 kB of memory, no SHA-256, no base64, one flat directory.

use flylead_core::board::{Answer, EntryKind, Error, Request, TransferMethod};
use flylead_tests::boards::Microbit;

use crate::common::{check_prompt_and_interrupt, list, names, open, random, read, write};

#[test]
fn a_micro_bit_keeps_files_too() {
    let board = Microbit::start();
    let mut files = open(board.path());
    let contents = [random(1, 1500), Vec::new(), (0..=255).collect()];
    for (name, content) in ["x", "y", "a.bin"].into_iter().zip(contents) {
        let Answer::Written(written) = files.must(write(name, &content)) else {
            panic!("not written")
        };
        assert_eq!(written.method, TransferMethod::Literal);
        assert_eq!(files.must(read(name)), Answer::Bytes(content));
    }
    files.must(Request::Touch { path: "x".into() });
    assert_eq!(files.must(read("x")), Answer::Bytes(random(1, 1500)));
    files.must(Request::Remove { path: "x".into() });
    files.must(Request::Remove { path: "y".into() });
    let name = "it's \"b\" c.txt";
    files.must(write(name, b"text"));
    let listed = list(&mut files, "");
    assert_eq!(names(&listed), ["a.bin", name]);
    assert_eq!((listed[0].size, listed[1].size), (256, 4));
    assert!(listed.iter().all(|entry| entry.kind == EntryKind::File));
    files.must(Request::Remove { path: name.into() });
    assert_eq!(names(&list(&mut files, "")), ["a.bin"]);
    assert_eq!(files.ask(read("none")), Err(Error::NotFound));
    check_prompt_and_interrupt(&mut files);
}

#[test]
fn what_a_micro_bit_lacks_is_named() {
    let board = Microbit::start();
    let mut files = open(board.path());
    let path = "a".to_owned();
    for request in [
        Request::MakeDirectory {
            path: path.clone(),
            parents: false,
        },
        Request::Space { path: path.clone() },
        Request::Rename {
            from: path.clone(),
            to: "b".into(),
        },
        Request::Append {
            path: path.clone(),
            data: b"more".to_vec(),
        },
    ] {
        let answer = files.ask(request);
        assert!(
            matches!(answer, Err(Error::Unsupported { .. })),
            "{answer:?}"
        );
    }
}

#[test]
fn a_write_to_a_micro_bit_can_be_cancelled() {
    let board = Microbit::start();
    let mut files = open(board.path());
    files.must(write("a", b"old"));
    files.begin(write("a", &random(2, 3000)));
    assert!(files.reach(500));
    files.interrupt();
    assert_eq!(files.answer(), Err(Error::Cancelled));
    assert_eq!(files.must(read("a")), Answer::Bytes(b"old".to_vec()));
    assert_eq!(names(&list(&mut files, "")), ["a"]);
    check_prompt_and_interrupt(&mut files);
}
