//! The page of figures: benchmarks run one after the other, and what they print goes into `docs/figures.md` with machine, date and
//! command.

use crate::shell::Shell;
use anyhow::{Result, bail};
use clap::Args;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// Benchmarks to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Names, such as `exec`; all of the page when none is given
    names: Vec<String>,
    /// Address of a running Zylisp server in Go, which the figures of `zylisp` are beside
    #[arg(long, value_name = "ADDRESS")]
    peer: Option<String>,
}

/// Runs benchmarks and writes what they print into the page; the others keep what stands there.
pub(crate) fn run(shell: &Shell, options: &Options) -> Result<()> {
    if let Some(name) = options
        .names
        .iter()
        .find(|name| !BENCHMARKS.iter().any(|(known, ..)| known == name))
    {
        let names: Vec<_> = BENCHMARKS.iter().map(|(name, ..)| *name).collect();
        bail!(
            "the page has no figures of {name}; it has: {}",
            names.join(" ")
        );
    }
    let path = shell.path(PAGE);
    let mut text = fs::read_to_string(&path)?;
    let wanted = BENCHMARKS.iter().filter(|(name, ..)| {
        options.names.is_empty() || options.names.iter().any(|wanted| wanted == name)
    });
    let mut failed = Vec::new();
    for (name, about, peer) in wanted {
        let Some(words) = words(name, options.peer.as_deref()) else {
            shell.say(&format!(
                "{name}: left out; start its peer and say --peer ADDRESS"
            ));
            continue;
        };
        let beside = peer.map(|peer| format!(", beside {peer}"));
        let title = format!("## {name}\n\n{about}{}", beside.unwrap_or_default());
        match measured(shell, &title, &words) {
            Ok(section) => text = page(&text, name, &section),
            // The others take up to an hour: they are measured all the same.
            Err(error) => {
                shell.say(&format!("{error:#}"));
                failed.push(*name);
            }
        }
        // Each as soon as it is there: all of them take an hour.
        fs::write(&path, &text)?;
    }
    if !failed.is_empty() {
        bail!("these did not end: {}", failed.join(" "));
    }
    Ok(())
}

/// Returns the words for `cargo xtask` that run a benchmark, or `None` when its peer is missing.
fn words<'a>(name: &'a str, peer: Option<&'a str>) -> Option<Vec<&'a str>> {
    match (name, peer) {
        ("zylisp", Some(address)) => Some(vec!["bench", name, "--", "--peer", address]),
        ("zylisp", None) => None,
        _ => Some(vec!["bench", name]),
    }
}

/// The page with new figures of one benchmark.
fn page(old: &str, name: &str, section: &str) -> String {
    let mut new = String::from(INTRODUCTION);
    for (known, ..) in BENCHMARKS {
        let kept = part(old, known);
        let text = if known == name { section } else { kept };
        if !text.is_empty() {
            let _ = write!(new, "\n{}\n", text.trim());
        }
    }
    new
}

/// Returns the part of the page below the heading of a benchmark, with the heading.
fn part<'a>(page: &'a str, name: &str) -> &'a str {
    let heading = format!("## {name}\n");
    let Some(at) = page.find(&heading) else {
        return "";
    };
    let rest = &page[at + heading.len()..];
    let end = rest.find("\n## ").unwrap_or(rest.len());
    &page[at..at + heading.len() + end]
}

/// Runs a benchmark once the machine is quiet, and returns its section of the page.
fn measured(shell: &Shell, title: &str, words: &[&str]) -> Result<String> {
    let command = words.join(" ");
    shell.say(&format!("cargo xtask {command}"));
    let load = load();
    let printed = shell.read(shell.command(env::current_exe()?, &[]).args(words))?;
    let date = shell.read(&mut shell.command("date", &["--utc", "+%Y-%m-%d"]))?;
    let lines = printed
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.starts_with("  building") && !line.starts_with("  compiling"));
    let printed: Vec<_> = lines.collect();
    Ok(format!(
        "{title}. `cargo xtask {command}`, {}, {}{load}.\n\n```text\n{}\n```\n",
        date.trim(),
        machine(),
        printed.join("\n").trim_matches('\n')
    ))
}

