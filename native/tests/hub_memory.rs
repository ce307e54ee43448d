//! Floods the queues of a hub from both sides, and measures the memory in use. It is a process of its own with one test in it,
//! so that nothing else is counted.
#![cfg(target_os = "linux")]

use std::{ffi::CStr, fs::File, io::Write as _, thread, time::Duration};

use flylead_native::{
    hub::{Hub, Member, Received, SharedBoard},
    link::{
        Address,
        turn::{Ask, News, Shows},
    },
};
use flylead_tests::memory::{Counting, in_use};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tokio::time::{sleep, timeout};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A board that prints as fast as it is read, and reads nothing.
fn flooding(hub: &Hub) -> SharedBoard {
    let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&own).unwrap();
    unlockpt(&own).unwrap();
    let path = ptsname(&own, Vec::new()).unwrap();
    let path = CStr::to_str(&path).unwrap().to_owned();
    // A hang-up ends it.
    thread::spawn(move || {
        let mut own = File::from(own);
        while own.write_all(&[b'x'; 4096]).is_ok() {}
    });
    hub.add(Address::Serial { path, baud: None })
}

/// A tool that never reads its queue.
async fn deaf(board: &SharedBoard, ask: Ask) -> Member {
    board.attach(ask).await.unwrap()
}

async fn wait_for_turn(member: &mut Member) {
    while let Some(received) = member.reader.next().await {
        if received == Received::News(News::Turn) {
            return;
        }
    }
    panic!("the hub has ended");
}

#[tokio::test]
async fn a_flood_from_a_board_or_a_tool_costs_little_memory() {
    let hub = Hub::new();
    let board = flooding(&hub);
    let mut shown = Ask::turn("the holder");
    shown.shows = Shows::Everything;
    let mut holder = deaf(&board, shown).await;
    wait_for_turn(&mut holder).await;
    let before = in_use();

    // Tools that observe and read nothing, while the holder of the turn reads everything.
    let mut observers = Vec::new();
    for number in 0..OBSERVERS {
        observers.push(deaf(&board, Ask::shared(format!("observer {number}"))).await);
    }
    let Member { writer, mut reader } = holder;
    let reading = async {
        let mut bytes = 0;
        while bytes < FLOOD {
            if let Some(Received::Bytes(piece)) = reader.next().await {
                bytes += piece.len();
            }
        }
    };
    timeout(PATIENCE, reading).await.expect("the board prints");
    let cost = in_use().saturating_sub(before);
    println!("{OBSERVERS} observers that read nothing: {cost} bytes");
    assert!(cost < OBSERVERS * UNREAD, "{cost} bytes");
    drop(observers);

    // The holder of the turn reads nothing: the board waits.
    let before = in_use();
    sleep(SETTLED).await;
    let cost = in_use().saturating_sub(before);
    println!("a holder of the turn that reads nothing: {cost} bytes");
    assert!(cost < UNREAD, "{cost} bytes");

    // It sends without end to a board that reads nothing, in messages of any size.
    let reading = tokio::spawn(async move { while reader.next().await.is_some() {} });
    sleep(SETTLED).await;
    let before = in_use();
    let mut sent = 0;
    while timeout(STUCK, writer.write(vec![b'y'; MESSAGE]))
        .await
        .is_ok()
    {
        sent += MESSAGE;
        assert!(sent < FLOOD, "the hub takes everything");
    }
    let cost = in_use().saturating_sub(before);
    println!("a tool that sends without end: {cost} bytes, {sent} bytes sent");
    assert!(sent > 0 && cost > MESSAGE && cost < UNSENT, "{cost} bytes");

    // Tools that request a turn and go, without end.
    let before = in_use();
    for number in 0..ASKED {
        drop(deaf(&board, Ask::turn(format!("tool {number}"))).await);
    }
    board.status().await.unwrap();
    reading.abort();
    let cost = in_use().saturating_sub(before);
    println!("{ASKED} tools that request a turn and go: {cost} bytes");
    assert!(cost < UNSENT, "{cost} bytes");
}

const OBSERVERS: usize = 16;
const ASKED: usize = 10_000;
/// Bytes of a flood.
const FLOOD: usize = 16 << 20;
/// Bytes in one message of a tool: more than the hub takes as one.
const MESSAGE: usize = 64 << 10;
/// Memory for output that a tool has not read (`native/src/hub/member.rs`): 64 messages of 16 KiB, and their places.
const UNREAD: usize = (64 * 16 + 64) << 10;
/// Memory for input that the board has not taken: 8 messages of 16 KiB, one on its way, and their places.
const UNSENT: usize = 512 << 10;
/// Time after which a message is taken to be stuck.
const STUCK: Duration = Duration::from_millis(500);
/// Time until every queue is as full as it gets.
const SETTLED: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(60);
