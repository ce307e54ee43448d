//! The server against whatever ended the original one, over real sockets.

use std::time::{Duration, Instant};

use flylead_native::zylisp::{
    Client, ClientOptions, Encoding, Reply, ReplyOutcome, Server, ServerConfig, Status,
};
use flylead_tests::zylisp::{is_hung_up_on_without_reading, raw, send_without_end};
use serde_json::{Value as Json, json};
use tokio::time::sleep;

pub(super) const FOREVER: &str = "(define f (lambda () (f))) (f)";
pub(super) const COUNT: &str = "(define c (lambda (n) (if (= n 0) 0 (+ 1 (c (- n 1))))))";

pub(super) async fn serve(address: &str) -> Server {
    Server::bind(ServerConfig::at([address]).unwrap())
        .await
        .unwrap()
}

pub(super) async fn tcp() -> Server {
    serve("127.0.0.1:0").await
}

pub(super) async fn connect(server: &Server) -> Client {
    Client::connect(&server.addresses()[0]).await.unwrap()
}

pub(super) async fn value(client: &Client, code: &str) -> Json {
    outcome_value(client.eval(code).await.unwrap())
}

pub(super) fn outcome_value(reply: Reply) -> Json {
    match reply.outcome {
        ReplyOutcome::Value { value, .. } => value,
        ReplyOutcome::Error(error) => json!({"type": error.kind}),
        other => panic!("{other:?}"),
    }
}

