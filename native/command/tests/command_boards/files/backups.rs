//! `flylead backup`, `restore` and `check`, on boards.

use std::{fs, path::Path};

use flylead_tests::boards::{Microbit, UnixBoard};

use crate::common::{flylead, folder, json, must, piped, random, run, told_of, write};

fn put(board: &Path, folder: &tempfile::TempDir, name: &str, content: &[u8], to: &str) {
    let from = write(folder, name, content);
    must(board, &["cp", &from, to]);
}

#[test]
fn a_backup_comes_back_to_the_byte() {
    let board = UnixBoard::start();
    let folder = folder();
    let big = random(70_000);
    fs::create_dir_all(board.flash().join("lib/empty")).unwrap();
    fs::write(board.flash().join("main.py"), "print('main')\n").unwrap();
    fs::write(board.flash().join("lib/Größe.bin"), &big).unwrap();
    fs::write(board.flash().join("nothing"), "").unwrap();
    let zip = folder.path().join("b.zip");
    let zip = zip.to_str().unwrap();
    let said = must(board.path(), &["backup", zip]);
    assert_eq!(said, format!("{zip}: 3 files, 70014 bytes\n"));

    let again = UnixBoard::start();
    let listed = must(again.path(), &["restore", "--dry-run", zip]);
    assert!(listed.contains(":/flash/main.py 14\n"), "{listed}");
    assert_eq!(fs::read_dir(again.flash()).unwrap().count(), 0);
    let said = must(again.path(), &["restore", zip]);
    assert_eq!(said, "3 files written, 0 unchanged\n");
    assert_eq!(fs::read(again.flash().join("lib/Größe.bin")).unwrap(), big);
    assert!(again.flash().join("lib/empty").is_dir());
    assert_eq!(fs::read(again.flash().join("nothing")).unwrap(), b"");
    // What is the same is not written, and what is not in the backup stays.
    fs::write(again.flash().join("main.py"), "1 / 0\n").unwrap();
    fs::write(again.flash().join("other.py"), "").unwrap();
    let told = json(again.path(), &["restore", zip]);
    assert_eq!(told["written"], serde_json::json!(["/flash/main.py"]));
    assert_eq!(told["unchanged"], 2);
    assert!(again.flash().join("other.py").exists());
}

#[test]
fn a_zip_file_of_the_page_is_read_and_a_damaged_one_writes_nothing() {
    let board = UnixBoard::start();
    let folder = folder();
    // fflate's, with a folder of the board's root: what the page writes.
    let script = "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:\n z.writestr('flash/a.py', 'a' * 999)\n z.writestr('flash/sub/b.py', 'b')";
    let zip = folder.path().join("page.zip");
    let made = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(&zip)
        .status();
    assert!(made.unwrap().success());
    must(board.path(), &["restore", zip.to_str().unwrap()]);
    assert_eq!(fs::read(board.flash().join("sub/b.py")).unwrap(), b"b");
    let mut damaged = fs::read(&zip).unwrap();
    damaged.truncate(damaged.len() - 9);
    let damaged = write(&folder, "damaged.zip", damaged);
    let (code, _, stderr) = run(flylead(board.path(), &["restore", &damaged]));
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("nothing was written"), "{stderr}");
}

#[test]
fn a_microbit_is_backed_up_and_restored() {
    let board = Microbit::start();
    let folder = folder();
    put(
        board.path(),
        &folder,
        "main.py",
        b"print('hi')\n",
        ":main.py",
    );
    put(board.path(), &folder, "a.txt", b"21.5", ":a.txt");
    let zip = folder.path().join("m.zip");
    let zip = zip.to_str().unwrap();
    must(board.path(), &["backup", zip]);
    must(board.path(), &["rm", ":main.py"]);
    let said = must(board.path(), &["restore", zip]);
    assert_eq!(said, "1 files written, 1 unchanged\n");
    assert_eq!(must(board.path(), &["cat", ":main.py"]), "print('hi')\n");
    let said = must(board.path(), &["check"]);
    assert!(said.contains("2 files were read in full"), "{said}");
}

