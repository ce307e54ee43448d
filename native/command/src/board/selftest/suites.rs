//! The checks, made of command lines that anybody can repeat.

use super::check::{
    Check,
    Need::{Files, Folders, Reset},
    Step::Same,
    Suite, run,
};

pub(super) const SUITES: &[Suite] = &[
    Suite {
        name: "programs",
        checks: PROGRAMS,
    },
    Suite {
        name: "files",
        checks: FILES,
    },
    Suite {
        name: "mount",
        checks: MOUNT,
    },
    Suite {
        name: "install",
        checks: INSTALL,
    },
    Suite {
        name: "tests",
        checks: TESTS,
    },
    Suite {
        name: "debugger",
        checks: DEBUGGER,
    },
    Suite {
        name: "interrupts",
        checks: INTERRUPTS,
    },
    Suite {
        name: "resets",
        checks: RESETS,
    },
];

/// Files of this computer, by their names below `{here}`. Programs leave none of their names on the board.
pub(super) const SOURCES: &[(&str, &str)] = &[
    (
        "raises.py",
        "def f():\n    return 1 // 0\ntry:\n    f()\nfinally:\n    del f\n",
    ),
    (
        "test_selftest.py",
        "def test_right():\n    assert 6 * 7 == 42\ndef test_wrong():\n    assert 6 * 7 == 43\n",
    ),
    (
        "debugged.py",
        "def f(n):\n    return n * 2\nprint(f(21))\ndel f\n",
    ),
    ("endless.py", "print('ready')\nwhile True:\n    pass\n"),
    (
        "imports.py",
        "def f():\n    global f\n    del f\n    import sys, flylead_mounted\n    print(flylead_mounted.VALUE)\n    del sys.modules['flylead_mounted']\nf()\n",
    ),
    (
        "reads.py",
        "def f():\n    global f\n    del f\n    with open('note.txt') as file: print(file.read())\n    with open('answer.txt', 'w') as file: file.write('42')\nf()\n",
    ),
    ("folder/flylead_mounted.py", "VALUE = 42\n"),
    ("folder/note.txt", "a note"),
    ("answer.txt", "42"),
    (
        "package/package.json",
        "{\"urls\": [[\"flylead_installed.py\", \"flylead_installed.py\"]], \"version\": \"1\"}",
    ),
    ("package/flylead_installed.py", "VALUE = 42\n"),
];

const PROGRAMS: &[Check] = &[
    Check::of(
        "a program prints",
        &[run(&["exec", "print(6*7)"]).prints("42\n").step()],
    ),
    Check::of(
        "an expression has a value",
        &[run(&["eval", "6*7"]).prints("42\n").step()],
    ),
    Check::of(
        "an exception ends a program with its traceback",
        &[run(&["exec", "1//0"])
            .exits(1)
            .says("ZeroDivisionError")
            .step()],
    ),
    Check::of(
        "the traceback of a file names its lines",
        &[run(&["run", "{here}raises.py"])
            .exits(1)
            .says("raises.py\", line 2")
            .step()],
    ),
    Check::of(
        "a program of 2,000 bytes arrives whole",
        &[run(&["run", "{here}long.py"]).prints("25\n").step()],
    ),
    Check::of(
        "4,000 bytes of output arrive whole",
        &[run(&["exec", "[print('x'*100) for i in range(40)]"])
            .floods(4000, b'x')
            .step()],
    ),
    Check::of(
        "letters beyond ASCII arrive as they are",
        &[run(&["exec", "print('n\u{e4}h \u{65e5}\u{672c}')"])
            .prints("n\u{e4}h \u{65e5}\u{672c}\n")
            .step()],
    ),
];