/// Processor, number of its cores, and system of this machine.
fn machine() -> String {
    let field = |file: &str, name: &str, mark: char| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find_map(|line| {
            line.strip_prefix(name)?
                .split_once(mark)
                .map(|(_, value)| value.trim().to_owned())
        });
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let processor = field("/proc/cpuinfo", "model name", ':');
    let system = field("/etc/os-release", "PRETTY_NAME", '=');
    format!("{processor} ({cores} cores), {system}")
}

/// Waits until the last benchmark has left the average, and returns the work that others give the machine, if there is any.
fn load() -> String {
    let until = Instant::now() + SETTLE;
    while average() >= QUIET && Instant::now() < until {
        thread::sleep(LOOK_AGAIN);
    }
    match average() {
        load if load < QUIET => String::new(),
        load => format!(", at a load of {load:.1} by other programs"),
    }
}

/// Returns the load average of the last minute (proc_loadavg(5)).
fn average() -> f32 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split(' ').next();
    first.and_then(|load| load.parse().ok()).unwrap_or(0.0)
}

/// A load below this changes no figure.
const QUIET: f32 = 0.3;
/// Time in which a load of 4 that has ended falls below [`QUIET`].
const SETTLE: Duration = Duration::from_secs(180);
const LOOK_AGAIN: Duration = Duration::from_secs(5);
const PAGE: &str = "docs/figures.md";
/// The benchmarks of the page: name, subject, peer; without a peer they show how much can be asked of Flylead.
const BENCHMARKS: [(&str, &str, Option<&str>); 9] = [
    ("exec", "One `exec`", Some("mpremote")),
    (
        "boards",
        "One task on three kinds of board",
        Some("mpremote"),
    ),
    ("files", "Files, up and down", Some("mpremote")),
    ("mount", "A mounted folder", Some("mpremote")),
    ("debug", "The debugger", Some("the program without it")),
    ("collect", "Logs of devices, fetched", None),
    ("each", "One command on many boards", None),
    ("zylisp", "Zylisp", Some("the server in Go")),
    ("python", "The Python package", Some("pyboard.py")),
];
const INTRODUCTION: &str = "\
# Figures

`cargo xtask figures` runs the benchmarks below, each of which runs Flylead and its peers in turn on one machine, and writes this page.
Medians of several runs. A timing never makes a test fail, and figures change with the machine: `cargo xtask bench NAME` measures on
yours, and `cargo xtask bench` lists all benchmarks. Each command on a Pico, a micro:bit and a board at 115,200 baud, beside mpremote,
has its table in [`tests/benches/README.md`](../tests/benches/README.md), which `cargo xtask bench boards` writes; earlier results are
there, in [`core/README.md`](../core/README.md) and in [`wasm/README.md`](../wasm/README.md).
";

#[cfg(test)]
mod tests {
    use super::{page, part, words};

    #[test]
    fn new_figures_take_the_place_of_old_ones_and_leave_the_others() {
        let first = page("", "files", "## files\n\n1\n");
        let second = page(&first, "exec", "## exec\n\n2\n");
        let third = page(&second, "files", "## files\n\n3\n");
        assert_eq!(part(&third, "exec").trim(), "## exec\n\n2");
        assert_eq!(part(&third, "files").trim(), "## files\n\n3");
        assert!(third.find("## exec").unwrap() < third.find("## files").unwrap());
        assert_eq!(part(&third, "mount"), "");
    }

    #[test]
    fn the_readme_has_the_figures_of_the_page() {
        let page = include_str!("../../../docs/figures.md");
        let readme = include_str!("../../../README.md").replace('\n', " ");
        let exec = part(page, "exec");
        for (row, tool) in [
            ("flylead exec", "Flylead"),
            ("mpremote resume exec", "mpremote"),
        ] {
            let row = exec.lines().find_map(|line| line.strip_prefix(row));
            let median = row
                .and_then(|row| row.split_whitespace().next())
                .expect("a median");
            assert!(
                readme.contains(&format!("{median} ms with {tool}")),
                "{median} ms"
            );
        }
    }

    #[test]
    fn zylisp_is_measured_only_beside_its_peer() {
        assert_eq!(words("zylisp", None), None);
        let words = words("zylisp", Some("tcp://127.0.0.1:7777")).expect("its peer is there");
        assert_eq!(
            words.join(" "),
            "bench zylisp -- --peer tcp://127.0.0.1:7777"
        );
    }
}
