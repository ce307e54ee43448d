//! Boards of a hub and tools that die, fall asleep or flood, over real sockets and pseudo-terminals.
#![cfg(target_os = "linux")]

use std::{
    ffi::CStr,
    fs, io,
    os::fd::OwnedFd,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use flylead_native::{
    hub::{Hub, Member, Received, SharedBoard, serve_rfc2217},
    link::{
        self, Address,
        turn::{Ask, News},
    },
};
use rustix::{
    event::{PollFd, PollFlags, poll},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};

/// A board on a pseudo-terminal.
struct Fake {
    path: String,
    /// All that it was sent.
    got: Arc<Mutex<Vec<u8>>>,
}

impl Fake {
    /// Runs `board`, which ends when nobody has the pseudo-terminal open any more.
    fn run(
        board: impl FnOnce(OwnedFd, Arc<Mutex<Vec<u8>>>) -> io::Result<()> + Send + 'static,
    ) -> Self {
        let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&own).unwrap();
        unlockpt(&own).unwrap();
        let path = ptsname(&own, Vec::new()).unwrap();
        let path = CStr::to_str(&path).unwrap().to_owned();
        let got = Arc::default();
        let gets = Arc::clone(&got);
        // A hang-up ends it.
        thread::spawn(move || drop(board(own, gets)));
        Self { path, got }
    }

    /// A program that prints, and reads nothing.
    fn printing() -> Self {
        Self::run(|own, _| {
            loop {
                write(&own, b"x\r\n")?;
                thread::sleep(Duration::from_millis(1));
            }
        })
    }

    /// A prompt that shows what is typed at it. Enter behind a line starts a program that never ends by itself; Ctrl-C ends it.
    fn python() -> Self {
        Self::run(|own, got| {
            let mut chunk = [0; 1024];
            let mut is_empty = true;
            loop {
                let length = rustix::io::read(&own, &mut chunk)?;
                for &byte in &chunk[..length] {
                    got.lock().unwrap().push(byte);
                    match byte {
                        3 => write(&own, b"\r\n>>> ")?,
                        b'\r' if is_empty => write(&own, b"\r\n>>> ")?,
                        b'\r' => write(&own, b"\r\n")?,
                        b' '..=b'~' => write(&own, &[byte])?,
                        _ => {}
                    }
                    is_empty = byte == 3 || is_empty && byte < b' ';
                }
            }
        })
    }

    fn share(&self, hub: &Hub) -> SharedBoard {
        let path = self.path.clone();
        hub.add(Address::Serial { path, baud: None })
    }
}

/// Writes, as long as the other side is there; what it does not read in time is dropped, as on a wire.
fn write(own: &OwnedFd, bytes: &[u8]) -> io::Result<()> {
    let mut ready = [PollFd::new(own, PollFlags::OUT)];
    let time = Duration::from_millis(100).try_into().unwrap();
    match poll(&mut ready, Some(&time))? {
        0 => Ok(()),
        _ => rustix::io::write(own, bytes)
            .map(|_| ())
            .map_err(io::Error::from),
    }
}

async fn next(member: &mut Member) -> Received {
    let next = timeout(PATIENCE, member.reader.next()).await;
    next.expect("something comes").expect("it goes on")
}

/// Waits for this news, and returns what came before it.
async fn until(member: &mut Member, is_it: impl Fn(&News) -> bool) -> Vec<u8> {
    let mut said = Vec::new();
    loop {
        match next(member).await {
            Received::Bytes(bytes) => said.extend(bytes),
            Received::News(news) if is_it(&news) => return said,
            Received::News(_) => {}
            _ => {}
        }
    }
}

async fn until_said(member: &mut Member, wanted: &[u8]) {
    let mut said = Vec::new();
    while !said.windows(wanted.len()).any(|it| it == wanted) {
        if let Received::Bytes(bytes) = next(member).await {
            said.extend(bytes);
        }
    }
}

async fn turn(board: &SharedBoard) -> Member {
    let mut member = board.attach(Ask::turn("the next tool")).await.unwrap();
    until(&mut member, |news| matches!(news, News::Turn)).await;
    member
}

/// A terminal, after the board has shown it its prompt.
async fn at_prompt(board: &SharedBoard) -> Member {
    let mut typist = board.attach(Ask::shared("a terminal")).await.unwrap();
    typist.writer.write(b"\x03".to_vec()).await.unwrap();
    until_said(&mut typist, b">>> ").await;
    typist
}

#[tokio::test]
async fn a_tool_that_dies_gives_up_a_board_that_prints_and_takes_nothing() {
    let fake = Fake::printing();
    let hub = Hub::new();
    let board = fake.share(&hub);
    let mut page = board.attach(Ask::shared("a page")).await.unwrap();
    until_said(&mut page, b"x").await;
    // More than a pseudo-terminal, and the queue before it, hold.
    let mut reader = page.reader;
    let reading = tokio::spawn(async move { while reader.next().await.is_some() {} });
    for _ in 0..16 {
        let writing = page.writer.write(vec![b'a'; 8192]);
        if timeout(Duration::from_secs(1), writing).await.is_err() {
            break;
        }
    }
    reading.abort();
    let _ = reading.await;
    drop(page.writer);
    turn(&board).await;
}