const FILES: &[Check] = &[
    Check::of(
        "a file of 3,000 random bytes comes back as it was",
        &[
            run(&["cp", "{here}random.bin", "{there}random.bin"]).step(),
            run(&["cp", "{there}random.bin", "{here}random.back"]).step(),
            Same("random.bin", "random.back"),
        ],
    )
    .needs(Files),
    Check::of(
        "a file that is there already has the same hash",
        &[
            run(&["cp", "{here}random.bin", "{there}random.bin"]).step(),
            run(&["sha256", "{there}random.bin"])
                .shows("random.bin")
                .step(),
        ],
    )
    .needs(Files),
    Check::of(
        "an empty file comes back empty",
        &[
            run(&["cp", "{here}empty", "{there}empty"]).step(),
            run(&["cat", "{there}empty"]).prints("").step(),
        ],
    )
    .needs(Files),
    Check::of(
        "a file is removed, and is not there then",
        &[
            run(&["rm", "{there}random.bin"]).step(),
            run(&["cat", "{there}random.bin"]).exits(5).step(),
        ],
    )
    .needs(Files),
    Check::of(
        "a file is renamed",
        &[
            run(&["mv", "{there}empty", "{there}renamed"]).step(),
            run(&["stat", "{there}renamed"]).step(),
            run(&["rm", "{there}renamed"]).step(),
        ],
    )
    .needs(Folders),
    Check::of(
        "a folder is copied, kept the same, and comes back",
        &[
            run(&["cp", "-r", "{here}folder", "{there}folder"]).step(),
            run(&["sync", "{here}folder", "{there}folder"]).step(),
            run(&["cp", "-r", "{there}folder", "{here}folder.back"]).step(),
            Same(
                "folder/flylead_mounted.py",
                "folder.back/flylead_mounted.py",
            ),
            Same("folder/note.txt", "folder.back/note.txt"),
            run(&["rm", "-r", "{there}folder"]).step(),
        ],
    )
    .needs(Folders),
];

const MOUNT: &[Check] = &[
    Check::of(
        "a module of this computer is imported",
        &[
            run(&["mount", "{here}folder", "--", "run", "{here}imports.py"])
                .prints("42\n")
                .step(),
        ],
    )
    .needs(Folders),
    Check::of(
        "files of this computer are read and written",
        &[
            run(&["mount", "{here}folder", "--", "run", "{here}reads.py"])
                .prints("a note\n")
                .step(),
            Same("folder/answer.txt", "answer.txt"),
        ],
    )
    .needs(Folders),
];

const INSTALL: &[Check] = &[Check::of(
    "a package of this computer is installed",
    &[
        run(&[
            "install",
            "--target",
            "{there}lib",
            "{here}package/package.json",
        ])
        .step(),
        run(&[
            "cp",
            "{there}lib/flylead_installed.py",
            "{here}installed.back",
        ])
        .step(),
        Same("package/flylead_installed.py", "installed.back"),
        run(&["rm", "-r", "{there}lib"]).step(),
    ],
)
.needs(Folders)];

const TESTS: &[Check] = &[Check::of(
    "a test that passes and one that fails are told apart",
    &[
        run(&["test", "--no-reset", "{here}test_selftest.py"])
            .exits(1)
            .shows("1 failed, 1 passed")
            .changes()
            .step(),
        run(&["eval", "[n for n in globals() if n[:4] == '_fl_']"])
            .prints("[]\n")
            .step(),
    ],
)];

/// The first check begins after a soft reset: a small board has too little memory beside what the tests have left.
const DEBUGGER: &[Check] = &[
    Check::of(
        "a program stops at a breakpoint, shows a variable and goes on",
        &[
            run(&["reset"]).changes().step(),
            run(DEBUG).shows("21\n").step(),
        ],
    ),
    Check::of("it does so again", &[run(DEBUG).shows("21\n").step()]),
];

const DEBUG: &[&str] = &[
    "debug",
    "-c",
    "break 2",
    "-c",
    "continue",
    "-c",
    "p n",
    "-c",
    "continue",
    "{here}debugged.py",
];

const INTERRUPTS: &[Check] = &[
    Check::of(
        "Ctrl-C ends an endless loop, and the board answers",
        &[
            run(&["run", "{here}endless.py"])
                .exits(130)
                .interrupted()
                .step(),
            run(&["eval", "6*7"]).prints("42\n").step(),
        ],
    ),
    Check::of(
        "a time limit ends an endless loop, and the board answers",
        &[
            run(&["--timeout", "5", "run", "{here}endless.py"])
                .exits(4)
                .step(),
            run(&["eval", "6*7"]).prints("42\n").step(),
        ],
    ),
];

const RESETS: &[Check] = &[
    Check::of(
        "a soft reset forgets every variable",
        &[
            run(&["exec", "flylead_left=1"]).changes().step(),
            run(&["reset"]).changes().step(),
            run(&["eval", "'flylead_left' in globals()"])
                .prints("False\n")
                .step(),
        ],
    ),
    Check::of(
        "a hard reset is seen, and the board answers",
        &[
            run(&["reset", "--hard"]).changes().step(),
            run(&["eval", "6*7"]).prints("42\n").step(),
        ],
    )
    .needs(Reset),
];
