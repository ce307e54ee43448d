//! Each decoder on this machine and in WebAssembly, in turn, on the same stream.
//!
//! `cargo xtask bench decoders`

use std::{
    env,
    error::Error,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

use flylead_decoders::Course;

const ROUNDS: usize = 15;
/// Number of runs of one decoder before the other's turn, so that neither finds the other's data in
/// the caches.
const RUNS: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let mut engine = Engine::start()?;
    println!("{ROUNDS} rounds in turn, medians\n");
    println!(
        "{:<24} {:>6} {:>12} {:>12} {:>7}",
        "", "MB", "native", "WebAssembly", "ratio"
    );
    for number in 0.. {
        let Some((name, course)) = Course::name(number).zip(Course::nth(number)) else {
            break;
        };
        let (native, wasm) = compare(number, &course, &mut engine)?;
        let megabytes = course.length() as f64 / 1e6;
        println!(
            "{name:<24} {megabytes:>6.1} {:>7.0} MB/s {:>7.0} MB/s {:>6.0}%",
            megabytes / native,
            megabytes / wasm,
            100.0 * native / wasm
        );
    }
    println!(
        "\n(aim: 60 % of native speed; checksums fall short of it where the processor has instructions for SHA-256, \
         which WebAssembly has not)"
    );
    Ok(())
}

/// The medians of both, in seconds.
fn compare(
    number: usize,
    course: &Course,
    engine: &mut Engine,
) -> Result<(f64, f64), Box<dyn Error>> {
    let (mut native, mut wasm) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let found = (0..RUNS).map(|_| course.run()).max().unwrap_or_default();
        native.push(start.elapsed().as_secs_f64() / RUNS as f64);
        let (found_there, seconds) = engine.run(number)?;
        wasm.push(seconds);
        if found == 0 || found != found_there {
            return Err(format!("{found} was found natively, {found_there} in WebAssembly").into());
        }
    }
    Ok((median(native), median(wasm)))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Node with the decoders' module, which waits for numbers.
struct Engine {
    child: Child,
    courses: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Engine {
    fn start() -> Result<Self, Box<dyn Error>> {
        let module = env::var_os(MODULE).ok_or("run it with: cargo xtask bench decoders")?;
        let mut child = Command::new("node")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/decoders/rounds.js"))
            .arg(module)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let courses = child.stdin.take().ok_or("it was piped")?;
        let answers = BufReader::new(child.stdout.take().ok_or("it was piped")?);
        Ok(Self {
            child,
            courses,
            answers,
        })
    }

    /// Returns the number of results, and the time in seconds.
    fn run(&mut self, number: usize) -> Result<(usize, f64), Box<dyn Error>> {
        writeln!(self.courses, "{number} {RUNS}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        let (found, milliseconds) = answer.trim().split_once(' ').ok_or("node ended")?;
        Ok((found.parse()?, milliseconds.parse::<f64>()? / 1000.0))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Variable with the path of the bound module.
const MODULE: &str = "FLYLEAD_DECODERS";
