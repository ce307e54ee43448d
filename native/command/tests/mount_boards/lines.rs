//! Lines that lose, change or repeat bytes.

use std::fs;

use flylead_tests::boards::{Blow, Faults, Strike, UnixBoard, Wire};

use crate::common::{folder, mount, told, write};

/// Strikes the wire while a board copies a file of its folder, and checks that the copy is
/// complete.
fn copied_through(strike: Strike) {
    // Between two REPLs the unix port gives its terminal back for a moment, in which Ctrl-C ends it (ports/unix/main.c): what
    // is started then has no folder, says nothing, and so is not struck.
    let is_done = (0..5).any(|_| was_copied_through(strike));
    assert!(is_done, "{strike:?} did not hit");
}

/// Copies a file like [`copied_through`]; returns true if the board had the folder when the program
/// began.
fn was_copied_through(strike: Strike) -> bool {
    let board = UnixBoard::start();
    // What can be packed is, and then ends before the blow.
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state.wrapping_mul(state >> 16) >> 24) as u8
    };
    let content: Vec<u8> = (0..14_000).map(|_| random()).collect();
    let folder = folder(&[]);
    write(&folder, "data", &content);
    let wire = Wire::attach(board.path(), Faults::default());
    let program = "import os\nif os.getcwd()!='/remote':raise SystemExit\nprint('ready')\nd=open('data','rb').read()\nwith open('copy','wb') as f:f.write(d)\nprint(len(d))";
    // Counted by the wire: whoever read the word here would come at any time of the copying, or after it.
    wire.strike_after(b"ready", strike);
    let output = mount(wire.path(), folder.path(), &["exec", program])
        .output()
        .expect("flylead starts");
    let is_unhit = wire.mend();
    if is_unhit && output.stdout.is_empty() {
        return false;
    }
    assert!(!is_unhit, "{strike:?} did not hit: {output:?}");
    assert_eq!(told(&output).0, 0, "{strike:?}: {output:?}");
    let copy = fs::read(folder.path().join("copy")).unwrap();
    assert!(copy == content, "{strike:?}: {} bytes", copy.len());
    true
}

#[test]
fn bytes_that_a_bad_line_loses_changes_or_repeats_are_asked_for_again() {
    for blow in [Blow::Lose, Blow::Flip(3), Blow::Repeat] {
        for (to_board, after) in [(true, 5), (true, 1_200), (true, 9_000), (false, 40)] {
            copied_through(Strike {
                to_board,
                after,
                blow,
            });
        }
    }
}
