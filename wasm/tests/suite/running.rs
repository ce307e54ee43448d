//! Programs: their output, their ends, and who may start one.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use flylead_wasm::{AttachOptions, ErrorKind, ExecOptions, Mode, text::decode, types::Outcome};
use futures::StreamExt;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{Device, attach, defaults, get, name, raised, settle};

#[wasm_bindgen_test]
async fn exec_collects_what_the_program_prints() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let result = board.exec("print héllo".into(), None).await.unwrap();
    assert_eq!((&*result.stdout, result.exited), ("héllo", false));
    assert_eq!(result.bytes, "héllo".as_bytes());
    assert_eq!(board.mode(), Mode::Raw);
}

#[wasm_bindgen_test]
async fn a_program_that_raises_fails_with_its_traceback() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let error = board.exec("raise".into(), None).await.unwrap_err();
    assert_eq!(error.to_string(), "ValueError: no");
    assert_eq!(raised(&error).frames[0].line, 1);
    let thrown: JsValue = error.into();
    for (path, value) in [
        ("name", "ProgramError".into()),
        ("message", "ValueError: no".into()),
        ("stdout", "so far\r\n".into()),
        ("traceback.frames.0.line", JsValue::from(1)),
        ("traceback.recovery", "continue".into()),
    ] {
        assert_eq!(get(&thrown, path), value, "{path}");
    }
}

#[wasm_bindgen_test]
async fn after_system_exit_the_board_is_ready_again() {
    let device = Device::new();
    let board = attach(&device, defaults());
    assert!(board.exec("exit".into(), None).await.unwrap().exited);
    let result = board.exec("print on".into(), None).await.unwrap();
    assert_eq!(result.stdout, "on");
}

#[wasm_bindgen_test]
async fn a_second_command_is_refused_while_one_is_under_way() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let first = board.exec("print 1".into(), None);
    let error = board.exec("print 2".into(), None).await.unwrap_err();
    assert_eq!(name(&error), "BusyError");
    assert_eq!(first.await.unwrap().stdout, "1");
}

#[wasm_bindgen_test]
async fn a_control_byte_is_refused_with_its_place_and_nothing_is_sent() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let error = board.exec("é\x04".into(), None).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ControlByte { offset: 2 }));
    assert_eq!(name(&error), "ControlByteError");
    assert!(device.received().is_empty());
}

#[wasm_bindgen_test]
async fn a_running_program_can_be_interrupted() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let mut run = board.run("hang".into(), None).unwrap();
    assert_eq!(run.events().next().await.unwrap(), b"hanging");
    board.interrupt().unwrap();
    assert_eq!(run.events().next().await, None);
    let Outcome::Raised { traceback } = run.await.unwrap() else {
        panic!("it was interrupted");
    };
    assert_eq!(traceback.exception, "KeyboardInterrupt");
}

#[wasm_bindgen_test]
async fn a_run_that_is_cancelled_is_interrupted_and_the_next_one_is_not() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let mut run = board.run("hang".into(), None).unwrap();
    run.events().next().await;
    run.cancel();
    while run.events().next().await.is_some() {}
    let next = board.exec("print 1".into(), None);
    run.cancel();
    assert_eq!(next.await.unwrap().stdout, "1");
}

#[wasm_bindgen_test]
async fn a_run_that_is_cancelled_is_interrupted_until_it_ends() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let mut run = board.run("shrug".into(), None).unwrap();
    run.events().next().await;
    run.cancel();
    let Outcome::Raised { traceback } = run.await.unwrap() else {
        panic!("it was interrupted");
    };
    assert_eq!(traceback.exception, "KeyboardInterrupt");
}

#[wasm_bindgen_test]
async fn a_program_past_its_time_is_interrupted() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let timeout = Some(Duration::from_millis(50));
    let options = ExecOptions { timeout }.into();
    let error = board.exec("hang".into(), Some(options)).await.unwrap_err();
    assert_eq!(name(&error), "TimeoutError");
    let ErrorKind::Timeout { traceback, stdout } = error.kind() else {
        panic!("it timed out");
    };
    assert_eq!(stdout.as_deref(), Some("hanging"));
    let exception = traceback.as_ref().map(|traceback| &*traceback.exception);
    assert_eq!(exception, Some("KeyboardInterrupt"));
}

#[wasm_bindgen_test]
async fn live_text_never_cuts_a_character_in_two() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let mut run = board.run("hang".into(), None).unwrap();
    let mut texts = Box::pin(decode(run.events()));
    assert_eq!(texts.next().await.unwrap(), "hanging");
    device.say_bytes(b"1 \xe2\x82");
    assert_eq!(texts.next().await.unwrap(), "1 ");
    device.say_bytes(b"\xac!");
    assert_eq!(texts.next().await.unwrap(), "€!");
}

#[wasm_bindgen_test]
async fn more_output_than_the_limit_stops_exec_and_only_forgets_the_oldest_for_run() {
    let device = Device::new();
    let output_limit = Some(10);
    let options = AttachOptions {
        output_limit,
        ..defaults()
    };
    let board = attach(&device, options);
    let error = board.exec("print 12345678901".into(), None).await;
    let error = error.unwrap_err();
    assert_eq!(name(&error), "TooLongError");
    assert!(
        matches!(error.kind(), ErrorKind::TooLong { limit: 10, stdout } if stdout == "1234567890")
    );
    let mut run = board.run("print 12345678901".into(), None).unwrap();
    while board.mode() != Mode::Raw {
        settle().await;
    }
    assert_eq!(run.events().next().await.unwrap(), b"2345678901");
    assert_eq!(run.dropped(), 1);
    assert_eq!(run.await.unwrap(), Outcome::Completed);
}

#[wasm_bindgen_test]
async fn a_listener_may_issue_the_next_command() {
    let device = Device::new();
    let board = Rc::new(attach(&device, defaults()));
    let nested = Rc::new(RefCell::new(None));
    let (begun, issuer) = (Rc::clone(&nested), Rc::clone(&board));
    let listening = board.on_mode(move |mode| {
        // In raw mode at last: start a program from inside of the listener.
        if mode == Mode::Raw && begun.borrow().is_none() {
            begun.replace(Some(issuer.exec("print nested".into(), None)));
        }
    });
    board.enter().await.unwrap();
    // The listener is called before the answer to `enter` arrives here.
    let nested = nested.borrow_mut().take().unwrap();
    assert_eq!(nested.await.unwrap().stdout, "nested");
    drop(listening);
}

#[wasm_bindgen_test]
async fn a_listener_is_called_with_every_mode_until_it_is_dropped() {
    let device = Device::new();
    let board = attach(&device, defaults());
    let calls = Rc::new(Cell::new(0));
    let count = Rc::clone(&calls);
    let listening = board.on_mode(move |_| count.set(count.get() + 1));
    board.enter().await.unwrap();
    assert_eq!(calls.get(), 2, "entering, raw");
    drop(listening);
    board.leave().await.unwrap();
    assert_eq!((calls.get(), board.mode()), (2, Mode::Normal));
}

#[wasm_bindgen_test]
async fn a_soft_reset_leaves_the_board_in_raw_mode() {
    let device = Device::new();
    let board = attach(&device, defaults());
    board.soft_reset().await.unwrap();
    assert_eq!(board.mode(), Mode::Raw);
}
