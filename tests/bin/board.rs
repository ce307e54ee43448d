//! A real board to talk to, for shells, other languages' tests and people:
//! `cargo run -p flylead-tests --bin board -- unix --link /tmp/board`.

use std::{
    env, fs,
    io::{self, Read, Write},
    os::unix::fs::symlink,
    panic,
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
};

use flylead_tests::boards::{
    BrowserBoard, EspKind, EspRom, Faults, Firmware, Microbit, Pico, Recorder, Stranger, UnixBoard,
    Wire, exported,
};

const USAGE: &str = "board unix|browser|microbit|pico [--link PATH] [--baud N] [--no-raw-paste] [--unique-id HEX]
board pico [--firmware v1.28|v1.19] [--link PATH]
board esp --kind esp32|esp32c3|esp32s3 [--flash FILE] [--link PATH]
board recorder [--log FILE] [--answer FILE] [--link PATH]
board stranger --kind KIND [--link PATH]

Starts MicroPython behind a pty and prints the pty's path. It lives until its standard input, a terminal or a pipe, ends, or
until Ctrl-C; with no standard input (</dev/null), until Ctrl-C or SIGTERM. A recorder is a device that records experiments, without a MicroPython.
A stranger is something else at a port, and prints in a second line what a person is told of it. An esp is the boot ROM of a
chip with an empty flash; each line of its standard input has the flash written to the file, and is answered when it is there.

  --firmware V     which firmware a pico has. Its image, known by its hash, is in the folder FLYLEAD_FIRMWARE or in
                   ~/.cache/flylead/firmware, or else is fetched from the makers' download site
  --link PATH      a symbolic link to the pty, replacing one that is there
  --baud N         no faster than N bits per second
  --no-raw-paste   the board refuses raw-paste mode; Ctrl-C then reaches every program on the unix board,
                   also as a byte of a file that is streamed, and ends it: let files go as text there
  --log FILE       what a recorder answers EXPORT with: the file, its size and its checksum. Both options may be given
                   again; answers go out in turn, the last one forever
  --answer FILE    the same, with the bytes as they are
  --flash FILE     where the flash of an esp is written
  --kind KIND      of a stranger: loopback, silent, esp, esp-says-so, esp-without-firmware, circuitpython, computer, program or other-speed
  --unique-id HEX  what machine.unique_id() answers on the unix board, which has none of its own";

fn main() -> ExitCode {
    if env::args()
        .skip(1)
        .any(|word| matches!(word.as_str(), "-h" | "--help" | "help"))
    {
        // Somebody who has read enough of it is no fault.
        let _ = writeln!(io::stdout(), "{USAGE}");
        return ExitCode::SUCCESS;
    }
    // What is missing on this machine is said in a line, without the trace of a bug.
    panic::set_hook(Box::new(|fault| {
        let message = fault.payload_as_str().unwrap_or("the board does not start");
        eprintln!("board: {message}");
    }));
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let options = Options::read(env::args().skip(1))?;
    match options.board.as_str() {
        "unix" => serve(numbered(&options)?, UnixBoard::path, &options),
        "browser" => serve(BrowserBoard::start(), BrowserBoard::path, &options),
        "microbit" => serve(Microbit::start(), Microbit::path, &options),
        "pico" => serve(pico(&options)?, Pico::path, &options),
        "recorder" => serve(recorder(&options), Recorder::path, &options),
        "stranger" => stranger(&options),
        "esp" => esp(&options),
        other => Err(format!("there is no board `{other}`")),
    }
}

#[derive(Default)]
struct Options {
    board: String,
    link: Option<PathBuf>,
    faults: Faults,
    unique_id: Option<String>,
    firmware: Option<String>,
    kind: Option<String>,
    flash: Option<PathBuf>,
    answers: Vec<Vec<u8>>,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--link" => options.link = Some(value(&mut words, &word)?.into()),
                "--baud" => options.faults.baud = Some(number(&value(&mut words, &word)?)?),
                "--unique-id" => options.unique_id = Some(value(&mut words, &word)?),
                "--firmware" => options.firmware = Some(value(&mut words, &word)?),
                "--kind" => options.kind = Some(value(&mut words, &word)?),
                "--flash" => options.flash = Some(value(&mut words, &word)?.into()),
                "--log" => {
                    let log = file(&mut words, &word)?;
                    options.answers.push(exported(&log));
                }
                "--answer" => options.answers.push(file(&mut words, &word)?),
                "--no-raw-paste" => options.faults.no_raw_paste = true,
                name if !name.starts_with('-') => options.board = word,
                _ => return Err(format!("what is `{word}`?")),
            }
        }
        Ok(options)
    }

    fn needs_wire(&self) -> bool {
        self.faults.baud.is_some() || self.faults.no_raw_paste
    }
}

fn value(words: &mut impl Iterator<Item = String>, option: &str) -> Result<String, String> {
    words
        .next()
        .ok_or_else(|| format!("{option} wants a value"))
}

