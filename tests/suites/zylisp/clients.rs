//! Actions of clients on the server, and its answers.

use std::{
    io::{Read, Write},
    sync::{Arc, Mutex},
    task::Waker,
    time::{Duration, Instant},
};

use flylead_native::zylisp::{
    Client, ClientOptions, Encoding, Evaluator, Progress, ReplyOutcome, Server, ServerConfig, Task,
    Zylisp,
    lang::{Interpreter, Limits},
};
use flylead_tests::zylisp::raw;
use serde_json::{Value as Json, json};
use tokio::time::{sleep, timeout};

use super::server::{FOREVER, connect, outcome_value, serve, talk, tcp, value};

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
    let sent = Instant::now();
    while *last.lock().unwrap() <= sent {
        assert!(sent.elapsed() < Duration::from_secs(30), "it does not run");
        sleep(Duration::from_millis(10)).await;
    }
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
    for answer in all.await.expect("nobody waits forever") {
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
