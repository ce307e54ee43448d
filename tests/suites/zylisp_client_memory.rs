//! Measures the memory that a client costs a server: what is allocated for a connection that waits, and for one that has
//! asked. It is a process of its own with one test in it, so that nothing else is counted.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
};

use flylead_native::zylisp::{Address, Server, ServerConfig};
use flylead_tests::memory::{Counting, in_use};
use tokio::task::spawn_blocking;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[tokio::test]
async fn a_client_costs_less_than_one_of_the_server_in_go() {
    let config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    let server = Server::bind(config).await.unwrap();
    // What is made once is there.
    let address = address(&server);
    let first = on_a_thread(move || {
        let first = connect(address, 20);
        first.iter().for_each(ask);
        first
    });
    let first = first.await;
    let before = in_use();
    let clients = on_a_thread(move || {
        let clients = connect(address, CLIENTS);
        // Connections are accepted, and served for the first time, in their order.
        ask(&clients[CLIENTS - 1]);
        clients
    });
    let clients = clients.await;
    let idle = (in_use() - before) / CLIENTS;
    let clients = on_a_thread(move || {
        clients.iter().for_each(ask);
        clients
    });
    let clients = clients.await;
    let asked = (in_use() - before) / CLIENTS;
    drop((first, clients));
    println!("{idle} bytes for a client that waits, {asked} for one that has asked");
    assert!(idle < GO_WAITS * 2 / 3, "{idle} bytes");
    assert!(asked < GO_ASKED, "{asked} bytes");
}

/// Does on a thread what blocks. The server is served by this one alone.
async fn on_a_thread<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    spawn_blocking(work).await.expect("it does not panic")
}

fn address(server: &Server) -> SocketAddr {
    let Some(Address::Tcp(address)) = server.addresses().first() else {
        panic!("it listens on TCP")
    };
    address.parse().unwrap()
}

fn connect(address: SocketAddr, count: usize) -> Vec<TcpStream> {
    let connect = |_| TcpStream::connect(address).unwrap();
    (0..count).map(connect).collect()
}

fn ask(mut client: &TcpStream) {
    let request = b"{\"op\":\"eval\",\"id\":\"1\",\"code\":\"(+ 1 2)\"}\n";
    client.write_all(request).unwrap();
    let mut reply = [0; 256];
    let length = client.read(&mut reply).unwrap();
    assert!(reply[..length].ends_with(b"}\n"), "{reply:?}");
}

const CLIENTS: usize = 200;

/// Resident bytes for each of a thousand clients of the original server (zylisp/repl 609e2f5 built by Go 1.27.3), of which all
/// share one environment: while they wait, and when each has asked once.
const GO_WAITS: usize = 6_300;
const GO_ASKED: usize = 7_600;
