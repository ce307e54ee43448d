//! `flylead mount` beside `mpremote mount`: importing real packages, on the same board in the same run, in turn.
//!
//! `cargo xtask bench mount` builds what is needed first, and prints all figures. `-- 20` measures twenty rounds instead of 5;
//! `-- resets 200` counts how often the folder is back after a soft reset, and how soon; `-- plugs 200` the same after the cable
//! was pulled; `-- import` and `-- save` measure these alone.

mod back;
mod import;
mod packages;
mod save;

use std::env;

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize, other| {
        let word = words.get(at).and_then(|word| word.parse().ok());
        word.unwrap_or(other)
    };
    match words.first().map(String::as_str) {
        Some("resets") => back::resets(number(1, 200)),
        Some("plugs") => back::plugs(number(1, 200)),
        Some("save") => save::compare(number(1, ROUNDS).max(1)),
        Some("import") => import(number(1, ROUNDS).max(1)),
        _ => {
            let rounds = number(0, ROUNDS).max(1);
            import(rounds);
            save::compare(rounds);
            back::resets(200);
            back::plugs(200);
        }
    }
}

fn import(rounds: usize) {
    let packages = packages::install();
    import::compare(packages.path(), None, rounds);
    import::compare(packages.path(), Some(115_200), rounds.min(2));
}

const ROUNDS: usize = 5;

/// The middle one.
fn median<T: Ord + Copy>(mut times: Vec<T>) -> T {
    times.sort_unstable();
    times[times.len() / 2]
}