/// In a thread of its own, since it blocks.
pub(super) async fn talk<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn c1_endless_recursion_hurts_nobody_else_and_can_be_interrupted() {
    let server = tcp().await;
    let (guilty, bystander) = (connect(&server).await, connect(&server).await);
    let endless = format!("(println \"begun\") {FOREVER}");
    let mut endless = guilty.start(endless).await.unwrap();
    assert_eq!(endless.next_output().await.as_deref(), Some("begun\n"));
    assert_eq!(value(&bystander, "(+ 1 2)").await, 3);
    guilty.interrupt().await.unwrap();
    let reply = endless.reply().await.unwrap();
    assert_eq!(reply.outcome, ReplyOutcome::Interrupted);
    assert_eq!(value(&guilty, "(+ 1 2)").await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_deep_recursion_is_an_error_and_a_million_tail_calls_are_none() {
    let server = tcp().await;
    let client = connect(&server).await;
    value(&client, COUNT).await;
    assert_eq!(value(&client, "(c 100000)").await, 100_000);
    assert_eq!(
        value(&client, "(c 1000000)").await,
        json!({"type": "limit-error"})
    );
    let tail = "(define d (lambda (n) (if (= n 0) 0 (d (- n 1))))) (d 1000000)";
    assert_eq!(value(&client, tail).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn c3_eight_connections_that_define_do_not_see_each_other() {
    let server = tcp().await;
    let clients = (0..8).map(|number| {
        let address = server.addresses()[0].clone();
        tokio::spawn(async move {
            let client = Client::connect(&address).await.unwrap();
            for n in 0..500 {
                client
                    .eval(format!("(define x {})", number * 1_000 + n))
                    .await
                    .unwrap();
            }
            assert_eq!(value(&client, "x").await, number * 1_000 + 499);
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
    let fresh = connect(&server).await;
    assert_eq!(
        value(&fresh, "x").await,
        json!({"type": "unbound-variable"})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_messagepack_works() {
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.encoding = Encoding::MessagePack;
    let server = Server::bind(config).await.unwrap();
    let mut options = ClientOptions::default();
    options.encoding = Encoding::MessagePack;
    let client = Client::connect_with(&server.addresses()[0], options)
        .await
        .unwrap();
    assert_eq!(
        value(&client, "(list 1 \"é\" true)").await,
        json!([1, "é", true])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_a_message_without_end_is_refused_and_not_kept() {
    let server = tcp().await;
    let stream = raw(&server);
    let (reply, stream) = talk(move || (send_without_end(&stream).unwrap(), stream)).await;
    assert!(
        reply.contains("protocol_error") && reply.contains("longer than"),
        "{reply}"
    );
    drop(stream);
    assert_eq!(value(&connect(&server).await, "1").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn c6_a_thousand_idle_connections_leave_room_for_one_more() {
    let server = tcp().await;
    let idle: Vec<_> = (0..1_000).map(|_| raw(&server)).collect();
    assert_eq!(value(&connect(&server).await, "(+ 1 2)").await, 3);
    drop(idle);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn c7_and_c8_a_file_or_a_live_server_at_the_address_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    std::fs::write(&path, "data").unwrap();
    let address = path.to_str().unwrap();
    let refused = Server::bind(ServerConfig::at([address]).unwrap()).await;
    assert!(refused.unwrap_err().to_string().contains("not a socket"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "data");

    let path = folder.path().join("repl.sock");
    let address = path.to_str().unwrap();
    let server = serve(address).await;
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let second = Server::bind(ServerConfig::at([address]).unwrap()).await;
    assert!(second.unwrap_err().to_string().contains("another server"));
    assert_eq!(value(&connect(&server).await, "1").await, 1);
    server.stop().await;
    assert!(!path.exists(), "it takes its socket with it");

    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "a dead socket");
    let server = serve(address).await;
    assert_eq!(value(&connect(&server).await, "1").await, 1);
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        2,
        "no draft is left"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c9_a_server_that_stops_answers_what_runs() {
    // Beside other work the lowest priority, at which a server evaluates, gets little of the processor.
    let server = draining(Duration::from_secs(60)).await;
    let client = connect(&server).await;
    value(
        &client,
        "(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))",
    )
    .await;
    let (reply, ()) = tokio::join!(client.eval("(fib 27)"), async {
        sleep(Duration::from_millis(20)).await;
        server.stop().await;
    });
    assert_eq!(outcome_value(reply.unwrap()), 196_418);

    let server = draining(Duration::from_millis(50)).await;
    let client = connect(&server).await;
    let (reply, ()) = tokio::join!(client.eval(FOREVER), async {
        sleep(Duration::from_millis(20)).await;
        server.stop().await;
    });
    assert_eq!(reply.unwrap().outcome, ReplyOutcome::Interrupted);
}

/// A server that gives running programs this long when it stops.
async fn draining(drain: Duration) -> Server {
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.drain = drain;
    Server::bind(config).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_a_port_that_is_taken_is_an_error() {
    let server = tcp().await;
    let taken = server.addresses()[0].to_string();
    let refused = Server::bind(ServerConfig::at([taken.as_str()]).unwrap()).await;
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .starts_with("cannot listen on tcp://127.0.0.1:")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c11_beyond_loopback_a_token_is_needed_and_no_file_is_read_outside_the_roots() {
    for address in ["0.0.0.0:0", "ws://0.0.0.0:0", "[::]:0"] {
        let refused = Server::bind(ServerConfig::at([address]).unwrap()).await;
        assert!(
            refused.unwrap_err().to_string().contains("needs a token"),
            "{address}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("code")).unwrap();
    std::fs::write(folder.path().join("secret"), "secret").unwrap();
    std::fs::write(
        folder.path().join("code/two.zylisp"),
        "(define a 1)\n(define b 2)",
    )
    .unwrap();
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.roots = vec![folder.path().join("code")];
    config.token = Some("let me in".into());
    let server = Server::bind(config).await.unwrap();
    let stranger = connect(&server).await;
    assert!(matches!(
        stranger.eval("1").await.unwrap().outcome,
        ReplyOutcome::Refused(_)
    ));
    let mut options = ClientOptions::default();
    options.token = Some("let me out".into());
    assert!(
        Client::connect_with(&server.addresses()[0], options.clone())
            .await
            .is_err()
    );
    options.token = Some("let me in".into());
    let client = Client::connect_with(&server.addresses()[0], options)
        .await
        .unwrap();
    assert_eq!(
        outcome_value(client.load_file("two.zylisp").await.unwrap()),
        2
    );
    for path in [
        "../secret",
        folder.path().join("secret").to_str().unwrap(),
        "nothing",
        ".",
    ] {
        let reply = client.load_file(path).await.unwrap();
        assert!(
            matches!(reply.outcome, ReplyOutcome::Refused(why) if why.contains("no such file")),
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_a_client_that_never_reads_is_bounded_and_dropped() {
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.write_timeout = Duration::from_millis(300);
    let server = Server::bind(config).await.unwrap();
    let stream = raw(&server);
    let failed = talk(move || is_hung_up_on_without_reading(&stream)).await;
    assert!(failed, "the server hangs up");
    assert_eq!(value(&connect(&server).await, "1").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupts_are_answered_at_once_from_the_same_and_from_another_connection() {
    let server = tcp().await;
    let (runner, other) = (connect(&server).await, connect(&server).await);
    let session = runner.describe().await.unwrap().data["session"]
        .as_str()
        .unwrap()
        .to_owned();
    let loops = [
        ("tight loop", FOREVER.to_owned()),
        (
            "runaway recursion",
            format!("{COUNT} (define g (lambda () (if (list (c 50000)) (g) 0))) (g)"),
        ),
        (
            "endless output",
            "(define p (lambda () (if (println \"again\") 0 (p)))) (p)".to_owned(),
        ),
    ];
    for (name, source) in loops {
        for elsewhere in [false, true] {
            let mut times = Vec::new();
            for _ in 0..30 {
                let asked = async {
                    loop {
                        sleep(Duration::from_millis(10)).await;
                        let asked = Instant::now();
                        let reply = match elsewhere {
                            true => other.interrupt_session(session.clone(), None).await,
                            false => runner.interrupt().await,
                        };
                        // On a busy machine the evaluation may not have begun yet.
                        if !reply.unwrap().status.contains(&Status::SessionIdle) {
                            return asked;
                        }
                    }
                };
                let run = async { (runner.eval(source.clone()).await, Instant::now()) };
                let ((reply, answered), asked) = tokio::join!(run, asked);
                assert_eq!(reply.unwrap().outcome, ReplyOutcome::Interrupted, "{name}");
                times.push(answered.saturating_duration_since(asked));
            }
            times.sort();
            let from = if elsewhere { "another" } else { "the same" };
            println!(
                "{name}, from {from} connection: median {:?}, longest {:?}",
                times[15], times[29]
            );
        }
    }
}
