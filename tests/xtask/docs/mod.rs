//! The documentation site: the pages of docs/, a page for each command, the protocols, and the references of three languages.
//!
//! ```text
//! flylead --help ──► docs/commands/*.md ──┐
//! READMEs of the code ─► docs/protocols/ ─┼─► vitepress ──► target/site ──► linkinator: every link and anchor
//! docs/**/*.md ───────────────────────────┘                    ▲
//! cargo doc, typedoc, pdoc ─────────► rust/ typescript/ python/ ┘
//! ```

mod commands;
mod protocols;

use crate::build::setup;
use crate::build::wasm;
use crate::build::web;
use crate::build::wheel;
use crate::shell::{Shell, has, write};
use crate::test::programs;
use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Options for building the site.
#[derive(Args)]
pub(crate) struct Options {
    /// Path below which the site will be served, such as /flylead/
    #[arg(long, default_value = "/", value_parser = base)]
    base: String,
    /// Leave out the references of Rust, TypeScript and Python, which take longest
    #[arg(long)]
    pages_only: bool,
    /// Follow links to other sites as well, for which the network is needed
    #[arg(long, conflicts_with = "pages_only")]
    external: bool,
}

impl Options {
    /// The whole site, where the workflow of releases puts it: a link to the top of the host would be broken there.
    pub(crate) fn whole() -> Self {
        Self {
            base: "/flylead/".to_owned(),
            pages_only: false,
            external: false,
        }
    }
}

/// Builds the site into `target/site`, and checks every link of it.
pub(crate) fn site(shell: &Shell, options: &Options) -> Result<()> {
    setup::npm(shell, FOLDER)?;
    shell.say("building the command, whose help becomes pages");
    programs(shell)?;
    write_pages(shell)?;
    shell.say("building the pages");
    let mut build = script(shell, "vitepress", "bin/vitepress.js")?;
    build.env("FLYLEAD_DOCS_BASE", &options.base);
    shell.run(build.args(["build", "."]))?;
    let site = shell.path("target/site");
    if options.pages_only {
        shell.say(&format!("{} has the pages", site.display()));
        return Ok(());
    }
    references(shell, &site)?;
    web::put(shell, &site.join(PAGE))?;
    check_links(shell, options)?;
    shell.say(&format!("{} has the site", site.display()));
    Ok(())
}

/// Writes the pages that are made from something else, and the list of them that the sidebar shows.
fn write_pages(shell: &Shell) -> Result<()> {
    let docs = shell.path(FOLDER);
    let generated = json!({
        "commands": commands::write(shell, &docs.join("commands"))?,
        "protocols": protocols::write(shell, &docs.join("protocols"))?,
        "recipes": titles(&docs, "recipes")?,
        "guide": titles(&docs, "guide")?,
    });
    let list = docs.join(".vitepress/generated.json");
    write(&list, &serde_json::to_string_pretty(&generated)?)
}

/// Titles and addresses of the pages in a folder, by title.
fn titles(docs: &Path, folder: &str) -> Result<Vec<serde_json::Value>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(docs.join(folder))? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let title = text.lines().next().unwrap_or_default();
        let title = title.trim_start_matches("# ").to_owned();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        pages.push((title, format!("/{folder}/{name}")));
    }
    pages.sort();
    let items = pages.iter().map(|(title, link)| item(title, link));
    Ok(items.collect())
}

/// An entry of the sidebar.
fn item(text: &str, link: &str) -> serde_json::Value {
    json!({ "text": text, "link": link })
}

/// Makes an empty folder for generated pages.
fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// Writes a page that is made from another file, without a link for editing it.
fn write_made(path: &Path, text: &str) -> Result<()> {
    write(path, &format!("---\neditLink: false\n---\n\n{text}"))
}

/// Puts the references of the crates, the npm package and the Python package into the site.
fn references(shell: &Shell, site: &Path) -> Result<()> {
    shell.say("the reference of the crates");
    crate::test::rustdoc(shell)?;
    copy(shell, &shell.target("doc"), &site.join("rust"))?;
    shell.say("the reference of the npm package");
    wasm::package(shell)?;
    let out = site.join("typescript");
    let mut typedoc = script(shell, "typedoc", "bin/typedoc")?;
    typedoc.args(["--options", ".vitepress/typedoc.json", "--out"]);
    shell.run(typedoc.arg(&out))?;
    shell.say("the reference of the Python package");
    let python = wheel::installed(shell)?;
    let mut pdoc = shell.command(&python, &["-m", "pdoc", "flylead", "-o"]);
    shell.run(pdoc.arg(site.join("python")))?;
    for front in FRONTS {
        ensure!(site.join(front).exists(), "the site lacks {front}");
    }
    Ok(())
}

fn copy(shell: &Shell, from: &Path, to: &Path) -> Result<()> {
    ensure!(has("cp"), "copying a folder needs `cp`");
    let mut copy = shell.command("cp", &["-r"]);
    shell.run(copy.arg(from).arg(to))
}

/// Follows every link of the site, headings included, as a browser that is given its base would.
fn check_links(shell: &Shell, options: &Options) -> Result<()> {
    shell.say("following every link");
    let check = shell.path(FOLDER).join(".vitepress/check-links.mjs");
    let mut node = shell.command("node", &[]);
    node.arg(check)
        .arg(shell.path("target/site"))
        .arg(&options.base);
    shell.run(node.args(options.external.then_some("--external")))
}

/// A program of an npm package of docs/, run there.
fn script(shell: &Shell, package: &str, inside: &str) -> Result<Command> {
    let folder = shell.path(FOLDER);
    let path = folder.join("node_modules").join(package).join(inside);
    ensure!(
        path.exists(),
        "{} is missing: run `cargo xtask setup`",
        path.display()
    );
    let mut node = shell.command("node", &[]);
    node.arg(path).current_dir(folder);
    Ok(node)
}

fn base(text: &str) -> Result<String, String> {
    let is_path = text.starts_with('/') && text.ends_with('/');
    let path = is_path.then(|| text.to_owned());
    path.ok_or_else(|| format!("{text} is no path for a site: write it as /flylead/"))
}

/// First pages of the references, to which the sidebar leads.
const FRONTS: [&str; 4] = [
    "rust/flylead_native/index.html",
    "rust/flylead_core/index.html",
    "typescript/index.html",
    "python/flylead.html",
];
/// Folder of the page itself in the site.
const PAGE: &str = "try";
/// Folder of the site's sources.
pub(crate) const FOLDER: &str = "docs";
