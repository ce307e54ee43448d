//! Measures the memory for a command that prints without end. It is alone in its process, since it
//! measures that process.
#![cfg(target_os = "linux")]

use std::{fs, path::Path, time::Duration};

use flylead_native::shell::{Limits, run};

#[test]
fn a_flood_of_output_is_kept_in_bounded_memory() {
    let memory = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmHWM"))
            .unwrap();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let before = memory();
    let limits = Limits {
        timeout: Duration::from_secs(3),
        output: u64::MAX,
        ..Limits::default()
    };
    let done = run("yes", Path::new("/"), limits).unwrap();
    let grown = memory().saturating_sub(before);
    println!(
        "{} bytes printed, {} kept, memory grew by {grown} KiB",
        done.dropped,
        done.output.len()
    );
    assert!(done.dropped > 0 && done.output.len() <= 512 * 1024);
    assert!(grown < 16 * 1024, "{grown} KiB");
}
