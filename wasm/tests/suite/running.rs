//! Programs: their output, their ends, and who may start one.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use js_sys::{Function, Promise};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{Device, answer, attach, exec, get, refusal, text};

#[wasm_bindgen_test]
async fn exec_collects_what_the_program_prints() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let result = answer(exec(&board, "print héllo")).await;
    assert_eq!(text(&result, "stdout"), "héllo");
    assert_eq!(get(&result, "exited"), JsValue::FALSE);
    assert_eq!(board.mode(), "raw");
}

#[wasm_bindgen_test]
async fn a_program_that_raises_rejects_with_its_traceback() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let error = refusal(exec(&board, "raise")).await;
    assert_eq!(text(&error, "name"), "ProgramError");
    assert_eq!(text(&error, "message"), "ValueError: no");
    assert_eq!(text(&error, "stdout"), "so far\r\n");
    assert_eq!(get(&error, "traceback.frames.0.line"), JsValue::from(1));
    assert_eq!(text(&error, "traceback.recovery"), "continue");
}

#[wasm_bindgen_test]
async fn after_system_exit_the_board_is_ready_again() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let result = answer(exec(&board, "exit")).await;
    assert_eq!(get(&result, "exited"), JsValue::TRUE);
    let result = answer(exec(&board, "print on")).await;
    assert_eq!(text(&result, "stdout"), "on");
}

#[wasm_bindgen_test]
async fn a_second_command_is_refused_while_one_is_under_way() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let first = exec(&board, "print 1");
    assert_eq!(
        text(&refusal(exec(&board, "print 2")).await, "name"),
        "BusyError"
    );
    assert_eq!(text(&answer(first).await, "stdout"), "1");
}

#[wasm_bindgen_test]
async fn a_control_byte_is_refused_with_its_place_and_nothing_is_sent() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let error = refusal(exec(&board, "é\x04")).await;
    assert_eq!(text(&error, "name"), "ControlByteError");
    assert_eq!(get(&error, "offset"), JsValue::from(2));
    assert!(device.received().is_empty());
}

#[wasm_bindgen_test]
async fn a_running_program_can_be_interrupted() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let run = board.run(&"hang".into(), &JsValue::UNDEFINED).unwrap();
    let output = run.iterate();
    assert_eq!(text(&answer(output.next()).await, "value"), "hanging");
    board.interrupt().unwrap();
    assert_eq!(get(&answer(output.next()).await, "done"), JsValue::TRUE);
    let outcome = answer(run.done()).await;
    assert_eq!(text(&outcome, "kind"), "raised");
    assert_eq!(text(&outcome, "traceback.exception"), "KeyboardInterrupt");
}

#[wasm_bindgen_test]
async fn a_program_past_its_time_is_interrupted() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let options = js_sys::JSON::parse(r#"{"timeout": 50}"#).unwrap();
    let error = refusal(board.exec(&"hang".into(), &options)).await;
    assert_eq!(text(&error, "name"), "TimeoutError");
    assert_eq!(text(&error, "stdout"), "hanging");
    assert_eq!(text(&error, "traceback.exception"), "KeyboardInterrupt");
}

#[wasm_bindgen_test]
async fn live_text_never_cuts_a_character_in_two() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let run = board.run(&"hang".into(), &JsValue::UNDEFINED).unwrap();
    let output = run.iterate();
    answer(output.next()).await;
    device.say_bytes(b"1 \xe2\x82");
    assert_eq!(text(&answer(output.next()).await, "value"), "1 ");
    device.say_bytes(b"\xac!");
    assert_eq!(text(&answer(output.next()).await, "value"), "€!");
}

#[wasm_bindgen_test]
async fn more_output_than_the_limit_stops_exec_and_only_forgets_the_oldest_for_run() {
    let device = Device::new();
    let board = attach(&device, r#"{"outputLimit": 10}"#);
    let error = refusal(exec(&board, "print 12345678901")).await;
    assert_eq!(text(&error, "name"), "TooLongError");
    assert_eq!(text(&error, "stdout"), "1234567890");
    let run = board
        .run(&"print 12345678901".into(), &JsValue::UNDEFINED)
        .unwrap();
    answer(run.done()).await;
    assert_eq!(run.dropped(), 1.0);
    assert_eq!(
        text(&answer(run.iterate().next()).await, "value"),
        "2345678901"
    );
}

#[wasm_bindgen_test]
async fn a_listener_may_issue_the_next_command() {
    let device = Device::new();
    let board = Rc::new(attach(&device, "{}"));
    let answers = Rc::new(RefCell::new(None));
    let listener = {
        let (board, answers) = (Rc::clone(&board), Rc::clone(&answers));
        Closure::<dyn FnMut(String)>::new(move |mode: String| {
            // In raw mode at last: start a program from inside of the listener.
            if mode == "raw" && answers.borrow().is_none() {
                answers.replace(Some(exec(&board, "print nested")));
            }
        })
    };
    board.on_mode(listener.into_js_value().unchecked_into());
    answer(board.enter()).await;
    // The listener is called before the answer to `enter` arrives here.
    let nested: Promise = answers.borrow_mut().take().unwrap();
    assert_eq!(text(&answer(nested).await, "stdout"), "nested");
}

#[wasm_bindgen_test]
async fn a_listener_hears_every_mode_until_it_is_told_not_to() {
    let device = Device::new();
    let board = attach(&device, "{}");
    let heard = Rc::new(Cell::new(0));
    let count = Rc::clone(&heard);
    let listener = Closure::<dyn FnMut()>::new(move || count.set(count.get() + 1));
    let stop: Function = board
        .on_mode(listener.into_js_value().unchecked_into())
        .unchecked_into();
    answer(board.enter()).await;
    assert_eq!(heard.get(), 2, "entering, raw");
    stop.call0(&JsValue::UNDEFINED).unwrap();
    answer(board.leave()).await;
    assert_eq!((heard.get(), &*board.mode()), (2, "normal"));
}

#[wasm_bindgen_test]
async fn a_soft_reset_leaves_the_board_in_raw_mode() {
    let device = Device::new();
    let board = attach(&device, "{}");
    answer(board.soft_reset()).await;
    assert_eq!(board.mode(), "raw");
}
