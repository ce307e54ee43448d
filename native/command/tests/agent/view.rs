//! The view in which commands work: what a person does meanwhile is hers, and what a command did can be taken back.
//!
//! `FLYLEAD_ROUNDS=200` and `FLYLEAD_SEQUENCES=1000` try it for longer.
#![cfg(target_os = "linux")]

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use flylead_core::agent::Numbering;
use flylead_native::{
    agent::{Access, Agent, Approval, Home, Location, Options, Settings},
    shell::{self, Bound, Bounds, End, Layer, Limits, Mounts, Sandbox},
    workspace::{Changed, Folder, How, Ran, Rights, Workspace},
};

struct World {
    top: tempfile::TempDir,
    folder: Folder,
}

impl World {
    fn new(rights: impl Fn(Rights) -> Rights) -> Self {
        let top = tempfile::tempdir().unwrap();
        let work = top.path().join("work");
        fs::create_dir_all(work.join("src")).unwrap();
        fs::create_dir(top.path().join("own")).unwrap();
        let rights = rights(Rights {
            own: Some(top.path().join("own")),
            ..Rights::default()
        });
        let folder = Folder::open(&work).unwrap().with_rights(rights);
        let world = Self { top, folder };
        for (name, content) in [
            ("a.txt", "a\n"),
            ("src/b.txt", "b\n"),
            (".gitignore", "target/\n"),
        ] {
            fs::write(world.at(name), content).unwrap();
        }
        world.git(&["init", "-q", "--template=", "."]);
        world
    }

    fn at(&self, name: &str) -> PathBuf {
        self.top.path().join("work").join(name)
    }

    fn git(&self, words: &[&str]) -> String {
        let done = Command::new("git")
            .args(words)
            .current_dir(self.at(""))
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap()
    }

    fn undo(&self) -> PathBuf {
        self.top.path().join("undo")
    }

    fn run(&self, script: &str) -> Ran {
        let _ = fs::remove_dir_all(self.undo());
        self.folder.run(script, &self.undo()).unwrap()
    }

    fn is(&self, name: &str, content: &str) -> bool {
        fs::read_to_string(self.at(name)).is_ok_and(|it| it == content)
    }
}

fn notes(ran: &Ran) -> String {
    ran.notes.join("\n")
}

fn count(name: &str, usual: usize) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(usual)
}

/// Everything below a folder but git's: kind, mode, and content or target.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let content = match () {
                () if metadata.is_symlink() => fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes(),
                () if metadata.is_dir() => Vec::new(),
                () => fs::read(&path).unwrap(),
            };
            if metadata.is_dir() && !path.ends_with(".git") {
                folders.push(path.clone());
            }
            found.insert(path, (metadata.mode(), content));
        }
    }
    found
}

#[test]
fn a_command_works_in_a_view_and_nothing_of_ours_is_in_the_folder() {
    let world = World::new(|rights| rights);
    let before = snapshot(&world.at(""));
    let running = thread::scope(|scope| {
        let run = scope.spawn(|| {
            world.run(
                "echo x > new; echo y >> a.txt; rm -r src; touch ../x 2>/dev/null; sleep 0.5; ls",
            )
        });
        thread::sleep(Duration::from_millis(250));
        assert_eq!(snapshot(&world.at("")), before);
        run.join().unwrap()
    });
    assert_eq!(running.output, b"a.txt\nnew\n", "{running:?}");
    assert!(world.is("new", "x\n") && world.is("a.txt", "a\ny\n") && !world.at("src").exists());
    let said = world.folder.take_back(&world.undo()).unwrap();
    assert_eq!(snapshot(&world.at("")), before, "{said:?}");
    assert!(!world.top.path().join("own/view").exists());
}

