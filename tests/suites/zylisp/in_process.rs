//! The server without sockets, inside of its client's process.

use std::time::Duration;

use flylead_native::zylisp::{Address, Client, ReplyOutcome, Status};
use tokio::time::timeout;

use super::server::{COUNT, FOREVER, value};

#[tokio::test(flavor = "multi_thread")]
async fn the_in_process_address_needs_no_server() {
    let client = Client::connect(&Address::InProcess).await.unwrap();
    assert_eq!(value(&client, "(define x 3) (* x x)").await, 9);
}

#[tokio::test]
async fn in_process_requests_are_carried_out_in_their_order_however_they_are_made() {
    let client = Client::connect(&Address::InProcess).await.unwrap();
    let long = format!("{COUNT} (define x (c 20000)) x");
    for round in 0..50 {
        let started = client.start(format!("(define x {round})")).await.unwrap();
        assert_eq!(value(&client, "x").await, round);
        // Longer than a slice, so that the session's own task goes on with it.
        let (counted, after) = tokio::join!(value(&client, &long), value(&client, "(+ x 1)"));
        assert_eq!((counted, after), (20_000.into(), 20_001.into()));
        assert!(matches!(
            started.reply().await.unwrap().outcome,
            ReplyOutcome::Value { .. }
        ));
    }
}

#[tokio::test]
async fn what_runs_in_process_can_be_interrupted_given_up_and_listened_to() {
    let client = Client::connect(&Address::InProcess).await.unwrap();
    let (reply, interrupt) = tokio::join!(client.eval(FOREVER), client.interrupt());
    assert_eq!(reply.unwrap().outcome, ReplyOutcome::Interrupted);
    assert!(!interrupt.unwrap().status.contains(&Status::SessionIdle));

    let given_up = timeout(Duration::from_millis(20), client.eval(FOREVER)).await;
    assert!(given_up.is_err());
    assert_eq!(value(&client, "(+ 1 2)").await, 3);

    let mut live = client
        .start("(println \"a\") (define f (lambda () (f))) (f)")
        .await
        .unwrap();
    assert_eq!(live.next_output().await.as_deref(), Some("a\n"));
    client.interrupt().await.unwrap();
    assert_eq!(
        live.reply().await.unwrap().outcome,
        ReplyOutcome::Interrupted
    );
}

#[tokio::test]
async fn an_in_process_client_loads_the_files_that_its_program_can_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.zylisp");
    std::fs::write(&path, "(define a 1)\n(+ a 1)").unwrap();
    let client = Client::connect(&Address::InProcess).await.unwrap();
    let reply = client.load_file(path.to_str().unwrap()).await.unwrap();
    assert!(matches!(reply.outcome, ReplyOutcome::Value { value, .. } if value == 2));
    let missing = client.load_file("nowhere.zylisp").await.unwrap();
    assert!(
        matches!(missing.outcome, ReplyOutcome::Refused(why) if why.contains("nowhere.zylisp"))
    );
    let directory = client.load_file(folder.path().to_str().unwrap()).await;
    assert!(
        matches!(directory.unwrap().outcome, ReplyOutcome::Refused(why) if why.contains("not a regular file"))
    );
    assert_eq!(value(&client, "a").await, 1);
}
