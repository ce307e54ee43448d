//! However a conversation ends, the link is free again and nothing goes on behind the page's back.

use flylead_wasm::Board;
use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{Device, answer, attach, device::Timers, exec, get, refusal, text};

#[wasm_bindgen_test]
async fn closing_unlocks_the_link_and_another_board_may_take_it() {
    let device = Device::new();
    let board = attach(&device, "{}");
    answer(exec(&board, "print 1")).await;
    assert!(device.is_locked());
    answer(board.close()).await;
    assert!(!device.is_locked());
    assert_eq!(answer(board.lost()).await, JsValue::UNDEFINED);
    let next = attach(&device, "{}");
    assert_eq!(text(&answer(exec(&next, "print 2")).await, "stdout"), "2");
}

#[wasm_bindgen_test]
async fn closing_refuses_what_is_under_way_and_what_comes_after() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let running = exec(&board, "hang");
    answer(board.close()).await;
    assert_eq!(text(&refusal(running).await, "name"), "ClosedError");
    assert_eq!(
        text(&refusal(exec(&board, "print 1")).await, "name"),
        "ClosedError"
    );
    assert_eq!(board.mode(), "lost");
    answer(board.close()).await;
}

#[wasm_bindgen_test]
async fn what_was_commanded_before_closing_still_reaches_the_board() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let run = board.run(&"hang".into(), &JsValue::UNDEFINED).unwrap();
    answer(run.iterate().next()).await;
    board.interrupt().unwrap();
    answer(board.close()).await;
    assert_eq!(text(&refusal(run.done()).await, "name"), "ClosedError");
    for _ in 0..10 {
        answer(resolved()).await;
    }
    assert_eq!(device.received().last(), Some(&3));
}

#[wasm_bindgen_test]
fn freeing_unlocks_the_link_at_once() {
    let device = Device::new();
    let board = attach(&device, "{}");
    drop(board);
    assert!(!device.is_locked());
}

#[wasm_bindgen_test]
async fn a_board_that_is_pulled_out_is_lost_and_its_link_unlocked() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let running = exec(&board, "hang");
    device.unplug();
    let error = answer(board.lost()).await;
    assert!(!device.is_locked());
    assert_eq!(text(&error, "name"), "LostError");
    assert_eq!(text(&error, "reason"), "closed");
    assert_eq!(text(&refusal(running).await, "name"), "LostError");
    assert_eq!(
        text(&refusal(exec(&board, "print 1")).await, "name"),
        "LostError"
    );
}

#[wasm_bindgen_test]
async fn a_link_that_fails_is_lost_with_what_it_said() {
    let device = Device::new();
    let board = attach(&device, "{}");
    device.fail("the device has been lost");
    let error = answer(board.lost()).await;
    assert!(!device.is_locked());
    assert_eq!(text(&error, "cause.message"), "the device has been lost");
}

#[wasm_bindgen_test]
async fn a_board_that_never_answers_is_lost_in_time() {
    let device = Device::new();
    let board = attach(&device, r#"{"enterTimeout": 100}"#);
    answer(exec(&board, "print 1")).await;
    answer(board.close()).await;
    let silent = Device::silent_link();
    let board = Board::attach(
        &silent,
        &js_sys::JSON::parse(r#"{"enterTimeout": 100}"#).unwrap(),
    )
    .unwrap();
    let error = refusal(board.enter()).await;
    assert_eq!(text(&error, "reason"), "notEntered");
    assert_eq!(get(&silent, "readable.locked"), JsValue::FALSE);
}

#[wasm_bindgen_test]
async fn no_timer_outlives_its_board() {
    let timers = Timers::new();
    let device = Device::new();
    let board = attach(&device, "{}");
    let running = exec(&board, "hang");
    while timers.count() == 0 {
        answer(resolved()).await;
    }
    answer(board.close()).await;
    refusal(running).await;
    answer(resolved()).await;
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
    let error = Board::attach(&half, &JsValue::UNDEFINED).unwrap_err();
    assert_eq!(text(&error, "name"), "TypeError");
    assert!(!device.is_locked());
}

#[wasm_bindgen_test]
fn a_link_that_is_taken_is_refused() {
    let device = Device::new();
    let _board = attach(&device, "{}");
    let error = Board::attach(&device.link(), &JsValue::UNDEFINED).unwrap_err();
    assert_eq!(text(&error, "name"), "TypeError");
}

/// A moment for whatever else is under way.
fn resolved() -> Promise {
    Promise::resolve(&JsValue::UNDEFINED)
}
