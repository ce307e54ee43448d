//! Running other programs: from the repository's root, with their output on the terminal or in a step's log.

use anyhow::{Context, Result, bail};
use std::env;
use std::fs::{self, File};
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Folder in which programs run, and the destination of their output.
pub(crate) struct Shell {
    root: PathBuf,
    log: Option<(PathBuf, File)>,
    deadline: Option<Instant>,
    /// Number of compilers that cargo runs at once; defaults to the number of processors.
    jobs: Option<&'static str>,
}

impl Shell {
    /// At the repository's root, with output on the terminal and no deadline.
    pub(crate) fn at_the_root() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.ancestors().nth(2).unwrap_or(here).to_path_buf();
        Self {
            root,
            log: None,
            deadline: None,
            jobs: None,
        }
    }

    /// At the repository's root, where cargo runs one compiler at a time.
    pub(crate) fn with_one_compiler() -> Self {
        Self {
            jobs: Some("1"),
            ..Self::at_the_root()
        }
    }

    /// Returns a shell that writes the output of programs to the file `log`, with the time limit
    /// `limit` for all of them.
    pub(crate) fn logging(&self, log: &Path, limit: Duration) -> Result<Self> {
        let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let deadline = Some(Instant::now() + limit);
        Ok(Self {
            root: self.root.clone(),
            log: Some((log.to_path_buf(), file)),
            deadline,
            jobs: self.jobs,
        })
    }

    /// A path inside the repository.
    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside)
    }

    /// A path inside the folder that cargo builds in.
    pub(crate) fn target(&self, inside: &str) -> PathBuf {
        let folder = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        self.root.join(folder).join(inside)
    }

    /// The folder for stamps and logs, made if it is missing.
    pub(crate) fn scratch(&self) -> Result<PathBuf> {
        let folder = self.target("xtask");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }

    /// Waits until nobody else makes this thing, and keeps others waiting as long as the file that is returned is open: steps that run
    /// at the same time need some things both.
    pub(crate) fn lock(&self, thing: &str) -> Result<File> {
        let path = self
            .scratch()?
            .join(format!("{}.lock", thing.replace('/', "-")));
        let file =
            File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        file.lock()
            .with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(file)
    }

    /// Tells the person at the terminal what happens now.
    pub(crate) fn say(&self, text: &str) {
        println!("  {text}");
    }

    /// `program` with `arguments`, to be run from the root.
    pub(crate) fn command(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .args(arguments)
            .current_dir(&self.root)
            .stdin(Stdio::null());
        forget_our_own_crate(&mut command);
        command
    }

    /// `cargo` with the words of `arguments`.
    pub(crate) fn cargo(&self, arguments: &str) -> Command {
        let cargo = env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from);
        let mut cargo = self.command(cargo, &words(arguments));
        cargo.envs(self.jobs.map(|jobs| ("CARGO_BUILD_JOBS", jobs)));
        cargo
    }

    /// Runs a command to its end; anything but success is an error that names it.
    pub(crate) fn run(&self, command: &mut Command) -> Result<()> {
        let name = describe(command);
        self.redirect(command)?;
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let status = self.wait(&mut child).with_context(|| name.clone())?;
        if !status.success() {
            bail!("{name}: {status}");
        }
        Ok(())
    }

    /// Runs a command and returns what it printed on its standard output.
    pub(crate) fn read(&self, command: &mut Command) -> Result<String> {
        let name = describe(command);
        let output = command
            .output()
            .with_context(|| format!("cannot start {name}"))?;
        if !output.status.success() {
            bail!(
                "{name}: {}\n{}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Returns the output in the log so far; empty if there is none.
    pub(crate) fn said(&self) -> Result<String> {
        let Some((path, _)) = &self.log else {
            return Ok(String::new());
        };
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Adds a line of our own to the log, or prints it where there is none.
    pub(crate) fn note(&self, line: &str) -> Result<()> {
        match &self.log {
            Some((_, log)) => writeln!(&mut log.try_clone()?, "{line}")?,
            None => println!("{line}"),
        }
        Ok(())
    }

    fn redirect(&self, command: &mut Command) -> Result<()> {
        if let Some((_, log)) = &self.log {
            command.stdout(log.try_clone()?).stderr(log.try_clone()?);
            command.env("NO_COLOR", "1");
            lead_a_group(command);
        }
        Ok(())
    }

    fn wait(&self, child: &mut Child) -> Result<ExitStatus> {
        let Some(deadline) = self.deadline else {
            return Ok(child.wait()?);
        };
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() > deadline {
                kill(child);
                bail!("stopped: it took too long");
            }
            sleep(POLL);
        }
    }
}

/// Writes a text.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Returns true if `program` is on the PATH.
pub(crate) fn has(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Returns true if a person can answer a question here.
pub(crate) fn is_attended() -> bool {
    std::io::stdin().is_terminal()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// Some build scripts build again when these change, and `cargo run` sets them for us.
fn forget_our_own_crate(command: &mut Command) {
    let ours = env::vars_os().map(|(name, _)| name).filter(|name| {
        name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        })
    });
    for name in ours {
        command.env_remove(name);
    }
}

fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let arguments = command
        .get_args()
        .map(|argument| argument.to_string_lossy());
    std::iter::once(program.to_string_lossy())
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A program that nobody can interrupt gets a process group, so that a late one goes with all its children.
#[cfg(unix)]
pub(crate) fn lead_a_group(command: &mut Command) {
    if !is_attended() {
        std::os::unix::process::CommandExt::process_group(command, 0);
    }
}

#[cfg(not(unix))]
pub(crate) fn lead_a_group(_: &mut Command) {}

/// Ends a program, with all its children where it leads a group. Failures do not matter: whoever asks has failed already,
/// or needs it no more.
pub(crate) fn kill(child: &mut Child) {
    if cfg!(unix) && !is_attended() {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Interval between checks of a running program; small beside any step.
const POLL: Duration = Duration::from_millis(20);
