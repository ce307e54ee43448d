//! The server against whatever ended the original one, over real sockets.

use std::{
    io::{Read, Write},
    sync::{Arc, Mutex},
    task::Waker,
    time::{Duration, Instant},
};

use flylead::zylisp::{
    Address, Client, ClientOptions, Encoding, Evaluator, Progress, Reply, ReplyOutcome, Server,
    ServerConfig, Status, Task, Zylisp,
    lang::{Interpreter, Limits},
};
use flylead_tests::zylisp::{is_hung_up_on_without_reading, raw, send_without_end};
use serde_json::{Value as Json, json};
use tokio::time::{sleep, timeout};

const FOREVER: &str = "(define f (lambda () (f))) (f)";
const COUNT: &str = "(define c (lambda (n) (if (= n 0) 0 (+ 1 (c (- n 1))))))";

async fn serve(address: &str) -> Server {
    Server::bind(ServerConfig::at([address]).unwrap())
        .await
        .unwrap()
}

async fn tcp() -> Server {
    serve("127.0.0.1:0").await
}

async fn connect(server: &Server) -> Client {
    Client::connect(&server.addresses()[0]).await.unwrap()
}

async fn value(client: &Client, code: &str) -> Json {
    outcome_value(client.eval(code).await.unwrap())
}

fn outcome_value(reply: Reply) -> Json {
    match reply.outcome {
        ReplyOutcome::Value { value, .. } => value,
        ReplyOutcome::Error(error) => json!({"type": error.kind}),
        other => panic!("{other:?}"),
    }
}

