//! Runs commands in namespaces made by bubblewrap.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{self, PipeReader, Write},
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use super::{
    Layer, Mounts, Namespace, Options,
    installed::{program, version, why_not},
    landlock, overlay,
    seccomp::{self, Others, Sockets},
    view::{Shown, View},
};
use crate::agent::shell::{before, bounds::Bounds, control_group::ControlGroup};

/// Settings shared by all commands of a workspace.
#[derive(Debug)]
pub(crate) struct Bubblewrap {
    program: PathBuf,
    workspace: PathBuf,
    network: bool,
    /// Folder kept between commands; the user's own caches appear below it, read-only.
    cache: Option<PathBuf>,
    view: View,
    /// Settings for git, in place of the user's own, which may hold passwords.
    git: Vec<(&'static str, String)>,
    filters: [Vec<u8>; 2],
    has_sizes: bool,
}

impl Bubblewrap {
    pub(super) fn new(workspace: &Path, options: &Options) -> Result<Self, String> {
        let program = program("bwrap", workspace).ok_or(NOT_INSTALLED)?;
        let sockets = if options.network {
            Sockets::Internet
        } else {
            Sockets::Own
        };
        let filters = seccomp::programs(sockets, Others::Unseen)?;
        let bubblewrap = Self {
            has_sizes: version(&program)? >= SIZES_SINCE,
            program,
            workspace: workspace.to_owned(),
            network: options.network,
            cache: options.cache.clone(),
            git: git_settings(workspace, options.signs),
            view: View::of(workspace, options.network),
            filters: filters.each_ref().map(seccomp::bytes),
        };
        bubblewrap.probe(&Mounts::default())?;
        Ok(bubblewrap)
    }

    /// Tests the sandbox with a command that does nothing.
    pub(super) fn probe(&self, mounts: &Mounts) -> Result<(), String> {
        // A thread of its own, because it stays confined.
        let tried = thread::scope(|scope| scope.spawn(|| self.try_out(mounts)).join());
        match tried.unwrap_or_else(|_| Err(io::Error::other("it cannot be tried"))) {
            Ok((true, _)) => Ok(()),
            Ok((false, said)) => Err(why_not(&said)),
            Err(error) => Err(format!("bubblewrap cannot be started: {error}")),
        }
    }