#[tokio::test]
async fn half_a_line_is_told_and_taken_while_others_wait_and_given_back() {
    let fake = Fake::python();
    let hub = Hub::with_idle_limit(Duration::from_secs(2));
    let board = fake.share(&hub);
    let mut typist = at_prompt(&board).await;
    typist.writer.write(b"prin".to_vec()).await.unwrap();
    until_said(&mut typist, b"prin").await;
    let waiting = tokio::spawn({
        let board = board.clone();
        async move { turn(&board).await }
    });
    let is_told = |news: &News| matches!(news, News::Wanted(by) if !by.since.is_zero());
    until(&mut typist, is_told).await;
    assert!(!waiting.is_finished());
    let is_taken = |news: &News| matches!(news, News::Paused(by) if by.who == "the next tool");
    until(&mut typist, is_taken).await;
    let next = waiting.await.unwrap();
    // The line is gone before the next tool types.
    let got = fake.got.lock().unwrap().clone();
    assert!(got.windows(5).any(|it| it == b"prin\x03"), "{got:?}");
    next.writer.leave().await.unwrap();
    drop(next);
    // The line comes back with the next key.
    typist.writer.write(b"t".to_vec()).await.unwrap();
    until_said(&mut typist, b"\r\n>>> print").await;
    let got = fake.got.lock().unwrap().clone();
    assert!(got.ends_with(b"print"), "{got:?}");
}

#[tokio::test]
async fn a_program_that_says_nothing_keeps_its_turn() {
    let fake = Fake::python();
    let hub = Hub::with_idle_limit(Duration::from_millis(200));
    let board = fake.share(&hub);
    let mut typist = at_prompt(&board).await;
    typist.writer.write(b"run()\r".to_vec()).await.unwrap();
    until_said(&mut typist, b"run()\r\n").await;
    let waits = timeout(Duration::from_secs(2), turn(&board)).await;
    assert!(waits.is_err());
    // Ctrl-C leads to the prompt, and the turn to the next one.
    typist.writer.write(b"\x03".to_vec()).await.unwrap();
    turn(&board).await;
}

#[tokio::test]
async fn a_tool_that_reads_nothing_keeps_no_other_waiting_for_ever() {
    let fake = Fake::printing();
    let hub = Hub::with_idle_limit(Duration::from_secs(1));
    let board = fake.share(&hub);
    let frozen = board
        .attach(Ask::shared("a frozen terminal"))
        .await
        .unwrap();
    frozen.writer.write(b"a".to_vec()).await.unwrap();
    // What it may leave unread is full after a while.
    turn(&board).await;
    drop(frozen);
}

async fn offer(board: SharedBoard) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve_rfc2217(board, listener));
    address
}

async fn read_until(client: &mut TcpStream, wanted: &[u8]) {
    let reading = async {
        let mut read = Vec::new();
        while !read.windows(wanted.len()).any(|it| it == wanted) {
            assert_ne!(client.read_buf(&mut read).await.unwrap(), 0, "{read:?}");
        }
    };
    timeout(PATIENCE, reading).await.expect("it comes");
}

#[tokio::test]
async fn idle_clients_of_rfc_2217_shut_nobody_out_and_the_one_at_work_stays() {
    let fake = Fake::python();
    let hub = Hub::new();
    let address = offer(fake.share(&hub)).await;
    let mut at_work = TcpStream::connect(address).await.unwrap();
    at_work.write_all(b"\x03").await.unwrap();
    read_until(&mut at_work, b">>> ").await;
    at_work.write_all(b"run()\r").await.unwrap();
    read_until(&mut at_work, b"run()\r\n").await;
    let mut idle = Vec::new();
    for _ in 0..70 {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    let mut last = TcpStream::connect(address).await.unwrap();
    // The server's first words: it has a place.
    read_until(&mut last, &[255]).await;
    // While it waits for its turn, others that say nothing do not take its place.
    last.write_all(b"6 * 7").await.unwrap();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    for _ in 0..70 {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    at_work.write_all(b"\x03").await.unwrap();
    read_until(&mut at_work, b">>> ").await;
    read_until(&mut last, b"6 * 7").await;
}

/// Resident memory of this process, in bytes.
fn memory() -> usize {
    let status = fs::read_to_string("/proc/self/statm").unwrap();
    let pages = status.split(' ').nth(1).unwrap();
    pages.parse::<usize>().unwrap() * rustix::param::page_size()
}

/// A subnegotiation of COM-PORT-OPTION that goes on and on, of 255 and 7, which is against the rules and taken for content.
async fn flood(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(&[255, 250, 44]).await?;
    let piece = [255, 7].repeat(32 * 1024);
    for _ in 0..FLOOD / piece.len() {
        stream.write_all(&piece).await?;
    }
    Ok(())
}

/// Both sides in one test, so that their memory is one number.
#[tokio::test]
async fn an_endless_subnegotiation_takes_no_memory_on_either_side() {
    let fake = Fake::python();
    let hub = Hub::new();
    let address = offer(fake.share(&hub)).await;
    let before = memory();
    let mut client = TcpStream::connect(address).await.unwrap();
    flood(&mut client).await.unwrap();
    // It is read to its end: what follows is data.
    client.write_all(b"\xff\xf0abc").await.unwrap();
    read_until(&mut client, b"abc").await;
    let at_server = memory().saturating_sub(before);

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("rfc2217://{}", listener.local_addr().unwrap());
    let flooding = tokio::spawn(async move {
        let (mut peer, _) = listener.accept().await.unwrap();
        // A client that gives up has read enough.
        let _ = flood(&mut peer).await;
    });
    let address: Address = address.parse().unwrap();
    assert!(link::open(&address).await.is_err());
    timeout(PATIENCE, flooding).await.unwrap().unwrap();
    let more = memory().saturating_sub(before);
    eprintln!("{FLOOD} bytes took {at_server} at the server, and {more} on both sides");
    assert!(more < FLOOD / 2, "{more} bytes");
}

const FLOOD: usize = 32 << 20;
/// More than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