#[test]
fn a_person_who_edits_clones_and_saves_while_commands_run_loses_nothing() {
    let world = World::new(|rights| rights);
    let rounds = count("FLYLEAD_ROUNDS", 6);
    for round in 0..rounds {
        fs::write(world.at("meant"), "old\n").unwrap();
        let script = format!(
            "touch started; sleep 0.15; for f in a.txt src/b.txt meant .envrc; do echo command >> $f; done; rm -rf src; \
             mkdir -p lib .vscode; echo '{{}}' > .vscode/settings.json; echo {round} > made{round}"
        );
        let mut hers = BTreeMap::new();
        let ran = thread::scope(|scope| {
            let run = scope.spawn(|| world.run(&script));
            let started = world.top.path().join("own/view/upper/started");
            let deadline = Instant::now() + Duration::from_secs(60);
            while !started.exists() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
            let mut save = |name: &str, content: &str| {
                fs::create_dir_all(world.at(name).parent().unwrap()).unwrap();
                fs::write(world.at(name), content).unwrap();
                hers.insert(name.to_owned(), content.to_owned());
            };
            save("src/b.txt", &format!("hers {round}\n"));
            save(".envrc", "export HERS=1\n");
            save(".vscode/settings.json", "{\"hers\": 1}\n");
            save(&format!("src/new{round}"), "new\n");
            world.git(&["init", "-q", "--template=", &format!("lib/dep{round}")]);
            save(&format!("lib/dep{round}/file"), "cloned\n");
            while !run.is_finished() {
                // As most editors save.
                fs::write(world.at("a.new"), "saved\n").unwrap();
                fs::rename(world.at("a.new"), world.at("a.txt")).unwrap();
                thread::sleep(Duration::from_micros(300));
            }
            hers.insert("a.txt".into(), "saved\n".into());
            run.join().unwrap()
        });
        for (name, content) in hers {
            assert!(
                world.is(&name, &content),
                "{name} in round {round}: {}",
                notes(&ran)
            );
        }
        assert!(world.at(&format!("lib/dep{round}/.git/HEAD")).exists());
        assert!(world.is("meant", "old\ncommand\n") && world.at(&format!("made{round}")).exists());
        assert!(
            notes(&ran).contains("src/b.txt (changed since)"),
            "{}",
            notes(&ran)
        );
        world.git(&["status"]);
    }
}

