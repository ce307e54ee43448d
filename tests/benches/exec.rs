//! `flylead exec` beside `mpremote exec`, whole processes, in turn, on the same board in the same run.
//!
//! `cargo xtask bench exec` builds what is needed first; `-- 100` measures a hundred rounds instead of 40. `FLYLEAD_BEFORE`
//! names the command of another build, which takes its turn, too.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use flylead_tests::{
    bench::{fail, flylead, flylead_before},
    boards::{UnixBoard, venv},
};

const PROGRAM: &str = "print(1+1)";
const ROUNDS: usize = 40;
/// Number of first runs that are not measured; they fill the system's caches.
const WARM_UP: usize = 3;

fn main() {
    let rounds = env::args().nth(1).and_then(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS).max(1);
    let board = UnixBoard::start();
    let mut contenders = contenders(board.path());
    for _ in 0..WARM_UP {
        contenders.iter_mut().for_each(|contender| {
            contender.run();
        });
    }
    for _ in 0..rounds {
        for contender in &mut contenders {
            let time = contender.run();
            contender.times.push(time);
        }
    }
    report(rounds, &mut contenders);
}

struct Contender {
    name: &'static str,
    program: PathBuf,
    words: Vec<String>,
    times: Vec<Duration>,
}

/// All of them leave the board as it is: none resets it.
fn contenders(port: &Path) -> Vec<Contender> {
    let port = port.display().to_string();
    let ours = |name, program| Contender {
        name,
        program,
        words: vec!["-p".into(), port.clone(), "exec".into(), PROGRAM.into()],
        times: Vec::new(),
    };
    let mut contenders = vec![
        ours("flylead exec", flylead()),
        Contender {
            name: "mpremote resume exec",
            program: venv().join("bin/mpremote"),
            words: ["connect", &port, "resume", "exec", PROGRAM]
                .map(String::from)
                .to_vec(),
            times: Vec::new(),
        },
    ];
    contenders.extend(flylead_before().map(|program| ours("flylead exec, before", program)));
    contenders
}

impl Contender {
    /// The time from the start of the process to its end.
    fn run(&self) -> Duration {
        let start = Instant::now();
        let output = Command::new(&self.program).args(&self.words).output();
        let time = start.elapsed();
        let output = output.unwrap_or_else(|fault| fail(&format!("{}: {fault}", self.name)));
        if String::from_utf8_lossy(&output.stdout).trim() != "2" {
            let errors = String::from_utf8_lossy(&output.stderr);
            fail(&format!("{} does not say 2: {errors}", self.name));
        }
        time
    }
}

fn report(rounds: usize, contenders: &mut [Contender]) {
    println!("{PROGRAM} on MicroPython's unix port behind a pty, {rounds} rounds in turn\n");
    println!(
        "{:<22} {:>10} {:>10} {:>10}",
        "", "median", "fastest", "slowest"
    );
    let medians: Vec<f64> = contenders.iter_mut().map(report_one).collect();
    println!("\nflylead is {:.1} times as fast", medians[1] / medians[0]);
}

fn report_one(contender: &mut Contender) -> f64 {
    let times = &mut contender.times;
    times.sort();
    let millis = |time: Duration| time.as_secs_f64() * 1000.0;
    let median = millis(times[times.len() / 2]);
    let (fastest, slowest) = (millis(times[0]), millis(times[times.len() - 1]));
    let name = contender.name;
    println!("{name:<22} {median:>7.1} ms {fastest:>7.1} ms {slowest:>7.1} ms");
    median
}
