//! `flylead repl` on a terminal and without one.

use std::{io::Write as _, process::Stdio, time::Duration};

use flylead_native::link::{self, Address};
use flylead_tests::boards::{AnyBoard, Kind, UnixBoard};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::{
    common::{flylead, folder, piped, told_of},
    ports::usb,
};

#[test]
fn the_prompt_is_the_boards_own_and_the_terminal_is_given_back() {
    let board = UnixBoard::start();
    let shell = format!(
        "'{}' -p '{}' repl; echo left $?; stty -a",
        env!("CARGO_BIN_EXE_flylead"),
        board.path().display()
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let screen = runtime.block_on(type_at(
        &shell,
        ">>> ",
        &["\r", "6*7\r", "\x1b[A\r", "\x03", "\x18"],
    ));
    assert_eq!(screen.matches("42").count(), 2, "{screen}");
    assert!(screen.contains("left 0"), "{screen}");
    assert!(
        screen.contains(" icanon") && screen.contains(" echo "),
        "{screen}"
    );
}

/// A terminal, and all that it has shown.
struct Screen {
    terminal: link::Link,
    shown: Vec<u8>,
}

impl Screen {
    async fn of(shell: &str) -> Self {
        let address: Address = format!("process:stty sane; {shell}").parse().unwrap();
        let terminal = link::open(&address).await.unwrap();
        let shown = Vec::new();
        Self { terminal, shown }
    }

    /// Waits until it shows this text, and forgets all before it.
    async fn until(&mut self, text: &str) {
        let reading = async {
            while !contains(&self.shown, text.as_bytes()) {
                let read = self.terminal.read_buf(&mut self.shown).await.unwrap();
                let shown = String::from_utf8_lossy(&self.shown);
                assert_ne!(read, 0, "{text} is not in {shown}");
            }
        };
        let read = tokio::time::timeout(PATIENCE, reading).await;
        let shown = String::from_utf8_lossy(&self.shown);
        read.unwrap_or_else(|_| panic!("no {text} after {PATIENCE:?} in {shown}"));
        self.shown.clear();
    }

    async fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn a_board_that_is_unplugged_is_waited_for_until_somebody_leaves() {
    let place = folder();
    let path = place.path().join("board");
    let plug_in = || {
        let board = UnixBoard::start();
        std::os::unix::fs::symlink(board.path(), &path).unwrap();
        board
    };
    let unplug = |board: UnixBoard| {
        std::fs::remove_file(&path).unwrap();
        drop(board);
    };
    let board = plug_in();
    let shell = format!(
        "'{}' -p '{}' repl; echo left $?",
        env!("CARGO_BIN_EXE_flylead"),
        path.display()
    );
    let mut screen = Screen::of(&shell).await;
    screen.until("Ctrl-X leaves; ").await;
    screen.press("6*7\r").await;
    screen.until("42").await;
    unplug(board);
    screen.until("waiting for it. Ctrl-X leaves").await;
    // Nobody gets these keys.
    screen.press("print('lost' * 2)\r").await;
    let board = plug_in();
    screen.until("the board is back").await;
    screen.press("6*8\r").await;
    screen.until("48").await;
    unplug(board);
    screen.until("waiting for it. Ctrl-X leaves").await;
    screen.press("\x18").await;
    screen.until("left 0").await;
}

/// The person resets the board at its prompt: its port goes, and comes back under another name.
async fn goes_on_after_a_reset(board: &AnyBoard) {
    let port = usb::port(board);
    let shell = format!(
        "'{}' -p '{}' repl; echo left $?",
        env!("CARGO_BIN_EXE_flylead"),
        port.path().display()
    );
    let mut screen = Screen::of(&shell).await;
    screen.until("Ctrl-X leaves; ").await;
    screen.press("import machine\r").await;
    screen.until(">>> ").await;
    screen.press("machine.reset()\r").await;
    screen.until("the board is back").await;
    screen.press("6*8\r").await;
    screen.until("48").await;
    let names = port.names();
    assert!(names.len() == 2 && names[0] != names[1], "{names:?}");
    screen.press("\x18").await;
    screen.until("left 0").await;
}

#[tokio::test]
async fn the_prompt_goes_on_at_a_port_of_another_name() {
    goes_on_after_a_reset(&usb::unix()).await;
}

#[tokio::test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
async fn the_prompt_of_a_pico_goes_on_at_a_port_of_another_name() {
    for kind in Kind::picos() {
        goes_on_after_a_reset(&kind.start()).await;
    }
}

#[tokio::test]
async fn a_reset_at_the_prompt_of_a_mounted_folder_shows_no_control_characters() {
    let board = UnixBoard::start();
    let here = folder();
    let shell = format!(
        "'{}' -p '{}' mount '{}'",
        env!("CARGO_BIN_EXE_flylead"),
        board.path().display(),
        here.path().display()
    );
    let screen = type_at(&shell, ">>> ", &["\r", "\x04", "\x18"]).await;
    assert!(!screen.contains('\u{240d}'), "{screen}");
}

/// Types each text into a shell on a terminal, after the prompt that comes of the one before; the whole screen.
pub(crate) async fn type_at(shell: &str, prompt: &str, texts: &[&str]) -> String {
    let typing = typed_at(shell, prompt, texts);
    let typed = tokio::time::timeout(PATIENCE, typing).await;
    typed.unwrap_or_else(|_| panic!("no end after {PATIENCE:?}: {shell}"))
}

/// More than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

async fn typed_at(shell: &str, prompt: &str, texts: &[&str]) -> String {
    let address: Address = format!("process:stty sane; {shell}").parse().unwrap();
    let mut terminal = link::open(&address).await.unwrap();
    let mut screen = Vec::new();
    let mut waited_for = match prompt {
        ">>> " => "Ctrl-X leaves",
        prompt => prompt,
    };
    for text in texts {
        let mut seen = screen.len();
        while !contains(&screen[seen..], waited_for.as_bytes()) {
            let length = terminal.read_buf(&mut screen).await.unwrap();
            assert_ne!(length, 0, "{}", String::from_utf8_lossy(&screen));
            seen = seen.min(screen.len());
        }
        waited_for = prompt;
        terminal.write_all(text.as_bytes()).await.unwrap();
    }
    terminal.read_to_end(&mut screen).await.unwrap();
    String::from_utf8_lossy(&screen).into_owned()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn lines_from_a_pipe_are_typed_at_the_prompt() {
    let board = UnixBoard::start();
    let mut command = flylead(board.path(), &["repl"]);
    command.stdin(Stdio::piped());
    let mut child = piped(command);
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"a = 6\na * 7\n")
        .unwrap();
    let (code, stdout, _) = told_of(child);
    assert_eq!(code, 0);
    assert!(stdout.contains(">>> a * 7\r\n42\n"), "{stdout:?}");
}

/// A file whose name and content write the clipboard, and hide or turn what is beside them.
const HOSTILE: &str = "a\u{1b}]52;c;aGk=\u{7}\u{202e}\u{200b}\nb";
const SHOWN: &str = "a␛]52;c;aGk=␇\\u{202e}\\u{200b}";

#[test]
fn names_and_files_of_a_board_are_seen_and_not_obeyed_and_its_programs_print_as_they_like() {
    let board = UnixBoard::start();
    std::fs::create_dir(board.flash().join("d")).unwrap();
    std::fs::write(board.flash().join("d").join(HOSTILE), HOSTILE).unwrap();
    let on_one_line = HOSTILE.replace('\n', " ");
    std::fs::write(board.flash().join("d").join(&on_one_line), HOSTILE).unwrap();
    std::fs::write(board.flash().join("text"), HOSTILE).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let screen = |command: &str| {
        let shell = format!(
            "'{}' -p '{}' {command}",
            env!("CARGO_BIN_EXE_flylead"),
            board.path().display()
        );
        runtime.block_on(type_at(&shell, "", &[]))
    };
    for (command, newline) in [
        ("fs ls :d", "␊b"),
        ("fs tree :d", "␊b"),
        ("fs cat :text", "\r\nb"),
        ("fs cp -r :d /nowhere/at/all", ""),
    ] {
        let screen = screen(command);
        assert!(
            !screen.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{7}']),
            "{command}: {screen:?}"
        );
        let shown = format!("{SHOWN}{newline}");
        assert!(
            newline.is_empty() || screen.contains(&shown),
            "{command}: {screen:?}"
        );
    }
    let printed = screen("exec 'print(\"\\x1b[1mbold\\x1b[0m\")'");
    assert!(printed.contains("\u{1b}[1mbold\u{1b}[0m"), "{printed:?}");
    let piped = flylead(board.path(), &["fs", "ls", ":d"]).output().unwrap();
    // A program gets each name as it is, unless that would be two lines.
    let piped = String::from_utf8(piped.stdout).unwrap();
    assert!(
        piped.contains(&on_one_line) && !piped.contains(HOSTILE),
        "{piped:?}"
    );
}
