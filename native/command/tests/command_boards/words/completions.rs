//! The board's paths, completed by real shells at a real board of `flylead serve`.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use flylead_native::link::{self, Link};
use flylead_tests::boards::UnixBoard;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

use crate::{
    common::{flylead, folder, press_ctrl_c, run, started, told_of, wait_until, write},
    hub::Hub,
};

#[test]
fn shells_complete_the_paths_of_a_shared_board_and_leave_a_busy_one_alone() {
    let board = UnixBoard::start();
    let lib = board.flash().join("lib");
    fs::create_dir_all(&lib).unwrap();
    fs::write(lib.join("it's only.txt"), "quoted").unwrap();
    fs::write(lib.join("plain.txt"), "plain").unwrap();
    let hub = Hub::start(board.path());
    let home = Home::new(&hub);
    home.must(&["ports", "name", board.path().to_str().unwrap(), "bench"]);
    // From now on it is known what the board is doing.
    home.must(&["--port", "bench", "exec", "print(1)"]);

    for shell in ["bash", "zsh", "fish"] {
        for (typed, said) in [
            ("flylead --port bench cat :/flash/lib/it\t >", "quoted"),
            ("flylead --port bench cat \":/flash/lib/it\t >", "quoted"),
            ("flylead cat :/flash/li\tplain.txt >", "plain"),
            ("flylead --port ben\t eval 42 >", "42\n"),
            ("flylead -p ben\t cat :/flash/lib/plain.txt >", "plain"),
        ] {
            home.complete(shell, typed, said);
        }
    }

    let running = started(hub.flylead(&["exec", "print('ready')\nimport time\ntime.sleep(60)"]));
    // This computer has such a folder, too; it is not meant.
    let line = "flylead --port bench cat :/us";
    let typed = format!("{line}\t\x01echo \x05 >");
    for shell in ["bash", "zsh", "fish"] {
        home.complete(shell, &typed, &format!("{line}\n"));
    }
    press_ctrl_c(&running);
    assert_eq!(told_of(running).0, 130, "it was not interrupted before");

    drop(hub);
    home.complete("bash", &typed, &format!("{line}\n"));
}

#[test]
fn a_program_that_was_left_running_goes_on_while_paths_are_asked_for() {
    let board = UnixBoard::start();
    let hub = Hub::start(board.path());
    let beat = board.flash().join("beat");
    let beats = || fs::metadata(&beat).map_or(0, |beat| beat.len());
    let ask = || {
        let line = format!("flylead -p {} cat :/fl", board.path().display());
        let (code, said, stderr) = hub.run(&["board-paths", &line]);
        assert_eq!((code, &*stderr), (0, ""));
        said
    };
    let program = "import time\nwhile True:\n f=open('/flash/beat','a')\n f.write('.')\n f.close()\n time.sleep(0.01)";
    assert_eq!(hub.run(&["exec", "print(1)"]).0, 0);
    wait_until("its paths are told", || ask() == ":/flash/\n");
    assert_eq!(hub.run(&["exec", "--no-follow", program]).0, 0);
    wait_until("it runs", || beats() > 0);
    assert_eq!(ask(), "");
    let before = beats();
    wait_until("it still runs", || beats() > before);

    // Nobody serves another user's board, and no port is opened for this.
    let line = format!("flylead -p {} cat :/fl", board.path().display());
    let elsewhere = folder();
    let mut asked = flylead(board.path(), &["board-paths", &line]);
    asked.env("XDG_RUNTIME_DIR", elsewhere.path());
    assert_eq!(run(asked), (0, String::new(), String::new()));
    // What is no path of a board is the shell's.
    assert_eq!(hub.run(&["board-paths", "flylead cp a.py"]).0, 2);
}

/// A home folder with each shell's settings in it, and the command in its path.
struct Home {
    folder: TempDir,
    runtime: String,
}