/// Faults that `flylead check` finds.
fn faults(board: &UnixBoard, expected: i32) -> Vec<String> {
    let (code, stdout, stderr) = run(flylead(board.path(), &["--json", "check"]));
    assert_eq!(code, expected, "{stdout}{stderr}");
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let faults = findings.iter().filter(|it| it["level"] == "fault");
    faults
        .map(|it| {
            format!(
                "{} -> {}",
                it["text"].as_str().unwrap(),
                it["advice"].as_str().unwrap()
            )
        })
        .collect()
}

#[test]
fn lost_programs_are_found_with_their_next_step() {
    let board = UnixBoard::start();
    let main = board.flash().join("main.py");
    assert_eq!(faults(&board, 0), [""; 0]);
    let well = must(board.path(), &["check"]);
    assert!(
        well.contains("there is no main.py: the board starts no program by itself"),
        "{well}"
    );
    for (content, sign) in [
        (&b""[..], "main.py is empty, as after a power cut"),
        (&[0xff; 300], "erased flash in place of its content"),
        (b"print('a'\n", "main.py is not valid Python: SyntaxError"),
        (
            b"print('\xfc')\n",
            "main.py is not valid Python: UnicodeError",
        ),
    ] {
        fs::write(&main, content).unwrap();
        let found = faults(&board, 5);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains(sign) && found[0].contains("flylead "),
            "{found:?}"
        );
    }
    fs::write(&main, "print('a')\n").unwrap();
    assert_eq!(faults(&board, 0), [""; 0]);
    fs::create_dir_all(board.flash().join(".flylead/abc")).unwrap();
    fs::write(board.flash().join(".flylead/abc/main.py"), "1").unwrap();
    let found = faults(&board, 5).join("\n");
    assert!(found.contains("main.py does not start them"), "{found}");
}

/// A block device in memory with LittleFS, mounted as the board's root would be.
fn with_block_device(board: &UnixBoard, blocks: u32, then: &str) {
    let program = format!(
        "import vfs
class B:
 def __init__(s,n):s.d=bytearray(n*512)
 def readblocks(s,n,b,o=0):b[:]=s.d[n*512+o:n*512+o+len(b)]
 def writeblocks(s,n,b,o=0):s.d[n*512+o:n*512+o+len(b)]=b
 def ioctl(s,o,a):
  if o==4:return len(s.d)//512
  if o==5:return 512
  if o==6:return 0
d=B({blocks})
vfs.VfsLfs2.mkfs(d)
vfs.mount(vfs.VfsLfs2(d),'/ram')
{then}"
    );
    must(board.path(), &["exec", &program]);
}

#[test]
fn a_full_file_system_is_found() {
    let board = UnixBoard::start();
    let fill = "f=open('/ram/big','w')\ntry:\n while 1:f.write('x'*512);f.flush()\nexcept OSError:pass\ntry:f.close()\nexcept OSError:pass";
    with_block_device(&board, 32, fill);
    let (code, stdout, stderr) = run(flylead(board.path(), &["check", ":/ram"]));
    assert_eq!(code, 5, "{stdout}{stderr}");
    assert!(stdout.contains("the file system is full"), "{stdout}");
    assert!(stdout.contains("flylead tree --size"), "{stdout}");
}

#[test]
fn a_damaged_file_system_is_found() {
    let board = UnixBoard::start();
    // All blocks behind the two of the root directory are lost.
    let then = "f=open('/ram/log.csv','w')\nf.write('x'*6000)\nf.close()\nopen('/ram/main.py','w').write('1')\nd.d[1024:]=b'\\xff'*(len(d.d)-1024)";
    with_block_device(&board, 64, then);
    let (code, stdout, stderr) = run(flylead(board.path(), &["check", ":/ram"]));
    assert_eq!(code, 5, "{stdout}{stderr}");
    assert!(stdout.contains("/ram/log.csv"), "{stdout}");
    // It is not what the board starts from, so nobody is told to erase it.
    assert!(stdout.contains("what is mounted at /ram"), "{stdout}");
    assert!(!stdout.contains("new file system"), "{stdout}");
}

