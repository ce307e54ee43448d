//! Runs every script in `tests/attempts`: as whoever runs the tests, and, if that is the administrator, as another user
//! too. None may get out of its sandbox, and each has to get out where there is none.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use rustix::process::geteuid;

use crate::world::{LISTEN, Template, open_to_all, text};

#[test]
fn no_attempt_gets_out_of_its_sandbox_and_each_does_where_there_is_none() {
    let attempts = attempts();
    let is_all = std::env::var_os("FLYLEAD_ATTEMPT").is_none();
    assert!(attempts.len() >= 60 || !is_all, "{}", attempts.len());
    let tools = tempfile::tempdir_in("/tmp").unwrap();
    open_to_all(tools.path());
    let agent = tools.path().join("flylead");
    fs::copy(env!("CARGO_BIN_EXE_flylead"), &agent).unwrap();
    fs::copy(root().join(LISTEN), tools.path().join(LISTEN)).unwrap();
    let mut users = vec![None];
    match geteuid().is_root() {
        true => users.push(Some(OTHER_USER)),
        false => println!("not the administrator: the attempts are run as one user"),
    }
    let mut faults = Vec::new();
    for user in users {
        let tally = run_all(&attempts, &agent, user);
        println!(
            "as {}: {} attempts, {} got out; {} of them tried outside of a sandbox, {} got out there",
            user.map_or_else(
                || "the one who runs the tests".to_owned(),
                |id| format!("user {id}")
            ),
            attempts.len(),
            tally.out.len(),
            tally.controls,
            tally.controls - tally.empty.len(),
        );
        faults.extend(tally.out.iter().map(|said| format!("GOT OUT: {said}")));
        faults.extend(
            tally
                .empty
                .iter()
                .map(|said| format!("EMPTY ATTEMPT: {said}")),
        );
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[derive(Default)]
struct Tally {
    out: Vec<String>,
    empty: Vec<String>,
    controls: usize,
}

fn run_all(attempts: &[Attempt], agent: &Path, user: Option<u32>) -> Tally {
    let template = Template::make(agent, user);
    let next = AtomicUsize::new(0);
    let tally = Mutex::new(Tally::default());
    let work = || {
        while let Some(attempt) = attempts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (is_out, said) = attempt.run(&template, &[]);
            let control = attempt
                .has_control(user)
                .then(|| attempt.run(&template, &["--sandbox", "none"]));
            let mut tally = tally.lock().unwrap();
            if is_out {
                tally.out.push(format!("{}\n{said}", attempt.name));
            }
            tally.controls += usize::from(control.is_some());
            if let Some((false, said)) = control {
                tally.empty.push(format!("{}\n{said}", attempt.name));
            }
        }
    };
    thread::scope(|scope| (0..AT_A_TIME).for_each(|_| drop(scope.spawn(work))));
    tally.into_inner().unwrap()
}

/// A script of the folder, by its parts.
struct Attempt {
    name: String,
    header: String,
    parts: BTreeMap<String, String>,
}

impl Attempt {
    fn read(path: &Path, root: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let (mut header, mut parts) = (String::new(), BTreeMap::<String, String>::new());
        let mut part = None;
        for line in text.split_inclusive('\n') {
            match line.trim_end() {
                "# before:" | "# try:" | "# out:" => part = Some(line.trim().to_owned()),
                _ => match &part {
                    Some(part) => *parts.entry(part.clone()).or_default() += line,
                    None => header += line,
                },
            }
        }
        let name = path.strip_prefix(root).unwrap().display().to_string();
        assert!(
            header.starts_with("# ")
                && parts.contains_key("# try:")
                && parts.contains_key("# out:"),
            "{name} lacks a part"
        );
        Self {
            name,
            header,
            parts,
        }
    }

    fn option(&self, name: &str) -> Option<&str> {
        let mut lines = self.header.lines();
        lines.find_map(|line| line.strip_prefix("# ")?.strip_prefix(name))
    }

    fn part(&self, name: &str) -> &str {
        self.parts.get(name).map_or("", String::as_str)
    }

    /// Returns true if it is also tried outside of a sandbox.
    fn has_control(&self, user: Option<u32>) -> bool {
        let is_root = user.is_none() && geteuid().is_root();
        match self.option("control: ") {
            None => true,
            Some(who) => who.starts_with("root") && is_root,
        }
    }

    /// Runs the attempt; returns true if it escaped, and the output.
    fn run(&self, template: &Template, more: &[&str]) -> (bool, String) {
        let world = template.world();
        let before = world.shell(self.part("# before:"), &[]);
        let reply = format!(
            "[RUN_COMMAND]\n{}\n{}[/RUN_COMMAND]\n",
            world.words(),
            self.part("# try:")
        );
        fs::write(world.at("reply"), reply).unwrap();
        let options = self.option("options: ").unwrap_or_default();
        let options: Vec<&str> = options
            .split_whitespace()
            .chain(more.iter().copied())
            .collect();
        let (terminal, descriptor) = (self.option("terminal"), self.option("descriptor"));
        let done = world.apply(&options, terminal.is_some(), descriptor.is_some());
        let printed = [text(&before), text(&done), text(&world.shell(PRINTED, &[]))].concat();
        fs::write(world.at("printed"), &printed).unwrap();
        let status = done.status.code();
        let status = status.unwrap_or_else(|| 128 + done.status.signal().unwrap_or(127));
        let path = |name: &str| world.at(name).to_str().unwrap().to_owned();
        let variables = [
            ("STATUS", status.to_string()),
            ("PRINTED", path("printed")),
            ("SHOWN", path("shown")),
        ];
        let variables = variables
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        let out = world.shell(self.part("# out:"), &variables);
        (out.status.success(), printed + &text(&out))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attempts")
}

fn attempts() -> Vec<Attempt> {
    let root = root();
    let areas = fs::read_dir(&root)
        .unwrap()
        .map(|area| area.unwrap().path());
    let scripts = areas
        .filter(|area| area.is_dir())
        .flat_map(|area| fs::read_dir(area).unwrap());
    let mut paths: Vec<_> = scripts.map(|script| script.unwrap().path()).collect();
    paths.sort();
    let only = std::env::var("FLYLEAD_ATTEMPT").unwrap_or_default();
    let read = paths.iter().map(|path| Attempt::read(path, &root));
    read.filter(|attempt| attempt.name.contains(&only))
        .collect()
}

/// Message to the LLM, and the output that was too long for it.
const PRINTED: &str = r#"
"$AGENT" agent next; cat "$HOME"/.local/state/flylead/agent/*/sessions/*/*.log 2>/dev/null
"#;

/// A user that no system has.
const OTHER_USER: u32 = 12_345;
const AT_A_TIME: usize = 4;
