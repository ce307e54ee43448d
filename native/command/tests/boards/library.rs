//! [`flylead_native::Board`] with real boards at the other end.

use std::{
    future::Future as _,
    path::Path,
    pin::pin,
    task::{Context, Waker},
    time::Duration,
};

use flylead_core::raw_repl::{CommandError, LostReason, Outcome};
use flylead_native::{Board, BoardError, link::Address};
use flylead_tests::boards::{Faults, Microbit, UnixBoard, Wire};

async fn connect(path: &Path) -> Board {
    let address: Address = path.to_str().unwrap().parse().unwrap();
    Board::connect(&address).await.unwrap()
}

#[tokio::test]
async fn output_comes_while_the_program_runs() {
    let unix = UnixBoard::start();
    let mut board = connect(unix.path()).await;
    let source = "print('first')\nname = input()\nprint('hello', name)";
    let mut program = board.start(source, None).await.unwrap();
    let mut heard = Vec::new();
    // How it is cut is the line's affair.
    while heard != b"first\n" {
        heard.extend(program.next_output().await.unwrap().unwrap());
    }
    program.send("you\n").await.unwrap();
    while let Some(output) = program.next_output().await.unwrap() {
        heard.extend(output);
    }
    let heard = String::from_utf8(heard).unwrap();
    assert!(heard.ends_with("hello you\n"), "{heard}");
    assert_eq!(program.outcome().await, Ok(Outcome::Completed));
    board.close().await;
}

#[tokio::test]
async fn a_program_that_nobody_waits_for_can_be_stopped() {
    let unix = UnixBoard::start();
    let mut board = connect(unix.path()).await;
    let endless = board.start("while True: print('x' * 50)", None).await;
    drop(endless.unwrap());
    let busy = board.exec("print(1)").await.unwrap_err();
    assert_eq!(busy, BoardError::Refused(CommandError::Busy));
    board.stop(Duration::from_secs(30)).await.unwrap();
    assert_eq!(board.exec("print(2)").await.unwrap(), b"2\n");
}

#[tokio::test]
async fn a_program_that_the_first_ctrl_c_does_not_end_is_stopped_by_a_later_one() {
    let unix = UnixBoard::start();
    let mut board = connect(unix.path()).await;
    let forever = "try:\n    while True: pass\nexcept KeyboardInterrupt:\n    while True: pass";
    drop(board.start(forever, None).await.unwrap());
    board.stop(Duration::from_secs(30)).await.unwrap();
    assert_eq!(board.exec("print(2)").await.unwrap(), b"2\n");
}

#[tokio::test]
async fn a_program_whose_start_nobody_waited_for_can_be_stopped() {
    let unix = UnixBoard::start();
    let mut board = connect(unix.path()).await;
    {
        let start = pin!(board.start("while True: pass", None));
        // Its command is on its way to the machine, and nothing has come back.
        let first = start.poll(&mut Context::from_waker(Waker::noop()));
        assert!(first.is_pending());
    }
    board.stop(Duration::from_secs(30)).await.unwrap();
    assert_eq!(board.exec("print(2)").await.unwrap(), b"2\n");
}

#[tokio::test]
async fn the_end_of_a_forgotten_program_is_not_taken_for_the_next_ones() {
    let unix = UnixBoard::start();
    let mut board = connect(unix.path()).await;
    drop(board.start("print('old')", None).await.unwrap());
    let mut answer = board.exec("print('new')").await;
    while answer == Err(BoardError::Refused(CommandError::Busy)) {
        tokio::time::sleep(Duration::from_millis(1)).await;
        answer = board.exec("print('new')").await;
    }
    assert_eq!(answer.unwrap(), b"new\n");
}

#[tokio::test]
async fn an_exception_is_data() {
    let unix = UnixBoard::start();
    let mut board = connect(unix.path()).await;
    match board.eval("{}['key']").await {
        Err(BoardError::Raised(traceback)) => assert_eq!(traceback.exception, "KeyError"),
        other => panic!("{other:?}"),
    }
    match board.eval("1)+(2").await {
        Err(BoardError::Raised(traceback)) => assert_eq!(traceback.exception, "SyntaxError"),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        board.eval("'still ' + 'here'").await.unwrap(),
        "'still here'"
    );
}