    /// Tests the sandbox; returns true on success, and the output.
    fn try_out(&self, mounts: &Mounts) -> io::Result<(bool, String)> {
        let (errors, error_end) = io::pipe()?;
        let prepare = |command: &mut Command| {
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(error_end);
            Ok(())
        };
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "true"]);
        let ready = || Ok(());
        let (mut child, _namespace) =
            self.spawn(&command, (prepare, ready), mounts, Bounds::default())?;
        let said = io::read_to_string(errors)?;
        Ok((child.wait()?.success(), said))
    }

    pub(super) fn in_words(&self) -> String {
        let network = if self.network {
            "with the network, and with what listens on this computer"
        } else {
            "without a network"
        };
        let mut words = format!(
            "commands run in a sandbox (bubblewrap), in a view of {}: their changes to it are shown to you before they are kept, and .git is read-only; they see the system's programs, your toolchains and an empty home folder, {network}",
            self.workspace.display(),
        );
        for folder in self.view.changeable_path() {
            words += &format!(
                "; your PATH contains {}, where they can change programs",
                folder.display()
            );
        }
        words
    }

    /// Starts a command, which begins when `ready` returns. This thread has to live as long as the command, which ends
    /// with it.
    pub(crate) fn spawn(
        &self,
        command: &Command,
        (prepare, ready): (
            impl FnOnce(&mut Command) -> io::Result<()>,
            impl FnOnce() -> io::Result<()>,
        ),
        mounts: &Mounts,
        bounds: Bounds,
    ) -> io::Result<(Child, Namespace)> {
        // The part of Landlock that needs no rules for files: no signal reaches processes outside, and none of their
        // sockets without a file can be reached.
        landlock::scope_this_thread();
        let filters = [readable(&self.filters[0])?, readable(&self.filters[1])?];
        let (status, status_end) = io::pipe()?;
        let (left, left_end) = io::pipe()?;
        let (gate_end, gate) = io::pipe()?;
        let kept = [
            OwnedFd::from(filters[0].try_clone()?),
            OwnedFd::from(filters[1].try_clone()?),
            OwnedFd::from(status_end),
            OwnedFd::from(left_end),
            OwnedFd::from(gate_end),
        ];
        let mut arguments = Arguments::default();
        self.separate(&mut arguments);
        arguments.fd("--add-seccomp-fd", &kept[0]);
        arguments.fd("--add-seccomp-fd", &kept[1]);
        arguments.fd("--json-status-fd", &kept[2]);
        arguments.fd("--block-fd", &kept[4]);
        self.show(&mut arguments, mounts);
        self.inside(&mut arguments, command, bounds, &kept[3]);
        let mut bwrap = Command::new(&self.program);
        bwrap.args(arguments.0);
        prepare(&mut bwrap)?;
        self.set_environment(&mut bwrap, mounts);
        before::prepare(&mut bwrap, &kept.each_ref(), bounds);
        if let Some(Layer::Overlay {
            upper,
            work,
            merged,
        }) = &mounts.view
        {
            overlay::prepare(&mut bwrap, &self.workspace, [upper, work, merged])?;
        }
        let mut child = bwrap.spawn()?;
        // Our own copies of the pipes' ends are closed, or the pipes would never end.
        drop((bwrap, kept));
        let group = ControlGroup::new(bounds.processes);
        let mut namespace = Namespace::of(status, left, group);
        // A command that cannot be limited, or for which something is not ready, is ended before the gate opens.
        if !namespace.has_first() {
            child.kill()?;
        } else if let Err(error) = namespace.enter_group().and_then(|()| ready()) {
            namespace.kill(&mut child);
            return Err(error);
        }
        // bubblewrap has made the sandbox meanwhile, and starts the command once this pipe ends.
        drop(gate);
        Ok((child, namespace))
    }

    /// Gives the command namespaces of its own, without capabilities in them. For the administrator, bubblewrap would
    /// leave it all of them; and programs that see themselves as the administrator try to give files to users that do
    /// not exist.
    fn separate(&self, arguments: &mut Arguments) {
        arguments.say(["--unshare-all", "--unshare-user", "--cap-drop", "ALL"]);
        arguments.say(["--die-with-parent", "--new-session", "--as-pid-1"]);
        if self.network {
            arguments.say(["--share-net"]);
        }
        if rustix::process::geteuid().is_root() {
            arguments.say(["--uid", NOBODY, "--gid", NOBODY]);
        }
    }

    fn show(&self, arguments: &mut Arguments, mounts: &Mounts) {
        arguments.show(&self.view.system);
        // Even without capabilities, the administrator owns /proc/sys, whose files control the kernel.
        arguments.say(["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]);
        self.memory(arguments, "1777", SHARED_MEMORY, Path::new("/dev/shm"));
        arguments.say(["--remount-ro", "/dev"]);
        self.memory(arguments, "1777", TEMPORARY, Path::new("/tmp"));
        arguments.say([
            "--dir",
            "/run",
            "--symlink",
            "../tmp",
            "/var/tmp",
            "--symlink",
            "../run",
            "/var/run",
        ]);
        if let Some(home) = &self.view.home {
            self.memory(arguments, "0700", TEMPORARY, home);
        }
        arguments.show(&self.view.tools);
        self.show_caches(arguments);
        for path in &mounts.beside {
            arguments.mount("--ro-bind", path, path);
        }
        let shown = match &mounts.view {
            None => &self.workspace,
            Some(Layer::Overlay { merged, .. }) => merged,
            Some(Layer::Copy(copy)) => copy,
        };
        arguments.mount("--bind", shown, &self.workspace);
        for (what, at) in &mounts.replaced {
            arguments.mount("--bind", what, at);
        }
        for (what, at) in &mounts.shown {
            arguments.mount("--ro-bind", what, at);
        }
        for path in &mounts.read_only {
            arguments.mount("--ro-bind", path, path);
        }
        for path in &mounts.hidden {
            arguments.mount("--ro-bind", Path::new("/dev/null"), path);
        }
        arguments.say(["--remount-ro", "/"]);
        arguments.say(["--chdir"]);
        arguments.0.push(self.workspace.clone().into());
    }

    fn show_caches(&self, arguments: &mut Arguments) {
        let (Some(home), Some(cache)) = (&self.view.home, &self.cache) else {
            return;
        };
        arguments.mount("--bind", cache, &home.join(CACHE));
        for name in READ_CACHES {
            let path = home.join(CACHE).join(name);
            if path.is_dir() && has_no_link(cache, Path::new(name)) {
                arguments.mount("--ro-bind", &path, &path);
            }
        }
    }

    /// Adds a folder in memory.
    fn memory(&self, arguments: &mut Arguments, mode: &str, bytes: u64, at: &Path) {
        arguments.say(["--perms", mode]);
        if self.has_sizes {
            arguments.say(["--size", &bytes.to_string()]);
        }
        arguments.say(["--tmpfs"]);
        arguments.0.push(at.into());
    }

    /// Adds the first process inside. It takes the place of init, with which everything ends, so it is not the script
    /// itself, for which signals would then have another meaning.
    fn inside(&self, arguments: &mut Arguments, command: &Command, bounds: Bounds, left: &OwnedFd) {
        let script = format!(
            "ulimit -p {0} 2>/dev/null || ulimit -u {0} 2>/dev/null; \"$@\"; s=$?; \
             set -- /proc/[0-9]*; echo $(($# - 1)) 2>/dev/null >/proc/self/fd/{1}; exit $s",
            bounds.processes,
            left.as_raw_fd(),
        );
        arguments.say(["--", "/bin/sh", "-c", &script, "sh"]);
        arguments.0.push(command.get_program().to_owned());
        arguments.0.extend(command.get_args().map(OsStr::to_owned));
    }

    fn set_environment(&self, bwrap: &mut Command, mounts: &Mounts) {
        if self.has_empty_repository(mounts) {
            let flags = bwrap.get_envs().find(|(name, _)| *name == "GOFLAGS");
            let mut flags = flags
                .and_then(|(_, flags)| flags)
                .unwrap_or_default()
                .to_owned();
            flags.push(" -buildvcs=false");
            bwrap.env("GOFLAGS", flags);
        }
        for (name, value) in self.environment() {
            match value {
                Some(value) => bwrap.env(name, value),
                None => bwrap.env_remove(name),
            };
        }
    }

    /// Returns the variables that tell tools their folders. `None` removes a variable.
    fn environment(&self) -> Vec<(String, Option<OsString>)> {
        let mut variables: Vec<(String, Option<OsString>)> =
            UNSET.iter().map(|name| ((*name).into(), None)).collect();
        let mut set = |name: &str, value: OsString| variables.push((name.into(), Some(value)));
        let path = env::join_paths(&self.view.path).unwrap_or_default();
        set("PATH", path);
        for name in ["TMPDIR", "TMP", "TEMP"] {
            set(name, "/tmp".into());
        }
        let home = self.view.home.clone();
        let home = home.unwrap_or_else(|| PathBuf::from("/tmp"));
        let cache = home.join(CACHE);
        set("HOME", home.into());
        set("npm_config_cache", cache.join("npm").into());
        set("PYTHONUSERBASE", cache.join("python").into());
        if !self.network {
            for (name, value) in OFFLINE {
                set(name, value.into());
            }
        }
        set("GIT_OPTIONAL_LOCKS", "0".into());
        // An overlay is another file system than the repository around it.
        set("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1".into());
        set("GIT_CONFIG_COUNT", self.git.len().to_string().into());
        for (number, (key, value)) in self.git.iter().enumerate() {
            variables.push((format!("GIT_CONFIG_KEY_{number}"), Some(key.into())));
            variables.push((format!("GIT_CONFIG_VALUE_{number}"), Some(value.into())));
        }
        let mut set = |name: &str, value: OsString| variables.push((name.into(), Some(value)));
        for (name, below) in [("CARGO_HOME", "cargo"), ("GOMODCACHE", "go-mod")] {
            // Until a command has downloaded something, the user's own cache is visible read-only.
            let own = self.cache.as_ref().map(|cache| cache.join(below));
            if self.network || own.is_some_and(|own| own.is_dir()) {
                set(name, cache.join(below).into());
            }
        }
        variables
    }

    /// Returns true if the command sees an empty folder `.git`, as does a command that may create a repository where
    /// none exists. Go takes each such folder for a repository (cmd/go/internal/vcs/vcs.go, `isVCSRoot`), and a build
    /// fails when git disagrees.
    fn has_empty_repository(&self, mounts: &Mounts) -> bool {
        let git = self.workspace.join(".git");
        let replaced = mounts.replaced.iter().find(|(_, at)| *at == git);
        let seen = replaced.map_or(&git, |(what, _)| what);
        fs::read_dir(seen).is_ok_and(|mut inside| inside.next().is_none())
    }
}

/// Arguments of bubblewrap.
#[derive(Default)]
struct Arguments(Vec<OsString>);

impl Arguments {
    fn say<const N: usize>(&mut self, words: [&str; N]) {
        self.0.extend(words.map(OsString::from));
    }

    fn fd(&mut self, option: &str, fd: &OwnedFd) {
        self.say([option, &fd.as_raw_fd().to_string()]);
    }

    fn mount(&mut self, option: &str, what: &Path, at: &Path) {
        self.0.extend([
            option.into(),
            what.as_os_str().to_owned(),
            at.as_os_str().to_owned(),
        ]);
    }

    fn show(&mut self, shown: &[Shown]) {
        for it in shown {
            match it {
                Shown::ReadOnly(path) => self.mount("--ro-bind-try", path, path),
                Shown::Link { at, to } => self.mount("--symlink", to, at),
                Shown::Hidden(path) if path.is_dir() => {
                    self.say(["--perms", "0555", "--tmpfs"]);
                    self.0.push(path.into());
                    self.say(["--remount-ro"]);
                    self.0.push(path.into());
                }
                Shown::Hidden(path) => self.mount("--ro-bind", Path::new("/dev/null"), path),
            }
        }
    }
}

/// Returns a pipe from which a program for the kernel's filter can be read. The program is shorter than a pipe's
/// capacity.
fn readable(bytes: &[u8]) -> io::Result<PipeReader> {
    let (reader, mut writer) = io::pipe()?;
    writer.write_all(bytes)?;
    Ok(reader)
}

/// Returns true if no command left a link on a path in its cache: bubblewrap, which creates missing parts of mount
/// points, would follow it.
fn has_no_link(cache: &Path, name: &Path) -> bool {
    let below = name.ancestors().filter(|path| !path.as_os_str().is_empty());
    !below
        .map(|path| cache.join(path))
        .any(|path| path.is_symlink())
}

/// Returns settings under which repositories count as the user's own although another user owns them outside, and
/// commits carry the user's name.
fn git_settings(workspace: &Path, signs: bool) -> Vec<(&'static str, String)> {
    let mut settings = vec![("safe.directory", "*".to_owned())];
    let git = program("git", workspace).filter(|_| signs);
    for name in ["user.name", "user.email"] {
        let Some(git) = &git else { break };
        let said = Command::new(git)
            .current_dir(workspace)
            .args(["config", "--get", name])
            .output();
        let value = said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned());
        settings.extend(
            value
                .ok()
                .filter(|value| !value.is_empty())
                .map(|value| (name, value)),
        );
    }
    settings
}

