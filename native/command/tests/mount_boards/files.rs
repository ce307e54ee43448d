//! Files of the folder, what is outside of it, and a folder that goes.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use flylead_tests::boards::UnixBoard;

use crate::common::{Lines, folder, mount, run, told, write};

const FILES: &str = "
import os
with open('data/lines.txt') as f:
 print(sum(int(l) for l in f), f.read())
f=open('data/big.bin','rb')
h=0
while 1:
 d=f.read(999)
 if not d:break
 for b in d:h=(h*31+b)&0xffffff
f.close()
print(h)
with open('new.txt','w') as f:
 for i in range(2000):f.write('line %d \u{e4}\\n'%i)
with open('new.txt','a') as f:f.write('end')
with open('new.txt') as f:print(len(f.read()))
with open('new.txt','r+') as f:
 f.seek(5)
 f.write('XX')
 f.seek(0)
 print(f.readline(),f.tell())
os.mkdir('d')
os.rename('new.txt','d/o.txt')
print(os.listdir('d'),os.stat('d/o.txt')[6],os.stat('d')[0])
os.chdir('d')
print(os.getcwd(),os.listdir(),len(open('/remote/data/lines.txt').read()))
os.chdir('..')
try:os.rmdir('d')
except OSError as e:print(e.errno)
try:open('d')
except OSError as e:print(e.errno)
try:open('new.txt')
except OSError as e:print(e.errno)
";

#[test]
fn files_are_read_written_listed_renamed_and_removed() {
    let board = UnixBoard::start();
    let here = folder(&[]);
    let big: Vec<u8> = (0..100_000u32)
        .map(|n| (n.wrapping_mul(n) >> 7) as u8)
        .collect();
    let sum = big.iter().fold(0u32, |sum, &byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into()) & 0x00ff_ffff
    });
    write(&here, "data/big.bin", &big);
    let lines: String = (1..=9000).map(|n| format!("{n}\n")).collect();
    write(&here, "data/lines.txt", &lines);
    let new: String = (0..2000)
        .map(|n| format!("line {n} \u{e4}\n"))
        .collect::<String>()
        + "end";
    let expected = format!(
        "40504500 \n{sum}\n{}\nline XX\u{e4}\n 10\n['o.txt'] {} 16384\n/remote/d ['o.txt'] {}\n39\n21\n2\n",
        new.chars().count(),
        new.len(),
        lines.len(),
    );
    let stdout = run(board.path(), &here, FILES);
    assert_eq!(stdout, expected);
    let changed = fs::read_to_string(here.path().join("d/o.txt")).unwrap();
    assert_eq!(changed, new.replacen("line 0 ", "line XX", 1));
}

/// The firmware takes a path as text of C, before any file system sees it (MicroPython v1.28, `extmod/vfs.c`, `lookup_path`).
#[test]
fn a_name_ends_at_its_first_nul_as_on_every_file_system_of_the_board() {
    let board = UnixBoard::start();
    let here = folder(&[]);
    let program = "import os\nfor d in ('/flash', '/remote'):\n open(d + '/a\\0b', 'w').close()\n print(os.listdir(d))";
    assert_eq!(run(board.path(), &here, program), "['a']\n['a']\n");
}

/// The disks of the unix port and of a Pico do so, as POSIX demands.
#[test]
fn what_is_appended_goes_to_the_end_wherever_the_program_has_looked() {
    let board = UnixBoard::start();
    let here = folder(&[]);
    let program = "\
for d in '/flash', '/remote':
 with open(d + '/log', 'w') as f: f.write('A' * 8)
 with open(d + '/log', 'ab') as f:
  f.seek(0)
  f.write(b'bb')
  f.write(b'cc')
  print(f.tell())
 with open(d + '/log', 'a+') as f:
  f.seek(0)
  print(f.read(2))
  f.write('!')
  f.seek(1)
  f.write('?')
 print(open(d + '/log').read())
";
    let seen = run(board.path(), &here, program);
    assert_eq!(seen, "12\nAA\nAAAAAAAAbbcc!?\n".repeat(2));
}

#[test]
fn nothing_outside_of_the_folder_is_reached() {
    let board = UnixBoard::start();
    let secret = folder(&[
        ("secret.py", "S = 'leaked'\n"),
        ("d/secret.py", "S = 'leaked'\n"),
    ]);
    let here = folder(&[("in/a.py", "A = 1\n")]);
    let outside = secret.path();
    let up = Path::new("..").join(outside.file_name().unwrap());
    for (target, name) in [
        (outside.join("secret.py"), "absolute.py"),
        (up.join("secret.py"), "relative.py"),
        (outside.to_owned(), "folder"),
        (PathBuf::from(".."), "up"),
        (PathBuf::from("/"), "root"),
        (PathBuf::from("folder/secret.py"), "chain.py"),
        (PathBuf::from("in/a.py"), "inside.py"),
    ] {
        symlink(target, here.path().join(name)).unwrap();
    }
    Command::new("mkfifo")
        .arg(here.path().join("pipe"))
        .status()
        .unwrap();
    let name = outside.file_name().unwrap().to_str().unwrap();
    let program = format!(
        "import os
for p in ('absolute.py','relative.py','folder/secret.py','up/{name}/secret.py','root/etc/passwd','chain.py','../{name}/secret.py','in/../../{name}/secret.py','/remote/../{name}/secret.py','pipe'):
 for m in ('r','w','a'):
  try:
   open(p,m).close()
   print('opened',p,m)
  except (OSError,ValueError):pass
 for f in (os.remove,os.rmdir,lambda p:os.rename(p,'moved'),lambda p:os.rename('in/a.py',p),lambda p:os.mkdir(p+'/x')):
  if p!='pipe' and '/' in p:
   try:
    f(p)
    print('done',p)
   except (OSError,ValueError):pass
for m in ('absolute','relative','folder.secret','chain'):
 try:
  __import__(m)
  print('imported',m)
 except ImportError:pass
import inside
print(inside.A,sorted(os.listdir()))"
    );
    let stdout = run(board.path(), &here, &program);
    assert_eq!(stdout, "1 ['in', 'inside.py']\n");
    for file in ["secret.py", "d/secret.py"] {
        let content = fs::read_to_string(outside.join(file)).unwrap();
        assert_eq!(content, "S = 'leaked'\n");
    }
}

#[test]
fn a_folder_that_vanishes_is_an_error_on_the_board_and_can_come_again() {
    let board = UnixBoard::start();
    let outer = folder(&[("src/a.txt", "one")]);
    let src = outer.path().join("src");
    // Input goes to programs of `run`.
    let program = outer.path().join("program.py");
    fs::write(&program, "print(open('a.txt').read())\ninput()\ntry:open('a.txt')\nexcept OSError as e:print(e)\ninput()\nprint(open('a.txt').read())\n").unwrap();
    let mut child = mount(board.path(), &src, &["run", program.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("flylead starts");
    let mut said = Lines::of(&mut child);
    said.until("one");
    fs::remove_dir_all(&src).unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"\n").unwrap();
    said.until("[Errno 19] ENODEV");
    fs::create_dir(&src).unwrap();
    fs::write(src.join("a.txt"), "two").unwrap();
    stdin.write_all(b"\n").unwrap();
    said.until("two");
    drop(stdin);
    let (code, _, stderr) = told(&child.wait_with_output().unwrap());
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("the folder is gone"), "{stderr}");
}
