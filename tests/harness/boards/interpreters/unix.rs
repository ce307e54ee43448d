//! MicroPython 1.28, the unix port, in a jail behind a pty.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use tempfile::TempDir;

use crate::boards::{
    line::{relay::Relay, tty::Tty},
    process::{
        leash::{Leash, wait_for},
        setup::{command, need, venv},
    },
};

/// A MicroPython with raw-paste mode, files and a large heap.
///
/// Its `/` is not the host's: it runs in a mount namespace of its own, everything read-only but for one folder, with
/// no network, no capabilities and no other processes. At a soft reset this port leaves; it is started again behind
/// the same pty, and shows its friendly banner instead of `soft reboot`.
///
/// Ctrl-C does not reach a program that was sent in raw-paste mode: this port keeps its terminal raw there.
/// [`Faults::no_raw_paste`](crate::boards::Faults::no_raw_paste) makes an interruptible board of it.
#[derive(Debug)]
pub struct UnixBoard {
    // Dropped in this order: the process, then what it stands on.
    process: Leash,
    line: Relay,
    home: TempDir,
}

impl UnixBoard {
    /// Starts a board with an empty `/flash`.
    ///
    /// # Panics
    ///
    /// When it does not come up within half a minute.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with("", BOOT)
    }

    /// Starts a board that boots in this time: so long it takes nothing after [`reset`](Self::reset), and as long as
    /// bytes come. How many it has missed is [`missed`](Self::missed).
    ///
    /// # Panics
    ///
    /// When it does not come up within half a minute.
    #[must_use]
    pub fn booting_in(boot: Duration) -> Self {
        Self::start_with("", boot)
    }

    /// Starts a board with an empty `/flash`, and 100 kB of its memory at `/small`.
    ///
    /// # Panics
    ///
    /// When it does not come up within half a minute.
    #[must_use]
    pub fn with_small_disk() -> Self {
        Self::start_with("--perms 0777 --size 102400 --tmpfs /small", BOOT)
    }

    fn start_with(mounts: &str, boot: Duration) -> Self {
        let home = tempfile::Builder::new()
            .prefix("flylead-unix-")
            .tempdir()
            .expect("there is room for temporary files");
        let log = home.path().join("log");
        for folder in ["flash", "line"] {
            fs::create_dir(home.path().join(folder)).expect("the folder is ours");
        }
        let script = jail(home.path(), mounts, boot);
        fs::write(home.path().join("jail"), script).expect("the folder is ours");
        let (line, terminal) = Relay::to_terminal();
        let process = Leash::start("sh", &on_terminal(home.path(), &terminal), &log);
        let mut prompt = Tty::open(line.path()).expect("the line's pty can be opened");
        await_prompt(&mut prompt, &log);
        Self {
            process,
            line,
            home,
        }
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.line.path()
    }

    /// Kills the interpreter in the middle of whatever it does; it restarts when it has booted.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub fn reset(&self) {
        let interpreter = self.process.descendant("micropython");
        let pid = interpreter.expect("the interpreter runs");
        fs::write(self.home.path().join("line/reset"), "").expect("the folder is ours");
        let killed = Command::new("kill").arg("-9").arg(pid.to_string()).status();
        assert!(killed.is_ok_and(|status| status.success()), "it is ours");
    }

    /// Number of bytes that arrived while it booted.
    #[must_use]
    pub fn missed(&self) -> u64 {
        let missed = fs::metadata(self.home.path().join("line/missed"));
        missed.map_or(0, |missed| missed.len())
    }

    /// The board's `/flash`, as the host sees it.
    #[must_use]
    pub fn flash(&self) -> PathBuf {
        self.home.path().join("flash")
    }
}

/// Default time of a board's boot.
const BOOT: Duration = Duration::from_secs(1);

/// Waits for the first `>>> `, which is then not in the way of the test.
pub(in crate::boards) fn await_prompt(tty: &mut Tty, log: &Path) {
    let mut seen = Vec::new();
    wait_for(
        || {
            seen.extend(tty.read(Duration::from_millis(100))?);
            seen.ends_with(b">>> ").then_some(())
        },
        || failed(log),
    );
}

fn failed(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    format!("the board does not start: {text}")
}

/// A session of its own, whose terminal it is: that is what turns Ctrl-C into a signal for the interpreter.
fn on_terminal(home: &Path, terminal: &Path) -> [String; 4] {
    let script = r#"exec setsid --ctty sh "$0" <>"$1" >&0 2>&0"#;
    let [jail, terminal] =
        [home.join("jail").as_path(), terminal].map(|path| path.display().to_string());
    ["-c".into(), script.into(), jail, terminal]
}

/// The script that runs inside of the pty. Ctrl-C is for the interpreter alone, which asks for the signal itself;
/// everything around it ignores it, it takes back nothing that the board has written (`noflsh`), and no other byte is a
/// signal: a file's may come to the terminal. What arrives while nobody reads is missed, as on a board that boots. A busy
/// computer brings it late, so the boot lasts until nothing has come for half a second.
///
/// Around each prompt this port gives Ctrl-C back to the system, for which it then is the end of a process (MicroPython
/// v1.28 `ports/unix/unix_mphal.c`, `mp_hal_set_interrupt_char`), and no board's: nothing ends the first process of a
/// namespace but itself. At the second Ctrl-C in a row it does that (`sighandler`); it is started again at once then, with
/// the terminal as it was: whoever presses Ctrl-C four times a second would keep it booting forever. `unshare`
/// ends alike for one that was killed, so `reset` leaves a note. A system may refuse a namespace within the jail's.
fn jail(home: &Path, mounts: &str, boot: Duration) -> String {
    let boot = boot.as_secs_f32();
    let venv = venv();
    let python = need(&venv.join("bin/python"));
    let base = base_prefix(&python);
    let bwrap = command("bwrap");
    let (home, venv, bwrap) = (home.display(), venv.display(), bwrap.display());
    format!(
        "trap '' INT
exec '{bwrap}' --unshare-all --uid 65534 --gid 65534 --cap-drop ALL --die-with-parent \\
 --clearenv --setenv HOME /flash --setenv MICROPYPATH .frozen:/flash/lib --setenv PATH /usr/bin:/bin --setenv PYTHONDONTWRITEBYTECODE 1 \\
 --tmpfs /tmp --proc /proc --dev /dev --ro-bind /usr /usr --ro-bind-try /bin /bin \\
 --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 --ro-bind '{base}' '{base}' --ro-bind '{venv}' '{venv}' \\
 {mounts} --bind '{home}/flash' /flash --bind '{home}/line' /line --chdir /flash --remount-ro / \\
 /bin/sh -c 'alone=\"unshare --user --map-current-user --pid --fork --kill-child\"
$alone true || alone=
while :; do
 stty raw -echo isig noflsh quit undef susp undef
 $alone \"$0\" -i
 test $? -gt 1 || test -e /line/reset || continue
 rm -f /line/reset
 timeout --foreground {boot} cat >/line/piece
 while test -s /line/piece; do
  cat /line/piece >>/line/missed
  timeout --foreground 0.5 cat >/line/piece
 done
done' '{venv}/bin/micropython'
"
    )
}

/// Returns the folder of the interpreter that hosts MicroPython; it must be visible from inside.
fn base_prefix(python: &Path) -> String {
    let output = Command::new(python)
        .args(["-c", "import sys; print(sys.base_prefix, end='')"])
        .output()
        .expect("the environment's own interpreter runs");
    String::from_utf8(output.stdout).expect("a path of this machine is text")
}
