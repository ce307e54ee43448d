//! A real MicroPython behind the remote REPL.

use std::time::Duration;

use flylead::{
    Board,
    zylisp::{Client, ReplyOutcome, Server, ServerConfig, board_evaluator},
};
use flylead_tests::boards::UnixBoard;
use serde_json::Value as Json;

#[tokio::test(flavor = "multi_thread")]
async fn many_clients_run_python_on_one_board() {
    let unix = tokio::task::spawn_blocking(UnixBoard::start).await.unwrap();
    let address = unix.path().to_str().unwrap().parse().unwrap();
    let board = Board::connect(&address).await.unwrap();
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.evaluator = board_evaluator(board);
    let server = Server::bind(config).await.unwrap();
    let one = Client::connect(&server.addresses()[0]).await.unwrap();
    let two = Client::connect(&server.addresses()[0]).await.unwrap();

    let (first, second) = tokio::join!(
        one.eval("for i in range(3): print(i)"),
        two.eval("print('two')")
    );
    let nothing = ReplyOutcome::Value {
        value: Json::Null,
        text: None,
    };
    let first = first.unwrap();
    assert_eq!(
        (first.outcome, first.output.replace('\r', "").as_str()),
        (nothing, "0\n1\n2\n")
    );
    assert_eq!(second.unwrap().output.trim(), "two");

    let raised = one.eval("1/0").await.unwrap();
    let ReplyOutcome::Error(error) = raised.outcome else {
        panic!("{raised:?}")
    };
    assert_eq!(error.kind, "ZeroDivisionError");

    let (endless, ()) = tokio::join!(one.eval("while True: pass"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        one.interrupt().await.unwrap();
    });
    assert_eq!(endless.unwrap().outcome, ReplyOutcome::Interrupted);

    let left = tokio::time::timeout(Duration::from_millis(300), one.eval("while True: pass")).await;
    assert!(left.is_err());
    drop(one);
    assert_eq!(
        two.eval("print('free')").await.unwrap().output.trim(),
        "free"
    );
    server.stop().await;
}