/// In a thread of its own, since it blocks.
async fn talk<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn c1_endless_recursion_hurts_nobody_else_and_can_be_interrupted() {
    let server = tcp().await;
    let (guilty, bystander) = (connect(&server).await, connect(&server).await);
    let endless = guilty.eval(FOREVER);
    let others = async {
        sleep(Duration::from_millis(100)).await;
        assert_eq!(value(&bystander, "(+ 1 2)").await, 3);
        guilty.interrupt().await.unwrap();
    };
    let (reply, ()) = tokio::join!(endless, others);
    assert_eq!(reply.unwrap().outcome, ReplyOutcome::Interrupted);
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
    assert!(refused.unwrap_err().to_string().contains("no socket"));
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
    let server = tcp().await;
    let client = connect(&server).await;
    value(
        &client,
        "(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))",
    )
    .await;
    let (reply, ()) = tokio::join!(client.eval("(fib 22)"), async {
        sleep(Duration::from_millis(20)).await;
        server.stop().await;
    });
    assert_eq!(outcome_value(reply.unwrap()), 17_711);

    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.drain = Duration::from_millis(50);
    let server = Server::bind(config).await.unwrap();
    let client = connect(&server).await;
    let (reply, ()) = tokio::join!(client.eval(FOREVER), async {
        sleep(Duration::from_millis(20)).await;
        server.stop().await;
    });
    assert_eq!(reply.unwrap().outcome, ReplyOutcome::Interrupted);
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
async fn a_client_that_stops_in_the_middle_of_a_message_is_told_and_dropped() {
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.message_timeout = Duration::from_millis(200);
    let server = Server::bind(config).await.unwrap();
    let mut stream = raw(&server);
    let said = talk(move || {
        stream.write_all(b"{\"op\":\"eval\",\"id\":\"1\",").unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        said
    })
    .await;
    assert!(said.contains("did not end within 0.2 s"), "{said}");
    assert_eq!(value(&connect(&server).await, "1").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_beyond_the_limit_are_told_so() {
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.connections = 1;
    let server = Server::bind(config).await.unwrap();
    let first = connect(&server).await;
    assert_eq!(value(&first, "1").await, 1);
    let mut stream = raw(&server);
    let said = talk(move || {
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        said
    })
    .await;
    assert!(said.contains("too many clients"), "{said}");
    assert_eq!(value(&first, "2").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn output_arrives_before_the_program_has_ended() {
    for address in ["127.0.0.1:0", "ws://127.0.0.1:0"] {
        let server = serve(address).await;
        let client = connect(&server).await;
        let mut running = client
            .start(format!("(println \"begun\") {FOREVER}"))
            .await
            .unwrap();
        let output = timeout(Duration::from_secs(20), running.next_output()).await;
        assert_eq!(output.unwrap().as_deref(), Some("begun\n"), "{address}");
        client.interrupt().await.unwrap();
        let reply = running.reply().await.unwrap();
        assert_eq!(reply.outcome, ReplyOutcome::Interrupted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn output_that_nobody_takes_holds_up_the_client_and_not_its_commands() {
    let server = tcp().await;
    let client = connect(&server).await;
    let running = client
        .start("(define p (lambda () (if (println \"again\") 0 (p)))) (p)")
        .await
        .unwrap();
    sleep(Duration::from_millis(300)).await;
    drop(running);
    let next = timeout(Duration::from_secs(20), client.eval("(+ 40 2)")).await;
    assert_eq!(outcome_value(next.unwrap().unwrap()), 42);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_encodes_otherwise_is_an_error_and_no_silence() {
    let server = tcp().await;
    let mut options = ClientOptions::default();
    options.encoding = Encoding::MessagePack;
    let client = Client::connect_with(&server.addresses()[0], options)
        .await
        .unwrap();
    let failed = timeout(Duration::from_secs(20), client.eval("1")).await;
    let failed = failed.unwrap().unwrap_err().to_string();
    assert!(failed.contains("cannot read"), "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_as_a_result_costs_nobody_the_connection() {
    let server = tcp().await;
    let client = connect(&server).await;
    assert_eq!(value(&client, "+").await, "<primitive:+>");
    assert_eq!(
        value(&client, "(list 1 car)").await,
        json!([1, "<primitive:car>"])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_clients_with_a_hundred_evaluations_each_see_no_error() {
    let server = tcp().await;
    let started = Instant::now();
    let clients: Vec<_> = (0..1_000)
        .map(|number: i64| {
            let address = server.addresses()[0].clone();
            tokio::spawn(async move {
                let client = Client::connect(&address).await.unwrap();
                for n in 0..100 {
                    assert_eq!(
                        value(&client, &format!("(+ {number} {n})")).await,
                        number + n
                    );
                }
            })
        })
        .collect();
    for client in clients {
        client.await.unwrap();
    }
    println!("1,000 clients × 100 evaluations: {:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_stops_its_evaluation() {
    let last = Arc::new(Mutex::new(Instant::now()));
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    let watched = Arc::clone(&last);
    config.evaluator = Some(Arc::new(move || {
        let inner = Zylisp::new(Interpreter::new(Limits::default()));
        Box::new(Watched(inner, Arc::clone(&watched)))
    }));
    let server = Server::bind(config).await.unwrap();
    let mut stream = raw(&server);
    let request = json!({"op": "eval", "id": "1", "code": FOREVER}).to_string();
    stream.write_all(request.as_bytes()).unwrap();
    sleep(Duration::from_millis(100)).await;
    drop(stream);
    let dropped = Instant::now();
    while last.lock().unwrap().elapsed() < Duration::from_secs(1) {
        assert!(dropped.elapsed() < Duration::from_secs(30), "it runs on");
        sleep(Duration::from_millis(100)).await;
    }
    let went_on = last.lock().unwrap().saturating_duration_since(dropped);
    println!("evaluation went on for {went_on:?} after the client had gone");
}

/// The language, and when it last ran.
struct Watched(Zylisp, Arc<Mutex<Instant>>);

impl Evaluator for Watched {
    fn begin(&mut self, task: Task) {
        self.0.begin(task);
    }

    fn run(&mut self, fuel: &mut u64, waker: &Waker) -> Progress {
        *self.1.lock().unwrap() = Instant::now();
        self.0.run(fuel, waker)
    }

    fn interrupt(&mut self) {
        self.0.interrupt();
    }

    fn take_output(&mut self) -> (String, usize) {
        self.0.take_output()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_before_a_half_close_is_answered() {
    let server = tcp().await;
    let mut stream = raw(&server);
    let reply = talk(move || {
        stream
            .write_all(b"{\"op\":\"eval\",\"id\":\"1\",\"code\":\"1\"}")
            .unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    })
    .await;
    assert_eq!(
        reply,
        "{\"id\":\"1\",\"value\":1,\"output\":\"\",\"status\":[\"done\"]}\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_asks_for_much_at_once_gets_all_of_it_while_both_directions_are_full() {
    let server = tcp().await;
    let client = connect(&server).await;
    // 15 MB each way, which no buffer between the two holds.
    let text = "x".repeat(50_000);
    let code = format!("\"{text}\"");
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..300 {
        let (client, code) = (client.clone(), code.clone());
        asking.spawn(async move { value(&client, &code).await });
    }
    let all = timeout(Duration::from_secs(120), asking.join_all());
    for answer in all.await.expect("nobody waits for ever") {
        assert_eq!(answer, text.as_str());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_future_that_is_dropped_interrupts_its_evaluation() {
    let server = tcp().await;
    let client = connect(&server).await;
    assert!(
        timeout(Duration::from_millis(50), client.eval(FOREVER))
            .await
            .is_err()
    );
    assert_eq!(value(&client, "(+ 40 2)").await, 42);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_is_sent_away_unheard() {
    let server = tcp().await;
    let mut stream = raw(&server);
    let reply = talk(move || {
        stream
            .write_all(b"POST / HTTP/1.1\r\nHost: x\r\n\r\n{\"op\":\"eval\",\"id\":\"1\",\"code\":\"1\"}\n")
            .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    })
    .await;
    assert!(
        reply.contains("HTTP") && !reply.contains("value"),
        "{reply}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn websockets_carry_a_message_in_each_frame_and_only_from_named_pages() {
    use futures_util::{SinkExt, StreamExt};
    use tokio_tungstenite::tungstenite::{Message as Frame, client::IntoClientRequest};
    let mut config = ServerConfig::at(["ws://127.0.0.1:0"]).unwrap();
    config.origins = vec!["https://bench.example".into()];
    let server = Server::bind(config).await.unwrap();
    let client = connect(&server).await;
    assert_eq!(value(&client, "(+ 1 2)").await, 3);

    let url = server.addresses()[0].to_string();
    let from = |origin: &str| {
        let mut request = url.clone().into_client_request().unwrap();
        request
            .headers_mut()
            .insert("origin", origin.parse().unwrap());
        tokio_tungstenite::connect_async(request)
    };
    assert!(from("https://evil.example").await.is_err());
    let (mut socket, _) = from("https://bench.example").await.unwrap();
    for id in ["1", "2"] {
        let request = json!({"op": "eval", "id": id, "code": "(+ 1 2)"}).to_string();
        socket.send(Frame::text(request)).await.unwrap();
    }
    for id in ["1", "2"] {
        let frame = socket.next().await.unwrap().unwrap().into_text().unwrap();
        let reply: Json = serde_json::from_str(&frame).unwrap();
        assert_eq!(
            reply,
            json!({"id": id, "value": 3, "output": "", "status": ["done"]})
        );
    }
}

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
        matches!(directory.unwrap().outcome, ReplyOutcome::Refused(why) if why.contains("no plain file"))
    );
    assert_eq!(value(&client, "a").await, 1);
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
