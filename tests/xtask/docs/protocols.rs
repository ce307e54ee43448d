//! A page for each protocol, from the document beside its code.

use super::{empty, item, write_made};
use crate::shell::Shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Writes the pages and an overview into `folder`, and returns the sidebar's entries.
pub(super) fn write(shell: &Shell, folder: &Path) -> Result<Vec<serde_json::Value>> {
    empty(folder)?;
    let mut overview = String::from(OVERVIEW);
    let mut entries = Vec::new();
    for (name, source, title) in PROTOCOLS {
        let text = fs::read_to_string(shell.path(source)).context(source)?;
        let page = format!("# {title}\n\n{}", readable(&text));
        write_made(&folder.join(format!("{name}.md")), &page)?;
        overview.push_str(&format!("- [{title}](./{name}.md)\n"));
        entries.push(item(title, &format!("/protocols/{name}")));
    }
    write_made(&folder.join("index.md"), &overview)?;
    Ok(entries)
}

/// The text without links to Rust's items, which only rustdoc can follow, and with its headings one level down.
fn readable(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().map(|line| {
        is_code ^= line.starts_with("```");
        match line.starts_with('#') && !is_code {
            true => format!("#{line}"),
            false if is_code || line.starts_with("```") => line.to_owned(),
            false => without_items(line).replace("{{", "{&#123;"),
        }
    });
    lines.map(|line| line + "\n").collect()
}

/// A line whose links to items are their texts: ``[`A`](crate::A)`` and ``[`A`]`` become `` `A` ``.
fn without_items(line: &str) -> String {
    let mut parts = line.split('[');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((label, rest)) if rest.starts_with('(') && !is_item(rest) => {
                text.push_str(&format!("[{label}]{rest}"));
            }
            Some((label, rest)) if rest.starts_with('(') => {
                text.push_str(label);
                text.push_str(rest.split_once(')').map_or("", |(_, rest)| rest));
            }
            Some((label, rest)) if label.starts_with('`') => {
                text.push_str(&format!("{label}{rest}"));
            }
            _ => text.push_str(&format!("[{part}")),
        }
    }
    text
}

/// True for a link that rustdoc follows, such as `(crate::board::Board)` or `(Machine)`.
fn is_item(link: &str) -> bool {
    let target = link
        .trim_start_matches('(')
        .split(')')
        .next()
        .unwrap_or_default();
    target.contains("::") || !target.contains(['.', '/', '#'])
}

/// Protocols: the names of their pages, the documents, and the titles.
const PROTOCOLS: [(&str, &str, &str); 15] = [
    ("raw_repl", "core/src/raw_repl/README.md", "Raw REPL"),
    (
        "board",
        "core/src/board/README.md",
        "Files and programs on a board",
    ),
    (
        "channel",
        "core/src/channel/README.md",
        "Binary frames of a board",
    ),
    ("mount", "core/src/mount/README.md", "Mounted folders"),
    ("debug", "core/src/debug/README.md", "Debugger"),
    (
        "testing",
        "native/src/run/testing/board/README.md",
        "Tests on a board",
    ),
    (
        "export",
        "core/src/export/README.md",
        "Export from an SD card",
    ),
    ("agent", "core/src/agent/README.md", "Outbox and inbox"),
    ("hub", "native/src/hub/README.md", "A hub and its clients"),
    ("webrepl", "native/src/link/transport/webrepl.md", "WebREPL"),
    ("rfc2217", "core/src/rfc2217/README.md", "RFC 2217"),
    ("zylisp", "core/src/zylisp/README.md", "Zylisp remote REPL"),
    ("nrepl", "core/src/nrepl/README.md", "nREPL"),
    ("uf2", "core/src/uf2/README.md", "UF2"),
    ("esp", "core/src/esp/README.md", "ESP images"),
];
const OVERVIEW: &str = "# Protocols\n\nHow Flylead speaks on the wire. The pages are the documents beside the code. Most of it is in the core, whose modules \
are pure state machines: [`flylead-core`](../rust/flylead_core/index.html){target=\"_self\"} has their reference.\n\n";

#[cfg(test)]
mod tests {
    use super::{readable, without_items};

    #[test]
    fn links_to_items_become_their_texts() {
        let line = "a [`A`](crate::A), [`B`], [c](d.md) and `x[0]` or [y]";
        assert_eq!(
            without_items(line),
            "a `A`, `B`, [c](d.md) and `x[0]` or [y]"
        );
    }

    #[test]
    fn headings_move_down_and_code_stays() {
        assert_eq!(
            readable("# A\n```text\n# [`B`]\n```\n"),
            "## A\n```text\n# [`B`]\n```\n"
        );
    }
}
