//! Tasks that are measured: the words for each tool, the preparation, and the proof that it was done.

use std::{fs, path::PathBuf};

use super::{
    board::{Bench, Kind, Tool},
    content::{Content, tree},
    fail,
};

/// One line of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Exec,
    List,
    Up(Content, usize),
    Down(Content, usize),
    /// A folder that is not on the board.
    Tree,
    /// A folder that is there already.
    Unchanged,
    Install,
    Import,
}

const FILES: usize = 20;
const PACKAGE: usize = 5;
const MODULES: usize = 10;
const SIZES: [(usize, &str); 4] = [
    (100, "100 B"),
    (2048, "2 KB"),
    (20 * 1024, "20 KB"),
    (200 * 1024, "200 KB"),
];

impl Task {
    pub(crate) fn all() -> Vec<Self> {
        let mut tasks = vec![Self::Exec, Self::List];
        for (size, _) in SIZES {
            for content in Content::ALL {
                tasks.extend([Self::Up(content, size), Self::Down(content, size)]);
            }
        }
        tasks.extend([Self::Tree, Self::Unchanged, Self::Install, Self::Import]);
        tasks
    }

    pub(crate) fn name(&self) -> String {
        let size = |size| {
            SIZES
                .iter()
                .find(|(of, _)| *of == size)
                .map_or("", |(_, name)| name)
        };
        match *self {
            Self::Exec => "exec".into(),
            Self::List => "ls".into(),
            Self::Up(content, bytes) => format!("cp {} up, {}", size(bytes), content.name()),
            Self::Down(content, bytes) => format!("cp {} down, {}", size(bytes), content.name()),
            Self::Tree => format!("cp -r, {FILES} files"),
            Self::Unchanged => format!("sync, {FILES} files unchanged"),
            Self::Install => format!("install, {PACKAGE} files"),
            Self::Import => format!("mount, import {MODULES} modules"),
        }
    }

    pub(crate) const fn rounds(&self, kind: Kind) -> usize {
        match (kind, self) {
            (_, Self::Up(_, size) | Self::Down(_, size)) if *size > 100_000 => 1,
            (Kind::Pico, Self::Exec | Self::List) | (Kind::Microbit, _) => 5,
            (Kind::Pico, _) => 3,
            (Kind::Unix, _) => 5,
        }
    }

    /// Reason why a kind of board is not asked for it, whatever the tool.
    pub(crate) fn unable(&self, kind: Kind) -> Option<&'static str> {
        let is_small = matches!(self, Self::Exec | Self::List)
            || matches!(self, Self::Up(_, size) | Self::Down(_, size) if *size <= 2048);
        (kind == Kind::Microbit && !is_small).then_some("the board has room for small files alone")
    }

    /// Words for a tool, once all is in place for it.
    pub(crate) fn prepare(&self, bench: &Bench, tool: Tool, round: u64) -> Vec<String> {
        let scratch = bench.scratch.path();
        let is_ours = tool == Tool::Flylead;
        let fs = |words: &[&str]| {
            let words = words.iter().map(|word| (*word).to_owned());
            ["fs".to_owned()]
                .into_iter()
                .chain(words)
                .collect::<Vec<_>>()
        };
        match *self {
            Self::Exec => ["exec", "print(1+1)"].map(str::to_owned).into(),
            Self::List => fs(&["ls"]),
            Self::Up(content, size) => {
                remove(bench, "data");
                let file = scratch.join("data");
                fs::write(&file, content.bytes(round, size)).unwrap_or_else(fail);
                fs(&["cp", &shown(&file), ":data"])
            }
            Self::Down(content, size) => {
                let file = scratch.join("data");
                fs::write(&file, content.bytes(round, size)).unwrap_or_else(fail);
                must(bench, &fs(&["cp", &shown(&file), ":data"]));
                fs(&["cp", ":data", &shown(&scratch.join("back"))])
            }
            Self::Tree => {
                remove(bench, "tree");
                let folder = scratch.join(format!("{round}/tree"));
                tree(&folder, FILES, round);
                copy_tree(&folder)
            }
            Self::Unchanged => {
                let folder = scratch.join("same/tree");
                tree(&folder, FILES, 999);
                must(bench, &fs(&["cp", "-r", &shown(&folder), ":"]));
                match is_ours {
                    true => fs(&["sync", &shown(&folder), ":tree"]),
                    false => copy_tree(&folder),
                }
            }
            Self::Install => {
                remove(bench, "lib/pack");
                let manifest = package(&scratch.join(format!("{round}/package")), round);
                let manifest = shown(&manifest);
                match is_ours {
                    true => ["install".into(), "--target".into(), "lib".into(), manifest].into(),
                    false => ["mip", "install", "--target", "lib", &manifest]
                        .map(str::to_owned)
                        .into(),
                }
            }
            Self::Import => {
                let folder = scratch.join(format!("{round}/modules"));
                modules(&folder, round);
                let names: Vec<_> = (0..MODULES).map(|at| format!("bench{at}")).collect();
                let mut program = format!("import {}\n", names.join(","));
                program += "import sys\nfor n in list(sys.modules):\n if n.startswith('bench'):del sys.modules[n]\n";
                program += &format!("del sys,n,{}", names.join(","));
                let folder = shown(&folder);
                match is_ours {
                    true => ["mount", &folder, "--", "exec", &program]
                        .map(str::to_owned)
                        .into(),
                    false => ["mount", &folder, "exec", &program]
                        .map(str::to_owned)
                        .into(),
                }
            }
        }
    }

    /// Ends the benchmark if what a tool says it did was not done.
    pub(crate) fn check(&self, bench: &Bench, tool: Tool, round: u64) {
        let scratch = bench.scratch.path();
        let (file, expected) = match *self {
            Self::Up(..) => ("data", fs::read(scratch.join("data"))),
            Self::Tree => (
                "tree/file19.py",
                fs::read(scratch.join(format!("{round}/tree/file19.py"))),
            ),
            Self::Install => (
                "lib/pack/part4.py",
                fs::read(scratch.join(format!("{round}/package/part4.py"))),
            ),
            Self::Down(content, size) => {
                let back = scratch.join("back");
                let is_right = fs::read(&back).unwrap_or_else(fail) == content.bytes(round, size);
                let _ = fs::remove_file(back);
                return demand(is_right, self, tool);
            }
            Self::Exec | Self::List | Self::Unchanged | Self::Import => return,
        };
        let expected = weak_sum(&expected.unwrap_or_else(fail));
        let sum = bench.ask(&format!(
            "s=0\nwith open('{file}','rb') as f:\n while 1:\n  d=f.read(64)\n  if not d:break\n  for c in d:s=(s*31+c)&0xffffff\nprint(s)\ndel s,f,d,c"
        ));
        demand(
            sum.as_deref() == Ok(expected.to_string().as_str()),
            self,
            tool,
        );
    }
}

