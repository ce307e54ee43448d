//! Programs that `flylead repl-server` interrupts.

use std::process::Stdio;

use tokio::process::Command;

use super::{
    desk::{Desk, catching, new_session},
    ended,
};

#[tokio::test]
async fn each_interrupt_is_a_ctrl_c_for_a_program_that_catches_them() {
    let mut desk = Desk::start().await;
    desk.begin(&catching(1)).await;
    desk.send(&[("op", "interrupt"), ("id", "2")]).await;
    desk.see("caught 1").await;
    desk.send(&[("op", "interrupt"), ("id", "3")]).await;
    desk.see("11:interrupted").await;
    let value = desk.eval("6 * 7");
    assert!(value.await.contains("5:value2:42"));
}

#[tokio::test]
async fn an_error_after_a_caught_interrupt_is_shown() {
    let mut desk = Desk::start().await;
    let code = "print('ready')\ntry:\n  while True: pass\nexcept KeyboardInterrupt:\n  1/0";
    desk.begin(code).await;
    desk.send(&[("op", "interrupt"), ("id", "2")]).await;
    let replies = desk.see("eval-error").await;
    assert!(replies.contains("ZeroDivisionError"), "{replies}");
}

#[tokio::test]
async fn a_program_that_a_closed_session_interrupts_may_clean_up() {
    let mut desk = Desk::start().await;
    let cloned = desk.ask(&[("op", "clone"), ("id", "1")]).await;
    let session = &new_session(&cloned);
    let code = "import time\nprint('ready')\ntry:\n  while True: pass\nexcept KeyboardInterrupt:\n  time.sleep_ms(500)\n  clean = 42";
    let eval = [
        ("op", "eval"),
        ("id", "2"),
        ("code", code),
        ("session", session),
    ];
    desk.send(&eval).await;
    desk.see("ready").await;
    desk.send(&[("op", "close"), ("id", "3"), ("session", session)])
        .await;
    desk.send(&[("op", "eval"), ("id", "4"), ("code", "clean")])
        .await;
    desk.see("5:value2:42").await;
}

#[tokio::test]
async fn a_client_that_leaves_a_program_which_catches_ctrl_c_leaves_a_free_board() {
    let mut desk = Desk::start().await;
    // After three of them the board is reset.
    for count in [2, 7] {
        desk.begin(&catching(count)).await;
        desk.link = desk.another_link().await;
        let value = desk.eval("6 * 7");
        assert!(value.await.contains("5:value2:42"), "{count}");
    }
}

#[tokio::test]
async fn a_program_that_outlives_its_time_is_interrupted_until_it_ends() {
    let mut desk = Desk::limited("2").await;
    desk.send(&[("op", "eval"), ("id", "1"), ("code", &catching(7))])
        .await;
    let end = desk.see("4:done").await;
    assert!(end.contains("took longer than 2 s"), "{end}");
    assert!(end.contains("the board was soft-reset"), "{end}");
    let value = desk.eval("6 * 7");
    assert!(value.await.contains("5:value2:42"));
}

#[tokio::test]
async fn a_server_that_ends_interrupts_its_program_and_leaves_the_board_at_its_prompt() {
    let mut desk = Desk::start().await;
    desk.begin(&catching(1)).await;
    let board = desk.stop().await;
    let checked = "import builtins\nprint(type(builtins.input) is type(print))";
    let mut exec = Command::new(env!("CARGO_BIN_EXE_flylead"));
    exec.args(["exec", "--port"])
        .arg(board.0.path())
        .arg(checked);
    exec.stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .stdin(Stdio::null());
    let (code, stdout, stderr) = ended(exec.spawn().unwrap()).await;
    assert_eq!((code, stdout.as_str()), (0, "True\n"), "{stderr}");
}
