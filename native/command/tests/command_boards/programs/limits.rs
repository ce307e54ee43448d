//! `--timeout`, and Ctrl-C before the board has answered.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    path::Path,
    process::Child,
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::common::{flylead, piped, press_ctrl_c, run, told_of};

/// Starts a server that accepts connections and stays silent. It reports each Ctrl-A, which
/// requests raw mode.
fn silence() -> (String, mpsc::Receiver<()>) {
    always_saying("")
}

/// Starts a server that answers any input with this text.
fn always_saying(text: &'static str) -> (String, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback is there");
    let address = listener.local_addr().expect("it listens").to_string();
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        for peer in listener.incoming() {
            let (mut peer, tell) = (peer.expect("it connects"), tell.clone());
            thread::spawn(move || {
                let mut chunk = [0; 1024];
                while let Ok(length @ 1..) = peer.read(&mut chunk) {
                    let _ = peer.write_all(text.as_bytes());
                    for _ in chunk[..length].iter().filter(|byte| **byte == CTRL_A) {
                        let _ = tell.send(());
                    }
                }
            });
        }
    });
    (address, told)
}

const CTRL_A: u8 = 1;

fn interrupted_once_it_asks(words: &[&str]) -> Child {
    let (address, asked) = silence();
    let address = format!("tcp://{address}");
    let child = piped(flylead(Path::new(&address), words));
    asked
        .recv_timeout(Duration::from_secs(60))
        .expect("it asks the board");
    press_ctrl_c(&child);
    child
}

#[test]
fn ctrl_c_ends_a_reset_that_gets_no_answer() {
    for words in [
        &["exec", "--reset", "print(1)"][..],
        &["reset"],
        &["fs", "ls"],
    ] {
        let (code, _, stderr) = told_of(interrupted_once_it_asks(words));
        assert_eq!(code, 130, "{stderr}");
        assert!(stderr.contains("interrupted"), "{words:?}: {stderr}");
    }
}

#[test]
fn the_timeout_bounds_connecting() {
    let (address, _asked) = silence();
    let tcp = format!("tcp://{address}");
    let (code, _, stderr) = run(flylead(
        Path::new(&tcp),
        &["--timeout", "1.5", "exec", "print(1)"],
    ));
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("within 1.5 s"), "{stderr}");
    assert!(
        stderr.contains("Press the board's reset button"),
        "{stderr}"
    );
    // A handshake that is never answered.
    let ws = format!("ws://{address}");
    let (code, _, stderr) = run(flylead(
        Path::new(&ws),
        &["--timeout", "0.5", "exec", "print(1)"],
    ));
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("did not answer within 0.5 s"), "{stderr}");
}

#[test]
fn the_timeout_extends_connecting() {
    let (address, _asked) = silence();
    let tcp = format!("tcp://{address}");
    let (code, _, stderr) = run(flylead(
        Path::new(&tcp),
        &["--timeout", "11", "exec", "print(1)"],
    ));
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("within 11 s"), "{stderr}");
}

#[test]
fn a_timeout_of_0_goes_on_connecting_for_ever() {
    let (address, asked) = silence();
    let tcp = format!("tcp://{address}");
    let words = ["--timeout", "0", "exec", "print(1)"];
    let child = piped(flylead(Path::new(&tcp), &words));
    for _ in 0..TRIES_OF_TEN_SECONDS {
        let asks = asked.recv_timeout(Duration::from_secs(60));
        asks.expect("it goes on asking the board");
    }
    press_ctrl_c(&child);
    let (code, _, stderr) = told_of(child);
    assert_eq!(code, 130, "{stderr}");
}

/// The default is to ask for ten seconds: at once, after 250 ms, after 500 ms, and then each second.
const TRIES_OF_TEN_SECONDS: usize = 13;

#[test]
fn a_board_that_does_not_stop_is_said_to_need_its_reset_button_and_what_it_said_last() {
    let (address, _asked) = always_saying("waiting for the sensor\r\n");
    let tcp = format!("tcp://{address}");
    let words = ["--timeout", "1.5", "exec", "print(1)"];
    let (code, _, stderr) = run(flylead(Path::new(&tcp), &words));
    assert_eq!(code, 4, "{stderr}");
    for part in [
        "did not stop its program within 1.5 s",
        "Press the board's reset button",
        "Last output: waiting for the sensor",
    ] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
}

#[test]
fn a_webrepl_that_hangs_up_is_not_said_to_be_slow() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.spawn(async move {
        listener.set_nonblocking(true).unwrap();
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        let (peer, _) = listener.accept().await.unwrap();
        // It shakes hands, and says goodbye.
        let mut socket = tokio_tungstenite::accept_async(peer).await.unwrap();
        socket.close(None).await.unwrap();
    });
    let address = format!("ws://:secret@{address}");
    let (code, _, stderr) = run(flylead(Path::new(&address), &["exec", "print(1)"]));
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("does not ask for a password"), "{stderr}");
    assert!(!stderr.contains("did not answer within"), "{stderr}");
}

#[test]
fn a_command_that_ends_at_once_is_no_board_that_is_gone() {
    for command in ["no-such-command", "true"] {
        let address = format!("process:{command}");
        let (code, _, stderr) = run(flylead(Path::new(&address), &["exec", "print(1)"]));
        assert_eq!(code, 4, "{stderr}");
        let told =
            stderr.contains(&format!("`{command}` has ended")) && !stderr.contains("is gone");
        assert!(told, "{stderr}");
    }
}
