//! The driver on streams in memory, with a machine that is as small as one can be.

use std::{collections::VecDeque, time::Duration};

use flylead_core::{Input, Instant, Machine, Output};
use flylead_native::{Driver, Gone};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, duplex},
    time::timeout,
};

/// Says what happens to it, sends what it is told to, and wakes when it was asked to.
#[derive(Debug, Default)]
struct Parrot {
    output: VecDeque<Output<Said>>,
    alarm: Option<Instant>,
}

#[derive(Debug, PartialEq, Eq)]
enum Said {
    Heard(Vec<u8>),
    Woke,
    Closed,
}

impl Parrot {
    fn send(&mut self, bytes: &[u8]) {
        self.output.push_back(Output::Transmit(bytes.to_vec()));
    }

    fn say(&mut self, said: Said) {
        self.output.push_back(Output::Event(said));
    }
}

impl Machine for Parrot {
    type Event = Said;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Bytes(bytes) => self.say(Said::Heard(bytes.to_vec())),
            Input::Closed => self.say(Said::Closed),
            Input::Timeout if self.alarm.is_some_and(|alarm| alarm <= now) => {
                self.alarm = None;
                self.say(Said::Woke);
            }
            Input::Timeout => {}
        }
    }

    fn poll_output(&mut self) -> Output<Said> {
        self.output.pop_front().unwrap_or(Output::Idle(self.alarm))
    }
}

#[tokio::test]
async fn bytes_become_events_and_commands_become_bytes() {
    let (ours, mut theirs) = duplex(64);
    let mut driver = Driver::spawn(ours, Parrot::default());
    theirs.write_all(b"hello").await.unwrap();
    assert_eq!(
        driver.next_event().await,
        Some(Said::Heard(b"hello".into()))
    );
    let answer = driver.command(|parrot, _now| {
        parrot.send(b"good day");
        42
    });
    assert_eq!(answer.await, Ok(42));
    let mut got = [0; 8];
    theirs.read_exact(&mut got).await.unwrap();
    assert_eq!(&got, b"good day");
}

#[tokio::test]
async fn a_machine_is_woken_when_it_wants_to_be() {
    let (ours, _theirs) = duplex(64);
    let mut driver = Driver::spawn(ours, Parrot::default());
    let set = driver.command(|parrot, now| parrot.alarm = Some(now + Duration::from_millis(5)));
    set.await.unwrap();
    assert_eq!(driver.next_event().await, Some(Said::Woke));
}

#[tokio::test]
async fn what_the_peer_said_last_comes_before_its_end() {
    let (ours, mut theirs) = duplex(64);
    let mut driver = Driver::spawn(ours, Parrot::default());
    theirs.write_all(b"bye").await.unwrap();
    drop(theirs);
    assert_eq!(driver.next_event().await, Some(Said::Heard(b"bye".into())));
    assert_eq!(driver.next_event().await, Some(Said::Closed));
    assert_eq!(driver.next_event().await, None);
    assert_eq!(driver.command(|_, _| ()).await, Err(Gone));
}

#[tokio::test]
async fn closing_sends_what_is_unsent_first() {
    let (ours, mut theirs) = duplex(16);
    let driver = Driver::spawn(ours, Parrot::default());
    let long = vec![b'x'; 10_000];
    let bytes = long.clone();
    driver
        .command(move |parrot, _| parrot.send(&bytes))
        .await
        .unwrap();
    let reading = tokio::spawn(async move {
        let mut got = Vec::new();
        theirs.read_to_end(&mut got).await.map(|_| got)
    });
    driver.close().await;
    assert_eq!(reading.await.unwrap().unwrap(), long);
}

#[tokio::test]
async fn a_peer_that_reads_nothing_does_not_hold_the_close() {
    let (ours, _theirs) = duplex(16);
    let driver = Driver::spawn(ours, Parrot::default());
    driver
        .command(|parrot, _| parrot.send(&[0; 10_000]))
        .await
        .unwrap();
    timeout(Duration::from_secs(60), driver.close())
        .await
        .expect("closing gives up by itself");
}

#[tokio::test]
async fn commands_are_taken_while_events_lie_unread() {
    let (ours, mut theirs) = duplex(1);
    let driver = Driver::spawn(ours, Parrot::default());
    // One byte a chunk is one event a byte: more of them than the driver holds for an application that is busy.
    let flood = tokio::spawn(async move { theirs.write_all(&[b'x'; 1000]).await.map(|()| theirs) });
    for _ in 0..100 {
        driver.command(|_, _| ()).await.unwrap();
    }
    drop(driver);
    assert!(
        flood.await.unwrap().is_err(),
        "the flood had to wait, and then the link closed"
    );
}

#[tokio::test]
async fn both_sides_may_flood_at_once() {
    let (ours, theirs) = duplex(16);
    let mut driver = Driver::spawn(ours, Parrot::default());
    let (mut from_driver, mut to_driver) = tokio::io::split(theirs);
    let length = 200_000;
    let flood = tokio::spawn(async move { to_driver.write_all(&vec![b'x'; length]).await });
    driver
        .command(move |parrot, _| parrot.send(&vec![b'y'; length]))
        .await
        .unwrap();
    let mut heard = 0;
    let mut got = vec![0; length];
    let reading = async { from_driver.read_exact(&mut got).await };
    let hearing = async {
        while heard < length {
            match driver.next_event().await {
                Some(Said::Heard(bytes)) => heard += bytes.len(),
                other => panic!("{other:?}"),
            }
        }
    };
    let (read, ()) = tokio::join!(reading, hearing);
    read.unwrap();
    flood.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_flush_waits_until_everything_is_taken_and_no_longer_than_the_link() {
    let (ours, mut theirs) = duplex(8);
    let driver = Driver::spawn(ours, Parrot::default());
    driver.flush().await.unwrap();
    let sent = driver.command(|parrot, _now| parrot.send(&[7; 100]));
    sent.await.unwrap();
    let early = timeout(Duration::from_millis(50), driver.flush()).await;
    assert!(early.is_err(), "ninety bytes are still here");
    let mut got = [0; 100];
    theirs.read_exact(&mut got).await.unwrap();
    driver.flush().await.unwrap();
    let sent = driver.command(|parrot, _now| parrot.send(&[7; 100]));
    sent.await.unwrap();
    let ends = async { drop(theirs) };
    let (flushed, ()) = tokio::join!(driver.flush(), ends);
    assert_eq!(flushed, Err(Gone));
}
