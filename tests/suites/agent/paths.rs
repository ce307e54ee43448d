//! Paths judged by their letters: whatever is accepted stays inside at every step.

use flylead_core::agent::path::{Names, judge};
use flylead_tests::dice::Dice;

#[test]
fn no_accepted_path_leaves_the_workspace_at_any_step() {
    let mut accepted = 0;
    for seed in 0..100_000 {
        let path = hostile(&mut Dice::new(seed));
        let Ok((judged, _)) = judge(&path, Names::Unix) else {
            continue;
        };
        accepted += 1;
        assert!(
            judged
                .components()
                .all(|name| !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', '\0'])),
            "{path:?}"
        );
        assert!(stays_inside(&path), "{path:?} became {judged}");
    }
    assert!(
        accepted > 1_000,
        "only {accepted} were accepted: the paths test nothing"
    );
}

/// Walks the path as written and never goes above the start.
fn stays_inside(path: &str) -> bool {
    let mut depth = 0;
    !path.starts_with(['/', '\\'])
        && path.split(['/', '\\']).all(|name| {
            depth += match name {
                ".." => -1,
                "" | "." => 0,
                _ => 1,
            };
            depth >= 0
        })
}

fn hostile(dice: &mut Dice) -> String {
    let names = [
        "..", "..", ".", "", "a", "b.txt", "C:", "~", "proc", "self", "...", ".git", "CON", "\0",
        "x\n",
    ];
    let name = |dice: &mut Dice| format!("{}{}", dice.pick(&names), dice.pick(&["/", "\\", "//"]));
    let start = dice.pick(&["", "", "", "/", "\\\\", "C:\\", "./"]);
    let path: String = (0..dice.below(6)).map(|_| name(dice)).collect();
    format!("{start}{path}{}", dice.pick(&["x", "..", "passwd", ""]))
}
