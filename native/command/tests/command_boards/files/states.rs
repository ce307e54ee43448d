//! Tests deployments that cannot brick a board, with LittleFS on a simulated flash whose power is cut at every write.
//!
//! `FLYLEAD_CUTS=10000 cargo test -p flylead --test command_boards states` cuts 10,000 times in each of three changes.

use std::{collections::BTreeMap, env, fs, path::Path};

use flylead_tests::boards::UnixBoard;
use serde_json::{Value, json};

use crate::common::{flylead, folder, json, must, run, write};

/// A board with the simulated flash at `/fl`, and a program of its own there.
fn board() -> UnixBoard {
    let board = UnixBoard::start();
    let here = folder();
    let flash = write(&here, "states.py", include_str!("states.py"));
    must(board.path(), &["run", &flash]);
    board
}

fn deploy(board: &Path, folder: &str) -> String {
    let put = ["deploy", folder, "--root", "/fl", "--no-reset"];
    let said: Value = json(board, &put);
    said["program"].as_str().expect("it has a name").to_owned()
}

/// The content of a folder, as the board sees it.
fn content(folder: &Path, names: &[&str]) -> Value {
    let read = names.iter().map(|name| {
        (
            (*name).to_owned(),
            fs::read_to_string(folder.join(name)).unwrap(),
        )
    });
    json!(read.collect::<BTreeMap<String, String>>())
}

#[test]
fn a_power_cut_at_any_write_leaves_a_board_that_starts_one_whole_program() {
    let number = env::var("FLYLEAD_CUTS").unwrap_or_else(|_| "200".to_owned());
    let board = board();
    let here = folder();
    let text = |seed: u32| format!("text = '{}'\n", seed.to_string().repeat(700));
    for (name, content) in [
        ("one/main.py", "import a\nprint('one')\n".to_owned()),
        ("one/lib/a.py", text(1)),
        ("two/main.py", "import a, b\nprint('two')\n".to_owned()),
        ("two/lib/a.py", text(1)),
        ("two/lib/b.py", text(2)),
    ] {
        write(&here, name, content);
    }
    let path = |name: &str| here.path().join(name);
    let mut programs = json!({ "before": { "main.py": "print('the program before')\n" } });
    let cut = |programs: &Value, old: &str, new: &str| {
        let code = format!("cut({number}, {programs}, '{old}', '{new}')");
        let said = must(board.path(), &["exec", &code]);
        println!("{said}");
        assert!(said.contains(&format!("{number} cuts of ")), "{said}");
    };

    let one = deploy(board.path(), &path("one").display().to_string());
    programs[&one] = content(&path("one"), &["main.py", "lib/a.py"]);
    cut(&programs, "before", &one);

    // It has started well.
    let good = format!(
        "with open('/fl/.flylead/now', 'w') as f: f.write('{one} before good end')\nbegin()"
    );
    must(board.path(), &["exec", &good]);
    let two = deploy(board.path(), &path("two").display().to_string());
    programs[&two] = content(&path("two"), &["main.py", "lib/a.py", "lib/b.py"]);
    cut(&programs, &one, &two);

    must(board.path(), &["exec", "begin()"]);
    let back = json(board.path(), &["rollback", "--root", "/fl", "--no-reset"]);
    assert_eq!(back["program"], json!(one));
    // It was on trial, so a board that was cut before the change goes back by itself, too.
    cut(&programs, &one, &two);
}

#[test]
fn nothing_is_deployed_without_a_program_and_nothing_rolled_back_without_one_before() {
    let board = board();
    let here = folder();
    write(&here, "a.py", "");
    let words = ["deploy", here.path().to_str().unwrap(), "--root", "/fl"];
    let (code, _, stderr) = run(flylead(board.path(), &words));
    assert_eq!(code, 5);
    assert!(stderr.contains("no main.py"), "{stderr}");
    let (code, _, stderr) = run(flylead(board.path(), &["rollback", "--root", "/fl"]));
    assert_eq!(code, 5);
    assert!(stderr.contains("no program to go back to"), "{stderr}");
}

#[test]
fn a_toml_file_names_the_source_and_the_packages() {
    let board = board();
    let here = folder();
    let app = "source = 'src'\npackages = ['./package']\n";
    write(&here, "flylead.toml", app);
    write(&here, "src/main.py", "import p\n");
    write(
        &here,
        "package/package.json",
        "{\"urls\": [[\"p.py\", \"p.py\"]]}",
    );
    write(&here, "package/p.py", "p = 1\n");
    let mut command = flylead(
        board.path(),
        &["--json", "deploy", "--root", "/fl", "--no-reset"],
    );
    command.current_dir(here.path());
    let (code, stdout, stderr) = run(command);
    assert_eq!(code, 0, "{stderr}");
    let said: Value = serde_json::from_str(&stdout).unwrap();
    let path = format!(
        ":/fl/.flylead/{}/lib/p.py",
        said["program"].as_str().unwrap()
    );
    assert_eq!(must(board.path(), &["cat", &path]), "p = 1\n");
    write(&here, "flylead.toml", "sauce = 'src'\n");
    let mut command = flylead(board.path(), &["deploy"]);
    command.current_dir(here.path());
    let (code, _, stderr) = run(command);
    assert_eq!(code, 2);
    assert!(stderr.contains("unknown field `sauce`"), "{stderr}");
}
