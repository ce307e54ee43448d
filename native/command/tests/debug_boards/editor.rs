//! Editors' own clients: Visual Studio Code's, which holds every message against the protocol's schema, Emacs' and Neovim's.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use flylead_tests::boards::{UnixBoard, command};

use crate::run::{is_free, program};

#[test]
fn an_editors_own_client_debugs_programs() {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/debug");
    let modules = client.join("node_modules");
    assert!(
        modules.exists(),
        "{} is missing: run `cargo xtask setup`",
        modules.display()
    );
    let board = UnixBoard::start();
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let output = Command::new("node")
        .args([
            "--test",
            "--test-concurrency=1",
            "--test-timeout=200000",
            "attach.test.js",
            "session.test.js",
        ])
        .current_dir(client)
        .env("FLYLEAD", env!("CARGO_BIN_EXE_flylead"))
        .env("BOARD", board.path())
        .env("FOLDER", folder.path())
        .output()
        .expect("Node can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("pass 27"), "{said}");
    is_free(board.path());
}

#[test]
fn emacs_debugs_a_program() {
    let board = UnixBoard::start();
    let (folder, path) = program("def f(n):\n    m = n + 1  # here\n    return m\n\nprint(f(1))\n");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/debug/session.el");
    let mut emacs = Command::new(command("emacs"));
    emacs
        .args(["--batch", "--load"])
        .arg(script)
        .env("FLYLEAD", env!("CARGO_BIN_EXE_flylead"))
        .env("BOARD", board.path())
        .env("PROGRAM", path)
        .env("HOME", folder.path());
    says(&mut emacs, &["stopped in f\n", "stepped\n", "over\n"]);
    is_free(board.path());
}

#[test]
#[ignore = "neither Debian nor npm or PyPI has the plugin: `cargo xtask test boards` runs it where FLYLEAD_NVIM_DAP names its folder"]
fn nvim_dap_debugs_a_program() {
    let plugin = match nvim_dap() {
        Ok(plugin) => plugin,
        Err(why) => return println!("\nskipped: NOT RUN: nvim-dap: {why}"),
    };
    let board = UnixBoard::start();
    let (folder, path) = program("def f(n):\n    m = n + 1  # here\n    return m\n\nprint(f(1))\n");
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/debug/session.lua");
    let mut neovim = Command::new("nvim");
    neovim
        .args(["--headless", "--clean", "-n", "-S"])
        .arg(script)
        .env("NVIM_DAP", plugin)
        .env("FLYLEAD", env!("CARGO_BIN_EXE_flylead"))
        .env("BOARD", board.path())
        .env("PROGRAM", path)
        .env("HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path());
    let words = [
        "stopped in f\n",
        "n is 1\n",
        "m is 2\n",
        "over with 0 and 2\n",
    ];
    says(&mut neovim, &words);
    is_free(board.path());
}

/// Runs an editor with its script, which says all of these words and succeeds.
fn says(editor: &mut Command, words: &[&str]) {
    let output = editor.output().expect("the editor can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    for word in words {
        assert!(said.contains(word), "{said}");
    }
    assert!(output.status.success(), "{said}");
}

/// Returns the folder of Neovim's plugin, or what is missing.
fn nvim_dap() -> Result<PathBuf, String> {
    let folder = env::var_os("FLYLEAD_NVIM_DAP").ok_or("FLYLEAD_NVIM_DAP names no folder")?;
    let folder = PathBuf::from(folder);
    if !folder.join("lua/dap.lua").exists() {
        return Err(format!("{} has no lua/dap.lua", folder.display()));
    }
    let version = Command::new("nvim").arg("--version").output();
    version.map_err(|why| format!("Neovim cannot be started: {why}"))?;
    Ok(folder)
}