#[test]
fn a_wrong_place_is_no_damage() {
    let board = UnixBoard::start();
    fs::write(board.flash().join("main.py"), "print('main')\n").unwrap();
    for (place, sign) in [
        (":/nowhere", "no such file or directory"),
        (":/flash/main.py", "is not a directory"),
    ] {
        let (code, stdout, stderr) = run(flylead(board.path(), &["check", place]));
        assert_eq!((code, stdout.as_str()), (5, ""), "{stderr}");
        assert!(stderr.contains(sign) && stderr.contains(place), "{stderr}");
    }
    let without = "import os\nclass Os:\n def __getattr__(s,n):\n  if n=='statvfs':raise AttributeError(n)\n  return getattr(os,n)\nimport sys\nsys.modules['os']=Os()";
    must(board.path(), &["exec", without]);
    let said = must(board.path(), &["check"]);
    assert!(said.contains("does not report its free space"), "{said}");
}

#[test]
fn a_backup_is_whole_where_a_deployed_program_has_gone_into_its_folder() {
    let board = UnixBoard::start();
    let folder = folder();
    fs::write(board.flash().join("main.py"), "print('main')\n").unwrap();
    fs::create_dir_all(board.flash().join(".flylead/abc")).unwrap();
    fs::create_dir_all(board.flash().join("lib/deep")).unwrap();
    fs::write(board.flash().join("lib/deep/a.py"), "a = 1\n").unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let go = |to: &str| format!("import os\nos.chdir('{to}')");
    must(board.path(), &["exec", &go("/flash/.flylead/abc")]);
    let said = must(board.path(), &["backup", &path("all.zip")]);
    assert!(said.contains("2 files, "), "{said}");
    // Nothing starts that program, which is a fault.
    let (_, said, _) = run(flylead(board.path(), &["check"]));
    assert!(said.contains("main.py: 14 bytes"), "{said}");
    // Another directory is from the current one.
    must(board.path(), &["exec", &go("/flash/lib")]);
    let said = must(
        board.path(),
        &["backup", "--root", "./deep", &path("deep.zip")],
    );
    assert!(said.contains("1 files, 6 bytes"), "{said}");
    let listed = must(board.path(), &["restore", "-n", &path("deep.zip")]);
    assert_eq!(listed, ":/flash/lib/deep/a.py 6\n");
}

#[test]
fn a_backup_replaces_no_file_unless_it_is_told_to() {
    let board = UnixBoard::start();
    let folder = folder();
    fs::write(board.flash().join("a.py"), "1\n").unwrap();
    let mine = write(&folder, "mine.zip", "mine");
    let (code, _, stderr) = run(flylead(board.path(), &["backup", &mine]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("use --force to replace it"), "{stderr}");
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    must(board.path(), &["backup", "--force", &mine]);
    assert_ne!(fs::read(&mine).unwrap(), b"mine");
    fs::remove_file(&mine).unwrap();

    let boards = [board, UnixBoard::start(), UnixBoard::start()];
    let backup = |board: &UnixBoard| {
        let mut command = flylead(board.path(), &["backup"]);
        command.current_dir(folder.path());
        piped(command)
    };
    let running = boards.each_ref().map(backup);
    for child in running {
        let (code, _, stderr) = told_of(child);
        assert_eq!(code, 0, "{stderr}");
    }
    let zips = fs::read_dir(folder.path()).unwrap();
    let sizes: Vec<_> = zips
        .map(|it| it.unwrap().metadata().unwrap().len())
        .collect();
    assert_eq!(sizes.len(), 3, "{sizes:?}");
    assert!(sizes.iter().all(|size| *size > 0), "{sizes:?}");
}

#[test]
fn more_than_a_backup_may_have_is_refused_before_it_is_read() {
    let board = UnixBoard::start();
    let large = fs::File::create(board.flash().join("large")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let (code, stdout, stderr) = run(flylead(board.path(), &["backup", "-"]));
    assert_eq!((code, stdout.as_str()), (5, ""), "{stderr}");
    assert!(stderr.contains("more than 64 MiB"), "{stderr}");
}