/// It has 9 kB of memory for the expression, its value and all.
#[tokio::test]
async fn a_value_needs_no_more_memory_on_the_board_than_to_be_printed() {
    let microbit = Microbit::start();
    let mut board = connect(microbit.path()).await;
    let value = board.eval("'x'*3000").await.unwrap();
    assert_eq!(value, format!("'{}'", "x".repeat(3000)));
    assert_eq!(board.eval("1, None # both").await.unwrap(), "(1, None)");
    board.release().await.unwrap();
}

/// Memory that a board keeps for a source is never freed: a script that queries a sensor for weeks
/// would fill it.
#[tokio::test]
async fn a_board_keeps_nothing_of_what_it_was_asked() {
    let unix = UnixBoard::start();
    let mut board = connect(unix.path()).await;
    let kept = "import micropython; micropython.qstr_info()";
    board.eval("6*7").await.unwrap();
    board.exec(kept).await.unwrap();
    let before = board.exec(kept).await.unwrap();
    for _ in 0..50 {
        assert_eq!(board.eval("6*7").await.unwrap(), "42");
    }
    let after = board.exec(kept).await.unwrap();
    let text = |said| String::from_utf8(said).unwrap();
    assert_eq!(text(before), text(after));
}

#[tokio::test]
async fn a_value_that_a_thread_prints_into_is_none() {
    let unix = UnixBoard::start();
    let mut board = connect(unix.path()).await;
    let chatter = "import _thread,time\ndef chatter():\n while 1:\n  print('tick')\n  time.sleep_ms(1)\n_thread.start_new_thread(chatter,())";
    board.exec(chatter).await.unwrap();
    let expected = format!("{:?}", (0..3000).collect::<Vec<_>>());
    for _ in 0..10 {
        match board.eval("list(range(3000))").await {
            Ok(value) => assert_eq!(value, expected),
            Err(error) => assert_eq!(error, BoardError::Unreadable),
        }
    }
}

#[tokio::test]
async fn a_program_ends_whatever_its_threads_print_into_its_end() {
    let unix = UnixBoard::start();
    let mut board = connect(unix.path()).await;
    let chatter = "import _thread,time\ndef chatter():\n while 1:\n  print('tick')\n  time.sleep_ms(1)\n_thread.start_new_thread(chatter,())";
    board.exec(chatter).await.unwrap();
    for _ in 0..300 {
        board.exec("pass").await.unwrap();
    }
}

#[tokio::test]
async fn a_board_that_restarts_ends_a_program_as_that() {
    let unix = UnixBoard::start();
    let mut board = connect(unix.path()).await;
    let source = "print('ready')\nwhile True: pass";
    let mut program = board.start(source, None).await.unwrap();
    // Output comes in any pieces.
    let mut output = Vec::new();
    while output != b"ready\n" {
        output.extend(program.next_output().await.unwrap().unwrap());
    }
    unix.reset();
    assert_eq!(program.outcome().await, Ok(Outcome::BoardReset));
    // The unix port ends at a SystemExit, and is started again.
    let exited = board.exec("raise SystemExit").await;
    assert_eq!(exited, Err(BoardError::Restarted));
    assert_eq!(board.exec("print(1)").await.unwrap(), b"1\n");
}

#[tokio::test]
async fn a_lost_board_says_why_once_and_then_that_it_is_over() {
    let unix = UnixBoard::start();
    let mut wire = Wire::attach(unix.path(), Faults::default());
    let mut board = connect(wire.path()).await;
    board.exec("a = 1").await.unwrap();
    wire.unplug();
    let lost = board.exec("print(a)").await.unwrap_err();
    assert_eq!(lost, BoardError::Lost(LostReason::Closed));
    let over = board.exec("print(a)").await.unwrap_err();
    assert!(
        matches!(
            over,
            BoardError::Over | BoardError::Refused(CommandError::Lost)
        ),
        "{over:?}"
    );
}

#[tokio::test]
async fn a_soft_reset_forgets_everything_and_the_board_goes_on() {
    let microbit = Microbit::start();
    let mut board = connect(microbit.path()).await;
    board.exec("a = 1").await.unwrap();
    board.soft_reset().await.unwrap();
    assert!(matches!(board.eval("a").await, Err(BoardError::Raised(_))));
    assert_eq!(board.eval("6*7").await.unwrap(), "42");
    board.leave().await.unwrap();
    board.close().await;
}