impl Home {
    fn new(hub: &Hub) -> Self {
        let home = Self {
            folder: folder(),
            runtime: hub.runtime().display().to_string(),
        };
        for shell in ["bash", "zsh", "fish"] {
            let script = home.must(&["completions", shell]);
            write(&home.folder, &format!("{shell}/_flylead"), script);
        }
        let at = home.folder.path().display();
        let settings = [
            ("bashrc", format!("PS1='{PROMPT}'\n. {at}/bash/_flylead\n")),
            (
                ".zshrc",
                format!(
                    "PROMPT='{PROMPT}'\nbindkey -e\nfpath=({at}/zsh $fpath)\nautoload -Uz compinit\ncompinit -u -D\n"
                ),
            ),
            (
                "fishrc",
                format!(
                    "function fish_prompt; printf '{PROMPT}'; end\nsource {at}/fish/_flylead\n"
                ),
            ),
        ];
        for (name, text) in settings {
            write(&home.folder, name, text);
        }
        home
    }

    fn must(&self, words: &[&str]) -> String {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_flylead"));
        command.args(words);
        command.envs(self.variables());
        let (code, said, stderr) = run(command);
        assert_eq!(code, 0, "{words:?}: {stderr}");
        said
    }

    fn variables(&self) -> [(&str, String); 8] {
        let at = self.folder.path().display().to_string();
        let program = Path::new(env!("CARGO_BIN_EXE_flylead")).parent().unwrap();
        [
            ("HOME", at.clone()),
            ("ZDOTDIR", at.clone()),
            ("XDG_CONFIG_HOME", format!("{at}/config")),
            ("XDG_DATA_HOME", format!("{at}/data")),
            ("XDG_RUNTIME_DIR", self.runtime.clone()),
            ("PATH", format!("{}:/usr/bin:/bin", program.display())),
            ("TERM", "xterm".into()),
            ("INPUTRC", "/dev/null".into()),
        ]
    }

    /// Types a line, which is to write this into a file. A machine so busy that the board does not answer in a moment completes
    /// nothing, so it is typed again.
    fn complete(&self, shell: &str, typed: &str, said: &str) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let give_up = Instant::now() + PATIENCE;
        loop {
            let (found, screen) = runtime.block_on(self.type_in(shell, typed, said));
            if found.as_deref() == Some(said) {
                return;
            }
            assert!(
                Instant::now() < give_up,
                "{shell}: {typed:?} has {found:?}, not {said:?}: {screen}"
            );
        }
    }

    /// Types a line; returns the content that it writes into the file, and the screen.
    async fn type_in(&self, shell: &str, typed: &str, said: &str) -> (Option<String>, String) {
        let file = self.folder.path().join("said");
        let _ = fs::remove_file(&file);
        let mut terminal = self.open(shell).await;
        let mut screen = Vec::new();
        let at_prompt = |screen: &Vec<u8>| String::from_utf8_lossy(screen).contains(PROMPT);
        let prompt = until(&mut terminal, &mut screen, at_prompt);
        let prompt = timeout(PATIENCE, prompt).await;
        prompt.unwrap_or_else(|_| panic!("{shell}: {}", String::from_utf8_lossy(&screen)));
        let line = format!("{typed} {}\r", file.display());
        terminal.write_all(line.as_bytes()).await.unwrap();
        let is_said = |_: &Vec<u8>| fs::read_to_string(&file).is_ok_and(|text| text == said);
        let _ = timeout(ATTEMPT, until(&mut terminal, &mut screen, is_said)).await;
        let screen = String::from_utf8_lossy(&screen).into_owned();
        (fs::read_to_string(&file).ok(), screen)
    }

    async fn open(&self, shell: &str) -> Link {
        let at = self.folder.path().display();
        let start = match shell {
            "bash" => format!("bash --noprofile --rcfile {at}/bashrc -i"),
            "zsh" => "zsh -i".into(),
            _ => format!("fish --no-config -i -C 'source {at}/fishrc'"),
        };
        let variables = self
            .variables()
            .map(|(name, value)| format!("{name}='{value}'"));
        let variables = variables.join(" ");
        let address = format!("process:stty sane; cd {at}; exec env -i {variables} {start}");
        link::open(&address.parse().unwrap()).await.unwrap()
    }
}

/// Reads what a terminal shows, until something is so.
async fn until(terminal: &mut Link, screen: &mut Vec<u8>, is_so: impl Fn(&Vec<u8>) -> bool) {
    while !is_so(screen) {
        if let Ok(Ok(0) | Err(_)) = timeout(LOOK_AGAIN, terminal.read_buf(screen)).await {
            return;
        }
    }
}

const PROMPT: &str = "ready> ";
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Time limit of a line before it is typed again.
const ATTEMPT: Duration = Duration::from_secs(10);
/// More than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
