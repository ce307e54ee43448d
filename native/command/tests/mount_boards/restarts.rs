//! Boards that restart or are unplugged.

use std::{fs, os::unix::fs::symlink, time::Duration};

use flylead_native::Board;
use flylead_tests::boards::{Faults, UnixBoard, Wire};
use tokio::{io::AsyncWriteExt as _, time::timeout};

use crate::common::{PATIENCE, folder, ready, session, until};

#[tokio::test(flavor = "multi_thread")]
async fn after_a_soft_reset_the_folder_is_there_when_the_prompt_is() {
    let board = UnixBoard::booting_in(Duration::from_millis(50));
    let here = folder(&[("a.py", "print('imported', 6*7)\n")]);
    let (session, _news) = session(board.path(), &here).await;
    let mut link = session.attach_lasting().await.unwrap();
    ready(&mut link).await;
    for _ in 0..5 {
        // At a soft reset this port leaves, and is started again.
        link.write_all(b"\x04").await.unwrap();
        until(&mut link, "information.\r\n>>> ").await;
        link.write_all(b"import a\r").await.unwrap();
        until(&mut link, "imported 42\n>>> ").await;
    }
    session.end().await;
}

/// On this port a soft reset ends the interpreter, which is started again a moment later.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_waits_for_the_folder_on_a_board_that_has_just_restarted() {
    let board = UnixBoard::booting_in(Duration::from_millis(50));
    let here = folder(&[("a.py", "print('imported', 6*7)\n")]);
    let (session, _news) = session(board.path(), &here).await;
    for _ in 0..5 {
        let mut typing = session.attach_lasting().await.unwrap();
        ready(&mut typing).await;
        typing.write_all(b"\x04").await.unwrap();
        until(&mut typing, "\r\n").await;
        let link = session.attach().await.unwrap();
        let mut board = Board::attach(link, Default::default(), None);
        let ran = timeout(PATIENCE, board.exec("import a")).await;
        assert_eq!(ran.unwrap().unwrap(), b"imported 42\n");
        board.release().await.unwrap();
    }
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_was_unplugged_has_the_folder_when_it_is_back() {
    let board = UnixBoard::start();
    let here = folder(&[("a.py", "print('imported', 6*7)\n")]);
    let port = here.path().join("port");
    let mut wire = Wire::attach(board.path(), Faults::default());
    symlink(wire.path(), &port).unwrap();
    let (session, _news) = session(&port, &here).await;
    let mut link = session.attach_lasting().await.unwrap();
    ready(&mut link).await;
    for _ in 0..3 {
        // Another terminal of this computer may have its name as soon as it is gone.
        fs::remove_file(&port).unwrap();
        wire.unplug();
        wire = Wire::attach(board.path(), Faults::default());
        symlink(wire.path(), &port).unwrap();
        until(&mut link, "information.\r\n>>> ").await;
        link.write_all(b"import a;import sys;del sys.modules['a']\r")
            .await
            .unwrap();
        until(&mut link, "imported 42\n>>> ").await;
    }
    session.end().await;
}