fn demand(is_right: bool, task: &Task, tool: Tool) {
    if !is_right {
        let tool = if tool == Tool::Flylead {
            "flylead"
        } else {
            "mpremote"
        };
        fail::<()>(format!(
            "{tool}: {}: the copy is not the original",
            task.name()
        ));
    }
}

/// A sum that the smallest of the boards can make.
fn weak_sum(data: &[u8]) -> u32 {
    let add = |sum: u32, &byte: &u8| (sum * 31 + u32::from(byte)) & 0xff_ffff;
    data.iter().fold(0, add)
}

/// Words that both tools take: mpremote copies no folder to `:` on the unix port, as that has no `os.stat('')`.
fn copy_tree(folder: &std::path::Path) -> Vec<String> {
    ["fs", "cp", "-r", &shown(folder), ":."]
        .map(str::to_owned)
        .into()
}

fn shown(path: &std::path::Path) -> String {
    path.display().to_string()
}

fn must(bench: &Bench, words: &[String]) {
    if let Err(error) = bench.output(Tool::Flylead, words) {
        fail::<()>(format!("flylead {words:?}: {error}"));
    }
}

/// Removes a path, if it is there.
fn remove(bench: &Bench, path: &str) {
    let words = ["fs", "rm", "-r", &format!(":{path}")].map(str::to_owned);
    let _ = bench.output(Tool::Flylead, &words);
}

/// A package of some files, by the path of its manifest.
fn package(folder: &std::path::Path, seed: u64) -> PathBuf {
    fs::create_dir_all(folder).unwrap_or_else(fail);
    let mut urls = Vec::new();
    for number in 0..PACKAGE {
        let name = format!("part{number}.py");
        let content = Content::Source.bytes(seed * 100 + number as u64, 700 + 300 * number);
        fs::write(folder.join(&name), content).unwrap_or_else(fail);
        urls.push(format!(r#"["pack/{name}", "{name}"]"#));
    }
    let manifest = folder.join("package.json");
    let text = format!(r#"{{"urls": [{}], "version": "1.0"}}"#, urls.join(", "));
    fs::write(&manifest, text).unwrap_or_else(fail);
    manifest
}

/// Modules of a KB each that define what modules define.
fn modules(folder: &std::path::Path, seed: u64) {
    fs::create_dir_all(folder).unwrap_or_else(fail);
    for number in 0..MODULES {
        let mut text = format!("# {seed}: a driver of a sensor\nREGISTER = const({number})\n");
        for function in 0..12 {
            text += &format!(
                "def read_{function}(bus, address={number}):\n    return bus.readfrom_mem(address, REGISTER + {function}, 2)\n"
            );
        }
        fs::write(folder.join(format!("bench{number}.py")), text).unwrap_or_else(fail);
    }
}
