//! Logs on disks of all kinds.

#[cfg(target_os = "linux")]
use std::path::Path;

use crate::bench::{Bench, finished};
use flylead_tests::boards::exported;

/// The kernel refuses every link to this command, as it does on FAT.
#[cfg(target_os = "linux")]
#[test]
fn a_second_log_needs_no_hard_links() {
    let (old, new) = ("t,v\n0,1\n", "t,v\n0,2\n");
    let bench = Bench::answering(&[&exported(old.as_bytes()), &exported(new.as_bytes())]);
    for log in [old, new] {
        let command = bench.command(&["fetch", "run001"]);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export/no_links.py");
        let mut without = std::process::Command::new("python3");
        without
            .arg(script)
            .arg(command.get_program())
            .args(command.get_args())
            .envs(
                command
                    .get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        let (code, _, stderr) = finished(without.spawn().expect("Python starts"));
        assert_eq!((code, bench.log().as_str()), (0, log), "{stderr}");
    }
    assert_eq!(
        bench.names(),
        ["log.csv", "log.csv.1", "manifest.json", "manifest.json.1"]
    );
    let previous = std::fs::read_to_string(bench.file("sd/log.csv.1")).unwrap();
    assert_eq!(previous, old);
}
