//! Visual Studio Code's own client, which holds every message against the protocol's schema.

use std::{path::Path, process::Command};

use flylead_tests::boards::UnixBoard;

use crate::run::is_free;

#[test]
fn an_editors_own_client_debugs_programs() {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/debug-client");
    let modules = client.join("node_modules");
    assert!(
        modules.exists(),
        "{} is missing: run `cargo xtask setup`",
        modules.display()
    );
    let board = UnixBoard::start();
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let output = Command::new("node")
        .args(["--test", "--test-timeout=200000", "session.test.js"])
        .current_dir(client)
        .env("FLYLEAD", env!("CARGO_BIN_EXE_flylead"))
        .env("BOARD", board.path())
        .env("FOLDER", folder.path())
        .output()
        .expect("Node can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("pass 6"), "{said}");
    is_free(board.path());
}
