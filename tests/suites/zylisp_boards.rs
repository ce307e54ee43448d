//! Real MicroPython behind the remote REPL: 1.28 (unix port, in its jail) and 1.9.2 (micro:bit, emulated).
#![cfg(unix)]

use std::{path::Path, time::Duration};

use flylead_native::{
    Board,
    zylisp::{Client, Reply, ReplyOutcome, Server, ServerConfig, SharedBoard},
};
use flylead_tests::boards::{Microbit, UnixBoard};
use serde_json::Value as Json;
use tokio::time::timeout;

async fn serve(board: &Path) -> Server {
    let address = board.to_str().unwrap().parse().unwrap();
    let board = Board::connect(&address).await.unwrap();
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.evaluator = Some(SharedBoard::new(board).evaluators());
    config.evaluator_name = "micropython".into();
    Server::bind(config).await.unwrap()
}

async fn connect(server: &Server) -> Client {
    Client::connect(&server.addresses()[0]).await.unwrap()
}

async fn eval(client: &Client, code: &str) -> Reply {
    timeout(PATIENCE, client.eval(code))
        .await
        .expect("the board answers")
        .unwrap()
}

async fn printed(client: &Client, code: &str) -> String {
    let reply = eval(client, code).await;
    let nothing = ReplyOutcome::Value {
        value: Json::Null,
        text: Some("None".into()),
    };
    assert_eq!(reply.outcome, nothing, "{code}");
    reply.output.replace('\r', "")
}

/// Starts a program that prints `ready`, and waits until that has come.
async fn ready(client: &Client, code: &str) -> flylead_native::zylisp::Evaluation {
    let mut running = client.start(code).await.unwrap();
    let mut output = String::new();
    while !output.contains("ready") {
        let next = timeout(PATIENCE, running.next_output()).await;
        output += &next.expect("output is streamed").expect("it runs on");
    }
    running
}

/// Everything that is asked of a board, by two clients at once.
async fn use_board(server: &Server) {
    let (one, two) = (connect(server).await, connect(server).await);
    assert_eq!(
        one.describe().await.unwrap().data["evaluator"],
        "micropython"
    );
    let (first, second) = tokio::join!(
        printed(&one, "for i in range(3): print(i)"),
        printed(&two, "print('two')")
    );
    assert_eq!((first.as_str(), second.as_str()), ("0\n1\n2\n", "two\n"));

    // One board: what one client defines, the other one sees.
    printed(&one, "shared = 42").await;
    assert_eq!(printed(&two, "print(shared)").await, "42\n");

    let raised = eval(&one, "print('before')\ndef work():\n  1/0\nwork()").await;
    let ReplyOutcome::Error(error) = raised.outcome else {
        panic!("{:?}", raised.outcome)
    };
    assert_eq!(error.kind, "ZeroDivisionError");
    let innermost = &error.trace[0];
    assert_eq!(innermost.function.as_deref(), Some("work"), "{error:?}");
    assert_eq!(innermost.place.line, 3, "{error:?}");
    assert_eq!(raised.output.trim(), "before");

    let endless = "print('ready')\nwhile True: pass";
    let running = ready(&one, endless).await;
    // Who waits for the board can be interrupted without disturbing who has it.
    let (waiting, _) = tokio::join!(eval(&two, "print('never')"), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        two.interrupt().await.unwrap()
    });
    assert_eq!(waiting.outcome, ReplyOutcome::Interrupted);
    one.interrupt().await.unwrap();
    let reply = timeout(PATIENCE, running.reply()).await.unwrap().unwrap();
    assert_eq!(reply.outcome, ReplyOutcome::Interrupted);

    let session = one.describe().await.unwrap().data["session"].clone();
    let running = ready(&one, endless).await;
    two.interrupt_session(session.as_str().unwrap(), None)
        .await
        .unwrap();
    let reply = timeout(PATIENCE, running.reply()).await.unwrap().unwrap();
    assert_eq!(reply.outcome, ReplyOutcome::Interrupted);

    // A client that goes away leaves a board that is free.
    let running = ready(&one, endless).await;
    drop((running, one));
    assert_eq!(printed(&two, "print('free')").await, "free\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_micropython_serves_a_desk() {
    let board = tokio::task::spawn_blocking(UnixBoard::start).await.unwrap();
    let server = serve(board.path()).await;
    use_board(&server).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_and_small_micropython_serves_a_desk() {
    let board = tokio::task::spawn_blocking(Microbit::start).await.unwrap();
    let server = serve(board.path()).await;
    use_board(&server).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_is_pulled_out_is_told_to_every_client() {
    let board = tokio::task::spawn_blocking(UnixBoard::start).await.unwrap();
    let server = serve(board.path()).await;
    let (one, two) = (connect(&server).await, connect(&server).await);
    let running = ready(&one, "print('ready')\nwhile True: pass").await;
    tokio::task::spawn_blocking(move || drop(board))
        .await
        .unwrap();
    let reply = timeout(PATIENCE, running.reply()).await.unwrap().unwrap();
    assert!(
        matches!(&reply.outcome, ReplyOutcome::Refused(why) if why.starts_with("the board")),
        "{reply:?}"
    );
    let reply = eval(&two, "print(1)").await;
    assert!(
        matches!(reply.outcome, ReplyOutcome::Refused(_)),
        "{reply:?}"
    );
}

/// Longer than an emulated board on a busy machine needs for anything here.
const PATIENCE: Duration = Duration::from_secs(60);
