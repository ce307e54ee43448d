//! Tests deployments to the makers' firmware on an emulated Pico whose power is cut while they are under way.
//!
//! `FLYLEAD_PICO_CUTS=30 cargo xtask test pico` cuts at 30 points; `FLYLEAD_CUT_SEED` begins elsewhere.

mod logger;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Child,
    thread,
    time::{Duration, Instant},
};

use flylead_tests::boards::{Faults, Firmware, Pico, Wire};
use flylead_tests::dice::Dice;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::common::{flylead, folder, must, write};

/// A program that says which one it is, and what all its files hold.
const PROGRAM: &str = "\
import a, b, hashlib, binascii
_h = hashlib.sha256()
for _n in ('main.py', 'lib/a.py', 'lib/b.py'):
    with open(_n, 'rb') as _f:
        _h.update(_f.read())
print('started NAME', binascii.hexlify(_h.digest()).decode())
";
/// Program of the board before anything is deployed.
const BEFORE: &str = "print('started before')\n";

/// A folder with a program, and the line that it prints where all of it is on the board.
struct Program {
    folder: PathBuf,
    line: String,
}

impl Program {
    fn new(home: &TempDir, name: &str) -> Self {
        let files = [
            ("main.py", PROGRAM.replace("NAME", name)),
            ("lib/a.py", format!("text = '{}'\n", "same".repeat(100))),
            ("lib/b.py", format!("text = '{}'\n", name.repeat(100))),
        ];
        let mut hasher = Sha256::new();
        for (path, text) in &files {
            write(home, &format!("{name}/{path}"), text);
            hasher.update(text);
        }
        let hash: String = hasher
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Self {
            folder: home.path().join(name),
            line: format!("started {name} {hash}"),
        }
    }
}

/// A deployment: the flash before it, and the lines of the programs that may start afterwards.
struct Change<'a> {
    flash: PathBuf,
    program: &'a Program,
    allowed: [&'a str; 2],
    /// Number of bytes that the board is sent by a whole deployment.
    bytes: usize,
}

/// The firmware, and the folder of its flash images.
struct Bench {
    firmware: PathBuf,
    home: TempDir,
}

impl Bench {
    /// A copy of a flash image, which the next board may change.
    fn copy(&self, flash: &Path, name: &str) -> PathBuf {
        let copy = self.home.path().join(name);
        fs::copy(flash, &copy).expect("the image is there");
        copy
    }

    /// Starts a board with this flash, and returns the line that its program prints.
    fn start(&self, flash: &Path) -> String {
        let board = Pico::start_with(&self.firmware, flash);
        board.line_at_start("started ").to_owned()
    }

    /// Deploys a program as a whole; returns the number of bytes that the board was sent.
    fn deploy(&self, flash: &Path, program: &Program) -> usize {
        let board = Pico::start_with(&self.firmware, flash);
        let wire = Wire::attach(board.path(), Faults::default());
        let output = deploy(wire.path(), program).wait_with_output();
        let output = output.expect("it is our child");
        assert!(output.status.success(), "{output:?}");
        wire.carried().0
    }

    /// Deploys a program, and cuts the power once the board was sent so many bytes, and a while later.
    fn cut(&self, change: &Change<'_>, after: usize, later: Duration) -> String {
        let flash = self.copy(&change.flash, "cut.img");
        let board = Pico::start_with(&self.firmware, &flash);
        let wire = Wire::attach(board.path(), Faults::default());
        let mut child = deploy(wire.path(), change.program);
        let give_up = Instant::now() + PATIENCE;
        while wire.carried().0 < after && child.try_wait().is_ok_and(|ended| ended.is_none()) {
            assert!(Instant::now() < give_up, "{:?} bytes", wire.carried());
            thread::sleep(Duration::from_millis(2));
        }
        thread::sleep(later);
        if let Some(status) = child.try_wait().expect("it is our child") {
            assert!(status.success(), "the deployment failed before the cut");
        }
        drop(board);
        drop(wire);
        let _ = child.kill();
        let _ = child.wait();
        self.start(&flash)
    }
}

fn deploy(board: &Path, program: &Program) -> Child {
    let folder = program.folder.to_str().expect("its name is text");
    let words = ["--timeout", "120", "deploy", "--no-reset", folder];
    let mut command = flylead(board, &words);
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    command.spawn().expect("flylead starts")
}

#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn a_pico_whose_power_is_cut_in_a_deployment_starts_one_whole_program() {
    let Some(firmware) = Firmware::present().last() else {
        return;
    };
    let bench = Bench {
        firmware: firmware.obtain().expect("it was there a moment ago"),
        home: folder(),
    };
    let here = folder();
    let (one, two) = (Program::new(&here, "one"), Program::new(&here, "two"));

    let flash = bench.home.path().join("flash.img");
    let board = Pico::start_with(&bench.firmware, &flash);
    let main = write(&here, "before.py", BEFORE);
    must(board.path(), &["--timeout", "120", "cp", &main, ":main.py"]);
    drop(board);
    let before = bench.copy(&flash, "before.img");
    let first = bench.deploy(&flash, &one);
    assert_eq!(bench.start(&flash), one.line);
    let good = bench.copy(&flash, "good.img");
    let second = bench.deploy(&flash, &two);
    assert_eq!(bench.start(&flash), two.line);

    let changes = [
        Change {
            flash: before,
            program: &one,
            allowed: ["started before", &one.line],
            bytes: first,
        },
        Change {
            flash: good,
            program: &two,
            allowed: [&one.line, &two.line],
            bytes: second,
        },
    ];
    let (cuts, seed) = (
        number("FLYLEAD_PICO_CUTS", 3),
        number("FLYLEAD_CUT_SEED", 1),
    );
    let mut dice = Dice::new(seed as u64);
    let mut started = [0; 2];
    for (at, change) in changes.iter().cycle().take(cuts).enumerate() {
        let after = dice.below(change.bytes + 1);
        let later = Duration::from_millis(dice.below(LONGEST_WAIT_MS) as u64);
        let line = bench.cut(change, after, later);
        let which = change.allowed.iter().position(|allowed| *allowed == line);
        let place = format!(
            "seed {seed}, cut {at} after {after} of {} bytes and {later:?}",
            change.bytes
        );
        let which = which.unwrap_or_else(|| panic!("{place}: {line}"));
        started[which] += 1;
        println!("{place}: {}", ["the old one", "the new one"][which]);
    }
    println!(
        "{cuts} cuts: the old program started {} times, the new one {} times",
        started[0], started[1]
    );
}

pub(crate) fn number(name: &str, usual: usize) -> usize {
    let number = env::var(name).ok();
    number.map_or(usual, |number| number.parse().expect(name))
}

/// Time from the last byte to the end of a deployment, on the emulator.
const LONGEST_WAIT_MS: usize = 300;
/// More than a deployment takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
