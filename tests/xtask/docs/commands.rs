//! A page for each command, made from its `--help`.

use super::{empty, item, write_made};
use crate::shell::Shell;
use anyhow::{Result, ensure};
use std::fmt::Write as _;
use std::path::Path;

/// Writes the pages and an overview into `folder`, and returns the sidebar's entries.
pub(super) fn write(shell: &Shell, folder: &Path) -> Result<Vec<serde_json::Value>> {
    empty(folder)?;
    let top = help(shell, &[])?;
    let mut overview = String::from(OVERVIEW);
    let mut entries = Vec::new();
    for name in subcommands(&top) {
        write_with_subcommands(shell, folder, &[&name], &mut overview)?;
        entries.push(item(&name, &format!("/commands/{name}")));
    }
    ensure!(
        !entries.is_empty(),
        "`flylead --help` lists no commands: {top}"
    );
    let _ = write!(
        overview,
        "\n## Options of all commands {{#common}}\n\n{}",
        fenced(section(&top, COMMON))
    );
    write_made(&folder.join("index.md"), &overview)?;
    Ok(entries)
}

/// Writes the page of one command, and those of the commands below it.
fn write_with_subcommands(
    shell: &Shell,
    folder: &Path,
    words: &[&str],
    overview: &mut String,
) -> Result<()> {
    let text = help(shell, words)?;
    let (name, file) = (words.join(" "), words.join("-"));
    let about = text.lines().next().unwrap_or_default();
    let _ = writeln!(overview, "| [`{name}`](./{file}.md) | {} |", escape(about));
    write_made(&folder.join(format!("{file}.md")), &page(&name, &text))?;
    for below in subcommands(&text) {
        write_with_subcommands(shell, folder, &[words, &[&below]].concat(), overview)?;
    }
    Ok(())
}

fn help(shell: &Shell, words: &[&str]) -> Result<String> {
    let name = format!("flylead{}", std::env::consts::EXE_SUFFIX);
    let mut command = shell.command(shell.target("debug").join(name), words);
    shell.read(
        command
            .arg("--help")
            .env("COLUMNS", "100")
            .env_remove("FLYLEAD_PORT"),
    )
}

/// The page of a command: its text as it is, each section of its help under a heading.
fn page(name: &str, help: &str) -> String {
    let mut page = format!("# flylead {name}\n\n");
    let _ = writeln!(
        page,
        "{}",
        escape(help.split("\nUsage:").next().unwrap_or_default().trim())
    );
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: "));
    let _ = writeln!(page, "\n```text\n{}\n```", usage.unwrap_or_default());
    for title in titles(help).filter(|title| *title != COMMON) {
        let _ = write!(page, "\n## {title}\n\n{}", fenced(section(help, title)));
    }
    page.push_str(
        "\n[Options of all commands](./index.md#common): port, time limits, JSON, traces, turns.\n",
    );
    page
}

fn fenced(text: &str) -> String {
    format!("```text\n{}\n```\n", text.trim_end())
}

/// Titles of a help text's sections: a line of its own that ends in a colon.
fn titles(help: &str) -> impl Iterator<Item = &str> {
    let titles = help.lines().filter_map(|line| line.strip_suffix(':'));
    titles.filter(|title| !title.is_empty() && !title.starts_with(' '))
}

/// Lines of the section `title`, up to the next one.
fn section<'a>(help: &'a str, title: &str) -> &'a str {
    let head = format!("\n{title}:\n");
    let Some(start) = help.find(&head).map(|at| at + head.len()) else {
        return "";
    };
    let rest = &help[start..];
    let end = titles(rest)
        .next()
        .and_then(|next| rest.find(&format!("\n{next}:\n")));
    &rest[..end.unwrap_or(rest.len())]
}

fn subcommands(help: &str) -> Vec<String> {
    let names = section(help, "Commands").lines().filter_map(|line| {
        let name = line
            .strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))?;
        name.split(' ').next().map(str::to_owned)
    });
    names.filter(|name| name != "help").collect()
}

/// Text that Markdown and Vue show as it is.
fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace("{{", "{&#123;")
        .replace('|', "\\|")
        .replace('*', "\\*")
}

const COMMON: &str = "Connection and output";
const OVERVIEW: &str = "# Commands\n\nMade from the command's own help: `flylead COMMAND --help`.\n\n| command | |\n|---|---|\n";

#[cfg(test)]
mod tests {
    use super::{page, section, subcommands, titles};

    const HELP: &str = "Do it\n\nAt once.\n\nUsage: flylead do <A>\n\nCommands:\n  one   First\n  two   Second\n        and more\n  help  Print\n\nConnection and output:\n  -p\n\nExamples:\n  flylead do\n";

    #[test]
    fn a_help_text_is_its_sections() {
        assert_eq!(
            titles(HELP).collect::<Vec<_>>(),
            ["Commands", "Connection and output", "Examples"]
        );
        assert_eq!(section(HELP, "Examples"), "  flylead do\n");
        assert_eq!(subcommands(HELP), ["one", "two"]);
    }

    #[test]
    fn a_page_has_the_text_the_usage_and_all_sections_but_the_common_one() {
        let page = page("do", HELP);
        assert!(
            page.starts_with("# flylead do\n\nDo it\n\nAt once.\n\n```text\nflylead do <A>\n"),
            "{page}"
        );
        assert!(
            page.contains("## Examples") && !page.contains("## Connection"),
            "{page}"
        );
    }
}