/// User that exists on every system and owns nothing. Its files belong to the administrator outside.
const NOBODY: &str = "65534";
const NOT_INSTALLED: &str =
    "bubblewrap is not installed; install the package bubblewrap, which every distribution has";
const CACHE: &str = ".cache";
/// User's own caches that tools only read, and in which no tool keeps a password.
const READ_CACHES: [&str; 8] = [
    "ms-playwright",
    "puppeteer",
    "Cypress",
    "electron",
    "node-gyp",
    "torch",
    "huggingface/hub",
    "pre-commit",
];

/// Variables that point to missing places.
const UNSET: [&str; 16] = [
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_ID",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "TMUX",
    "STY",
    "SSH_CONNECTION",
    "SSH_TTY",
    "GOCACHE",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
];

/// Settings that keep tools from retrying without a network.
const OFFLINE: [(&str, &str); 4] = [
    ("CARGO_NET_OFFLINE", "true"),
    ("PIP_RETRIES", "0"),
    ("npm_config_fetch_retries", "0"),
    ("UV_OFFLINE", "1"),
];

/// First version of bubblewrap with `--size`.
const SIZES_SINCE: (u32, u32) = (0, 7);
const TEMPORARY: u64 = 1 << 30;
const SHARED_MEMORY: u64 = 256 << 20;