#[test]
fn links_modes_hard_links_and_pipes_are_the_persons_and_can_be_taken_back() {
    let world = World::new(|rights| rights);
    fs::write(world.top.path().join("store"), "store\n").unwrap();
    fs::hard_link(world.top.path().join("store"), world.at("package")).unwrap();
    symlink("a.txt", world.at("link")).unwrap();
    fs::create_dir(world.at("closed")).unwrap();
    let before = snapshot(&world.at(""));
    let inode = |name: &str| world.at(name).symlink_metadata().unwrap().ino();
    let inodes = ["a.txt", "package", "link"].map(inode);
    let ran = world.run(
        "echo more >> package; chmod 600 package a.txt; ln -sfn src link; chmod 711 closed; rm src/b.txt; rmdir src; echo x > src; \
         i=0; while [ $i -lt 600 ]; do mkfifo pipe$i; i=$((i+1)); done; mkdir -p deep/er; chmod 500 deep",
    );
    assert!(
        ran.success && notes(&ran).contains("a socket, a pipe or a device"),
        "{ran:?}"
    );
    assert_eq!(
        fs::read_to_string(world.top.path().join("store")).unwrap(),
        "store\n"
    );
    assert!(world.is("package", "store\nmore\n") && world.is("src", "x\n"));
    assert_eq!(fs::read_link(world.at("link")).unwrap(), Path::new("src"));
    assert!(!world.at("pipe0").exists() && world.at("deep/er").is_dir());
    let mode = |name: &str| fs::metadata(world.at(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        [mode("closed"), mode("deep"), mode("package")],
        [0o711, 0o500, 0o600]
    );
    // A later command is not refused.
    assert!(
        world
            .folder
            .run("true", &world.top.path().join("other"))
            .unwrap()
            .success
    );
    let said = world.folder.take_back(&world.undo()).unwrap();
    assert_eq!(snapshot(&world.at("")), before, "{said:?}");
    assert_eq!(["a.txt", "package", "link"].map(inode), inodes, "{said:?}");
}

#[test]
fn what_the_person_changed_since_is_not_taken_back() {
    let world = World::new(|rights| rights);
    world.run("echo x > a.txt; echo y > new; mkdir d; touch d/f; rm src/b.txt");
    fs::write(world.at("a.txt"), "hers\n").unwrap();
    fs::write(world.at("d/hers"), "hers\n").unwrap();
    let said = world.folder.take_back(&world.undo()).unwrap().join("\n");
    assert!(
        said.contains("a.txt: left as it is (changed since)") && said.contains("d: left as it is"),
        "{said}"
    );
    assert!(
        world.is("a.txt", "hers\n") && world.is("d/hers", "hers\n") && world.is("src/b.txt", "b\n")
    );
    assert!(!world.at("new").exists() && !world.at("d/f").exists());
}

/// Accepts everything but what has this name.
fn all_but_left(changes: &[Changed]) -> Vec<bool> {
    changes
        .iter()
        .map(|change| !change.path.contains("left"))
        .collect()
}

fn all(changes: &[Changed]) -> Vec<bool> {
    vec![true; changes.len()]
}

#[test]
fn what_a_person_does_not_accept_stays_out_and_is_told() {
    let world = World::new(|rights| Rights {
        accept: Some(all_but_left),
        ..rights
    });
    let ran = world.run("mkdir -p d/left; touch d/left/x d/y left.txt; echo z >> a.txt");
    assert!(
        world.at("d/y").exists() && !world.at("d/left").exists() && !world.at("left.txt").exists()
    );
    let notes = notes(&ran);
    assert!(
        notes.contains("did not accept: new d/left/x, new left.txt")
            && notes.contains("changed: a.txt, new d/y"),
        "{notes}"
    );
}

#[test]
fn a_diff_shows_what_git_says_that_it_obeys_secrets_and_heaps() {
    fn look(changes: &[Changed]) -> Vec<bool> {
        let text: Vec<String> = changes
            .iter()
            .map(|it| {
                format!(
                    "{:?} {} {:?} {} {}",
                    it.how, it.path, it.marks, it.is_obeyed_at_once, it.text
                )
            })
            .collect();
        fs::write(
            std::env::temp_dir().join(format!("flylead-shown-{}", std::process::id())),
            text.join("\n===\n"),
        )
        .unwrap();
        assert!(
            changes
                .iter()
                .any(|it| it.how == How::Ignored && it.files == 2 && it.path == "target"),
            "{text:?}"
        );
        all(changes)
    }
    let world = World::new(|rights| Rights {
        accept: Some(look),
        ..rights
    });
    fs::create_dir(world.at("scripts")).unwrap();
    fs::write(world.at("scripts/check"), "true\n").unwrap();
    fs::create_dir_all(world.at(".git/hooks")).unwrap();
    symlink("../../scripts/check", world.at(".git/hooks/pre-commit")).unwrap();
    symlink("conf", world.at(".vscode")).unwrap();
    fs::create_dir(world.at("conf")).unwrap();
    world.git(&["config", "filter.x.clean", "sh scripts/clean"]);
    let ran = world.run(
        "echo evil >> scripts/check; echo x > scripts/clean; touch conf/tasks.json AGENTS.md .env; mkdir target; touch target/a target/b; echo z > plain",
    );
    assert!(ran.success, "{ran:?}");
    let path = std::env::temp_dir().join(format!("flylead-shown-{}", std::process::id()));
    let shown = fs::read_to_string(&path).unwrap();
    fs::remove_file(path).unwrap();
    for wanted in [
        "Changed scripts/check [\"git runs it as a hook\"] true",
        "New scripts/clean [\"git's setting filter.x.clean names it\"] true",
        "New conf/tasks.json [\".vscode leads to it: an editor obeys it when it opens the folder\"] true",
        "New AGENTS.md [\"an assistant obeys it when it works in the folder\"]",
        "it may be a secret: its name is typical of files with secrets",
        "New plain [] false",
        "+evil",
    ] {
        assert!(shown.contains(wanted), "{wanted}\n{shown}");
    }
}

#[test]
fn a_view_has_one_bound_for_all_that_it_holds() {
    let top = tempfile::tempdir().unwrap();
    let (work, copy) = (top.path().join("work"), top.path().join("copy"));
    fs::create_dir(&work).unwrap();
    fs::create_dir(&copy).unwrap();
    let sandbox = Sandbox::bubblewrap(&work, &shell::Options::default()).unwrap();
    let limits = Limits {
        bounds: Bounds {
            view: 8 << 20,
            ..Bounds::default()
        },
        ..Limits::default()
    };
    let mounts = Mounts {
        view: Some(Layer::Copy(copy)),
        ..Mounts::default()
    };
    for script in [
        "for i in 1 2 3 4 5 6 7 8 9; do head -c 1M /dev/zero > $i; sleep 0.2; done; sleep 10",
        "i=0; while :; do i=$((i+1)); : > f$i; done",
    ] {
        let ran = shell::run_in(script, &work, limits, Some((&sandbox, &mounts))).unwrap();
        assert_eq!(ran.end, End::Exceeded(Bound::Space), "{script}");
    }
}

#[test]
fn folders_are_moved_by_the_tools_that_move_them() {
    let world = World::new(|rights| rights);
    for number in 0..3 {
        fs::create_dir_all(world.at(&format!("base{number}/in"))).unwrap();
        fs::write(world.at(&format!("base{number}/in/f")), "f\n").unwrap();
    }
    let ran = world.run("mv base0 moved");
    assert!(
        ran.success && world.is("moved/in/f", "f\n") && !world.at("base0").exists(),
        "{ran:?}"
    );
    // A program that knows no other way than rename(2).
    let script = "perl -e 'rename(\"base1\", \"renamed\") or die \"$!\\n\"'";
    let ran = world.run(script);
    assert!(ran.success && notes(&ran).contains("in a copy"), "{ran:?}");
    assert!(world.is("renamed/in/f", "f\n") && !world.at("base1").exists());
    let said = world.folder.take_back(&world.undo()).unwrap();
    assert!(
        world.is("base1/in/f", "f\n") && !world.at("renamed").exists(),
        "{said:?}"
    );
}

/// A random sequence from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const PATHS: [&str; 10] = [
    "a.txt",
    "src/b.txt",
    "new",
    "src",
    "d/e/f",
    "d",
    "link",
    "package",
    "src/deep/x",
    "target/o",
];

