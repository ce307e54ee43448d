//! Tests every end of a conversation: the link is then free, and nothing continues behind the
//! page's back.

use std::time::Duration;

use flylead_wasm::{
    AttachOptions, Board, ErrorKind, Mode,
    types::{LostReason, Peer},
};
use futures::StreamExt;
use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{Device, attach, defaults, device::Timers, get, name, settle, text};

#[wasm_bindgen_test]
async fn closing_unlocks_the_link_and_another_board_may_take_it() {
    let device = Device::new();
    let board = attach(&device, defaults());
    board.exec("print 1".into(), None).await.unwrap();
    assert!(device.is_locked());
    board.close();
    assert!(!device.is_locked());
    assert!(board.lost().await.unwrap().is_none());
    let next = attach(&device, defaults());
    let result = next.exec("print 2".into(), None).await.unwrap();
    assert_eq!(result.stdout, "2");
}

#[wasm_bindgen_test]
async fn closing_refuses_what_is_under_way_and_what_comes_after() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let running = board.exec("hang".into(), None);
    board.close();
    assert_eq!(name(&running.await.unwrap_err()), "ClosedError");
    let after = board.exec("print 1".into(), None).await;
    assert_eq!(name(&after.unwrap_err()), "ClosedError");
    assert_eq!(board.mode(), Mode::Lost);
    board.close();
}

#[wasm_bindgen_test]
async fn what_was_commanded_before_closing_still_reaches_the_board() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let mut run = board.run("hang".into(), None).unwrap();
    run.events().next().await;
    board.interrupt().unwrap();
    board.close();
    assert_eq!(name(&run.await.unwrap_err()), "ClosedError");
    for _ in 0..10 {
        settle().await;
    }
    assert_eq!(device.received().last(), Some(&3));
}

#[wasm_bindgen_test]
fn dropping_unlocks_the_link_at_once() {
    let device = Device::new();
    let board = attach(&device, defaults());
    drop(board);
    assert!(!device.is_locked());
}

#[wasm_bindgen_test]
async fn a_board_that_is_pulled_out_is_lost_and_its_link_unlocked() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let running = board.exec("hang".into(), None);
    device.unplug();
    let error = board.lost().await.unwrap().unwrap();
    assert!(!device.is_locked());
    let thrown: JsValue = error.into();
    assert_eq!(text(&thrown, "name"), "LostError");
    assert_eq!(text(&thrown, "reason"), "closed");
    assert_eq!(name(&running.await.unwrap_err()), "LostError");
    let after = board.exec("print 1".into(), None).await;
    assert_eq!(name(&after.unwrap_err()), "LostError");
}

#[wasm_bindgen_test]
async fn a_link_that_fails_is_lost_with_what_it_said() {
    let device = Device::new();
    let board = attach(&device, defaults());
    device.fail("the device has been lost");
    let error = board.lost().await.unwrap().unwrap();
    assert!(!device.is_locked());
    let ErrorKind::Lost { cause, .. } = error.kind() else {
        panic!("it was lost");
    };
    assert_eq!(text(cause, "message"), "the device has been lost");
}

#[wasm_bindgen_test]
async fn a_board_that_never_answers_is_lost_in_time() {
    let options = AttachOptions {
        enter_timeout: Some(Duration::from_millis(100)),
        ..defaults()
    };
    let device = Device::new();
    let board = attach(&device, options.clone());
    board.exec("print 1".into(), None).await.unwrap();
    board.close();
    let silent = Device::silent_link();
    let link = silent.clone().unchecked_into();
    let board = Board::attach(link, Some(options.into())).unwrap();
    let error = board.enter().await.unwrap_err();
    let ErrorKind::Lost { reason, peer, .. } = error.kind() else {
        panic!("it was lost");
    };
    assert_eq!(
        (*reason, *peer),
        (LostReason::NotEntered, Some(Peer::Silent))
    );
    assert_eq!(get(&silent, "readable.locked"), JsValue::FALSE);
}

#[wasm_bindgen_test]
async fn no_timer_outlives_its_board() {
    let timers = Timers::new();
    let device = Device::new();
    let board = attach(&device, defaults());
    let running = board.exec("hang".into(), None);
    while timers.count() == 0 {
        settle().await;
    }
    board.close();
    running.await.unwrap_err();
    settle().await;
    let left = timers.count();
    timers.restore();
    assert_eq!(left, 0);
}

#[wasm_bindgen_test]
fn a_link_that_is_not_open_is_refused_and_left_alone() {
    let device = Device::new();
    let link = device.link();
    let half = Object::new();
    Reflect::set(&half, &"readable".into(), &get(&link, "readable")).unwrap();
    Reflect::set(&half, &"writable".into(), &JsValue::NULL).unwrap();
    let error = Board::attach(half.unchecked_into(), None).unwrap_err();
    assert_eq!(name(&error), "TypeError");
    assert!(!device.is_locked());
}

#[wasm_bindgen_test]
fn a_link_that_is_taken_is_refused() {
    let device = Device::new();
    let _board = attach(&device, defaults());
    let error = Board::attach(device.link().unchecked_into(), None).unwrap_err();
    assert_eq!(name(&error), "TypeError");
}