fn file(words: &mut impl Iterator<Item = String>, option: &str) -> Result<Vec<u8>, String> {
    let path = value(words, option)?;
    fs::read(&path).map_err(|fault| format!("{path}: {fault}"))
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// A unix board with the number that is wanted: a `machine.py` goes before the built-in module of that name, which is
/// extensible (MicroPython v1.26, docs/library/index.rst, Extending built-in libraries from Python).
fn numbered(options: &Options) -> Result<UnixBoard, String> {
    let board = UnixBoard::start();
    if let Some(id) = &options.unique_id {
        let module = format!("def unique_id():\n    return bytes.fromhex('{id}')\n");
        let path = board.flash().join("machine.py");
        fs::write(&path, module).map_err(|fault| format!("{}: {fault}", path.display()))?;
    }
    Ok(board)
}

/// A Pico with the firmware that is wanted, the new one if none is named.
fn pico(options: &Options) -> Result<Pico, String> {
    let version = options.firmware.as_deref().unwrap_or("v1.28");
    let firmware =
        Firmware::of(version).ok_or_else(|| format!("no firmware is known as {version}"))?;
    Ok(Pico::start(&firmware.obtain()?))
}

/// A device that records, with its answers to `EXPORT` in turn. What it was sent stands on stderr.
fn recorder(options: &Options) -> Recorder {
    let answers = options.answers.clone();
    let mut asked = 0;
    Recorder::start(move |line, port| {
        eprintln!("{line}");
        match line.split_once(" run_id=") {
            Some(("EXPORT", _)) => {
                if let Some(answer) = answers.get(asked).or(answers.last()) {
                    port.say(answer);
                }
                asked += 1;
            }
            Some(("START", _)) => port.say(b"OK: Recording\r\n"),
            _ if line == "STOP" => port.say(b"OK: Stopped\r\n"),
            _ => port.say(b"ERROR: unknown command\r\n"),
        }
    })
}

/// Starts a peer that is no board, and prints the sentence that is said of it.
fn stranger(options: &Options) -> Result<(), String> {
    let kind = options.kind.as_deref().unwrap_or_default();
    let (stranger, peer) =
        Stranger::named(kind).ok_or_else(|| format!("there is no stranger `{kind}`"))?;
    serve_with(stranger, Stranger::path, options, &format!("{peer}\n"))
}

/// Starts the boot ROM of a chip, whose flash is written to a file whenever a line comes.
fn esp(options: &Options) -> Result<(), String> {
    let kind = match options.kind.as_deref().unwrap_or_default() {
        "esp32" => EspKind::Esp32,
        "esp32c3" => EspKind::Esp32C3,
        "esp32s3" => EspKind::Esp32S3,
        other => return Err(format!("there is no esp `{other}`")),
    };
    let rom = EspRom::start(kind);
    let Some(file) = &options.flash else {
        return serve(rom, EspRom::path, options);
    };
    let shown = match &options.link {
        Some(link) => put_link(rom.path(), link)?,
        None => rom.path(),
    };
    println!("{}", shown.display());
    for _ in io::stdin().lines().map_while(Result::ok) {
        fs::write(file, rom.flash()).map_err(|fault| format!("{}: {fault}", file.display()))?;
        println!("{} bytes were written", rom.written());
    }
    Ok(())
}

/// Holds the board until nobody wants it any more.
fn serve<B>(board: B, path: fn(&B) -> &Path, options: &Options) -> Result<(), String> {
    serve_with(board, path, options, "")
}

/// Like [`serve`], and prints more after the path.
fn serve_with<B>(
    board: B,
    path: fn(&B) -> &Path,
    options: &Options,
    more: &str,
) -> Result<(), String> {
    let wire = options
        .needs_wire()
        .then(|| Wire::attach(path(&board), options.faults.clone()));
    let path = wire.as_ref().map_or(path(&board), Wire::path);
    let shown = match &options.link {
        Some(link) => put_link(path, link)?,
        None => path,
    };
    // In one piece, so that who reads the first line can have the second.
    let told = format!("{}\n{more}", shown.display());
    let mut stdout = io::stdout();
    let _ = stdout.write_all(told.as_bytes());
    let _ = stdout.flush();
    let heard = io::stdin().read_to_end(&mut Vec::new());
    if has_no_stdin() || heard.is_err() {
        loop {
            thread::park();
        }
    }
    if let Some(link) = &options.link {
        let _ = fs::remove_file(link);
    }
    Ok(())
}

/// Returns true where there is no standard input: it is closed, or /dev/null, as it is for what a script starts behind itself.
fn has_no_stdin() -> bool {
    let stdin = fs::read_link("/proc/self/fd/0");
    stdin.map_or(true, |stdin| stdin == Path::new("/dev/null"))
}

fn put_link<'a>(path: &Path, link: &'a Path) -> Result<&'a Path, String> {
    if link.is_symlink() {
        let _ = fs::remove_file(link);
    }
    symlink(path, link).map_err(|fault| format!("{}: {fault}", link.display()))?;
    Ok(link)
}