fn command(random: &mut Random) -> String {
    let (one, other) = (random.one(&PATHS), random.one(&PATHS));
    match random.below(4) {
        0 => format!("[CREATE_FILE path=\"{one}\"]\ncreated {other}\n[/CREATE_FILE]\n"),
        1 => format!("[DELETE_FILE path=\"{one}\"]\n"),
        2 => format!(
            "[EDIT_FILE path=\"{one}\" start_line=\"1\" end_line=\"1\"]\nedited\n[/EDIT_FILE]\n"
        ),
        _ => {
            let mut line = || {
                let (one, other) = (random.one(&PATHS), random.one(&PATHS));
                match random.below(11) {
                    0 => format!("echo more >> {one}"),
                    1 => format!("rm -rf {one}"),
                    2 => format!("mv {one} {other}"),
                    3 => format!(
                        "chmod {} {one}",
                        ["600", "755", "700", "644"][random.below(4)]
                    ),
                    4 => format!("ln -sfn {one} {other}"),
                    5 => format!("mkdir -p {one}"),
                    6 => format!("sed -i s/a/z/ {one}"),
                    7 => format!("cp -a {one} {other}"),
                    8 => format!("touch {one}"),
                    9 => format!("rm -rf {one}; mkdir -p {one}/x; echo y > {one}/x/y"),
                    _ => format!("printf new > {one}"),
                }
            };
            let lines: Vec<String> = (0..4).map(|_| line()).collect();
            format!("[RUN_COMMAND]\n{}\n[/RUN_COMMAND]\n", lines.join("\n"))
        }
    }
}

#[test]
fn undo_after_random_replies_leaves_the_folder_as_it_was_to_the_byte() {
    for seed in 0..count("FLYLEAD_SEQUENCES", 12) as u64 {
        let world = World::new(|rights| rights);
        fs::create_dir(world.at("target")).unwrap();
        fs::write(world.at("target/o"), "o\n").unwrap();
        symlink("a.txt", world.at("link")).unwrap();
        fs::hard_link(world.at("a.txt"), world.at("package")).unwrap();
        let before = snapshot(&world.at(""));
        let home = Home::create(&Location {
            workspace: Some(world.at("").to_string_lossy().into_owned()),
            home: Some(world.top.path().join("home")),
            here: false,
        });
        let settings = Settings {
            numbering: Numbering::Sequential,
            ..Settings::default()
        };
        let agent = Agent::begin(home.unwrap(), "undo", settings).unwrap();
        let mut agent = agent.with_access(Access {
            accept: Some(all),
            ..Access::default()
        });
        let mut random = Random(seed);
        let replies: Vec<String> = (0..2)
            .map(|number| {
                let commands: Vec<String> = (0..4).map(|_| command(&mut random)).collect();
                format!("reply {number}\n{}", commands.concat())
            })
            .collect();
        for reply in &replies {
            agent
                .apply(reply.as_bytes(), Options::default(), &mut |_| Approval::Run)
                .unwrap();
        }
        let mut said = agent.undo(None).unwrap();
        said.extend(agent.undo(None).unwrap());
        assert_eq!(
            snapshot(&world.at("")),
            before,
            "seed {seed}\n{}\n{said:#?}",
            replies.concat()
        );
    }
}
