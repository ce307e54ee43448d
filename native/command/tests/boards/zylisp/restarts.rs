//! Boards that restart, or are unplugged, behind `flylead repl-server`.

use super::desk::{Desk, ENDLESS, catching, eval};

#[tokio::test]
async fn a_program_that_catches_every_ctrl_c_ends_with_a_reset_that_every_client_is_told_of() {
    let mut desk = Desk::start().await;
    desk.eval("x = 1\n").await;
    let mut other = desk.another_link().await;
    eval(&mut other, "x").await;
    // More than are sent one by one, and fewer than are sent then.
    desk.begin(&catching(7)).await;
    for caught in 1..=3 {
        desk.send(&[("op", "interrupt"), ("id", "3")]).await;
        desk.see(&format!("caught {caught}")).await;
    }
    desk.send(&[("op", "interrupt"), ("id", "4")]).await;
    let end = desk.see("11:interrupted").await;
    assert!(end.contains("the board was soft-reset"), "{end}");
    let replies = eval(&mut other, "x").await;
    assert!(replies.contains("The board has restarted"), "{replies}");
    assert!(replies.contains("2:ex9:NameError"), "{replies}");
}

#[tokio::test]
async fn a_program_that_restarts_the_board_by_itself_is_told_to_every_client() {
    let mut desk = Desk::start().await;
    desk.eval("x = 1").await;
    let mut other = desk.another_link().await;
    eval(&mut other, "x").await;
    let replies = desk.eval("raise SystemExit").await;
    // MicroPython itself ends there on unix, which its board answers by starting it again.
    assert!(replies.contains("the board restarted"), "{replies}");
    let replies = eval(&mut other, "x").await;
    assert!(replies.contains("The board has restarted"), "{replies}");
    let replies = desk.eval("1").await;
    assert!(!replies.contains("has restarted"), "told once: {replies}");
    desk.link = desk.another_link().await;
    let replies = desk.eval("1").await;
    assert!(!replies.contains("has restarted"), "{replies}");
}

#[tokio::test]
async fn a_board_that_is_plugged_in_again_is_used_again() {
    let mut desk = Desk::start().await;
    desk.eval("6 * 7").await;
    desk.plug_in_again();
    let replies = desk.eval("6 * 7").await;
    assert!(replies.contains("The board has restarted"), "{replies}");
    assert!(replies.contains("5:value2:42"), "{replies}");
    // Its cable is pulled while a program runs.
    desk.begin(ENDLESS).await;
    desk.plug_in_again();
    let replies = desk.see("4:done").await;
    assert!(replies.contains("the board"), "{replies}");
    let reads = [("op", "eval"), ("id", "4"), ("code", "input()")];
    desk.send(&reads).await;
    desk.see("10:need-input").await;
    desk.send(&[("op", "stdin"), ("id", "5"), ("stdin", "Ada\n")])
        .await;
    desk.see("5:value5:'Ada'").await;
}
