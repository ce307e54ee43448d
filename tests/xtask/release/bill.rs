//! A bill of materials: everything that the command is made of, as CycloneDX lists it.

use super::{VERSION, file, folder};
use crate::build::setup::{self, NPM};
use crate::build::tools::Tool;
use crate::shell::Shell;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// Writes one list of the crates in the command, and one of the npm packages in its page.
pub(crate) fn write(shell: &Shell) -> Result<[PathBuf; 2]> {
    let bills = [crates(shell)?, page(shell)?];
    for bill in &bills {
        let text = fs::read_to_string(bill)?;
        let content: Value =
            serde_json::from_str(&text).with_context(|| format!("{}", bill.display()))?;
        let parts = content["components"].as_array().map_or(0, Vec::len);
        ensure!(
            content["bomFormat"] == "CycloneDX" && parts > 0,
            "{} lists nothing",
            bill.display()
        );
        shell.say(&format!("{}: {parts} parts", bill.display()));
    }
    Ok(bills)
}

fn crates(shell: &Shell) -> Result<PathBuf> {
    let tool = TOOL.program(shell)?;
    let arguments = [
        "cyclonedx",
        "--format",
        "json",
        "--no-build-deps",
        "--manifest-path",
        "native/command/Cargo.toml",
        "--override-filename",
        "bill.tmp",
    ];
    shell.run(&mut shell.command(tool, &arguments))?;
    let bill = folder(shell)?.join(format!("flylead-v{VERSION}.crates.cdx.json"));
    // One is written beside the manifest of each member.
    let members = shell.read(&mut shell.command("git", &["ls-files", "*Cargo.toml"]))?;
    for member in members.lines() {
        let written = shell.path(member).with_file_name("bill.tmp.json");
        if member == "native/command/Cargo.toml" {
            fs::copy(&written, &bill)
                .with_context(|| format!("cannot copy {}", written.display()))?;
        }
        if written.exists() {
            fs::remove_file(&written)?;
        }
    }
    Ok(bill)
}

fn page(shell: &Shell) -> Result<PathBuf> {
    setup::npm(shell, "web")?;
    let mut list = shell.command(
        NPM,
        &["sbom", "--sbom-format", "cyclonedx", "--omit", "dev"],
    );
    let text = shell.read(list.current_dir(shell.path("web")))?;
    let bill = folder(shell)?.join(format!("flylead-v{VERSION}.page.cdx.json"));
    file::write(&bill, &text)?;
    Ok(bill)
}

const TOOL: Tool = Tool {
    name: "cargo-cyclonedx",
    version: "0.5.9",
    about: "which lists the crates in a program",
};
