//! Commands of this repository that documents, workflows and help texts name are commands that exist.

use crate::Arguments;
use clap::{CommandFactory, Parser};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_command_line_of_cargo_xtask_that_is_named_is_taken() {
    let lines = named("cargo xtask");
    assert!(lines.len() > 60, "only {} lines found", lines.len());
    let refused: Vec<_> = lines.iter().filter(|(_, line)| !is_taken(line)).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn every_program_package_and_folder_behind_a_command_of_cargo_exists() {
    let lines = [
        named("cargo run"),
        named("cargo install"),
        named("cargo build"),
    ]
    .concat();
    assert!(lines.len() > 10, "only {} lines found", lines.len());
    let refused: Vec<_> = lines.iter().filter(|(_, line)| !exists(line)).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn the_command_line_of_cargo_xtask_is_sound() {
    Arguments::command().debug_assert();
}

/// Command lines that begin so in Markdown, workflows and Rust, each with its file: up to the end of code, of a line or of a comment.
fn named(start: &str) -> Vec<(String, String)> {
    let list = Command::new("git")
        .args(["ls-files", "*.md", "*.yml", ".ci/run", "*.rs"])
        .current_dir(root())
        .output();
    let list = String::from_utf8(list.expect("git runs").stdout).expect("names are text");
    let mut found = Vec::new();
    for path in list.lines().filter(|path| !path.ends_with("documented.rs")) {
        let text = fs::read_to_string(root().join(path)).unwrap_or_default();
        for line in text.lines() {
            for (at, _) in line.match_indices(start) {
                let is_code = line[..at].trim_end().ends_with(['`', ':'])
                    || line[..at].trim().is_empty()
                    || line[..at].trim() == "exec";
                let command = line[at..]
                    .split(['`', '#', '"', ';', '\\', ')', ','])
                    .next()
                    .unwrap_or_default();
                let command = command.split(" && ").next().unwrap_or_default().trim();
                if is_code
                    && !command.contains(['{', '…'])
                    && !line.trim_start().starts_with("//!   ")
                {
                    found.push((path.to_owned(), command.to_owned()));
                }
            }
        }
    }
    found
}

/// A name in capitals stands for a value.
fn is_taken(line: &str) -> bool {
    let line = line.split(" > ").next().unwrap_or(line);
    let words = line.split_whitespace().skip(1);
    let words: Vec<_> = words.map(|word| word.replace("NUMBER", "1")).collect();
    match Arguments::try_parse_from(&words) {
        Ok(_) => true,
        // `cargo xtask` alone shows its help.
        Err(error) => !error.use_stderr() || words.len() == 1,
    }
}

fn exists(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    let after = |names: &[&str]| {
        words
            .windows(2)
            .find(|pair| names.contains(&pair[0]))
            .map(|pair| pair[1])
    };
    let has_package = after(&["-p", "--package"])
        .is_none_or(|name| manifests().contains(&format!("name = \"{name}\"")));
    let has_program =
        after(&["--bin"]).is_none_or(|name| manifests().contains(&format!("name = \"{name}\"")));
    has_package
        && has_program
        && after(&["--path"]).is_none_or(|path| root().join(path).join("Cargo.toml").exists())
}

fn manifests() -> String {
    let folders = [
        "core",
        "core/zylisp-lang",
        "native",
        "native/command",
        "native/python",
        "wasm",
        "tests",
        "tests/xtask",
        "tests/decoders",
    ];
    let texts = folders
        .map(|folder| fs::read_to_string(root().join(folder).join("Cargo.toml")).expect(folder));
    texts.concat()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
