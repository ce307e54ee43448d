//! What a command may touch: on Linux by Landlock and seccomp, elsewhere by nothing.
//!
//! | | allowed | refused by |
//! |---|---|---|
//! | writing | the workspace, a temporary folder of the command's own, `/dev/null` | Landlock |
//! | reading | everything but keys, passwords and browser profiles of the person, and devices | Landlock |
//! | network | none, unless the person allows it: no socket of any kind | seccomp, and Landlock for TCP |
//! | signals, `ptrace`, mounts | the command's own processes alone | Landlock, seccomp |
//!
//! Inside of the workspace everything may be written, `.git` included: Landlock cannot take a part out, and a build may call
//! git. What a command changes there of hooks and settings, which would run later and outside, the workspace puts back.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::atomic::{AtomicU64, Ordering},
};

/// What commands in a folder may touch.
#[derive(Debug, Clone)]
pub struct Sandbox {
    workspace: PathBuf,
    network: bool,
    strength: system::Strength,
}

impl Sandbox {
    /// A sandbox for commands in a folder, if this system has one.
    ///
    /// # Errors
    /// Why there is none, in words for a person.
    pub fn new(workspace: &Path, network: bool) -> Result<Self, String> {
        let workspace = workspace.canonicalize();
        Ok(Self {
            workspace: workspace.map_err(|error| error.to_string())?,
            network,
            strength: system::probe()?,
        })
    }

    /// What holds, in words for a person.
    #[must_use]
    pub fn in_words(&self) -> String {
        let network = if self.network {
            "with the network"
        } else {
            "without the network"
        };
        format!(
            "commands write only below {} and a temporary folder of their own, {network} ({})",
            self.workspace.display(),
            self.strength
        )
    }

    /// Starts a command inside of it. The temporary folder goes when the answer does.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<(Child, Temporary)> {
        let temporary = Temporary::new()?;
        for name in ["TMPDIR", "TMP", "TEMP"] {
            command.env(name, &temporary.0);
        }
        let child = system::spawn(self, &temporary.0, command)?;
        Ok((child, temporary))
    }
}

/// A folder that goes away with its name.
pub(super) struct Temporary(PathBuf);

impl Temporary {
    fn new() -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("flylead-{}-{count}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match private_directory(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Self(path)),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What a command made unremovable stays; it is in the system's own folder for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(target_os = "linux")]
mod system {
    use std::{
        collections::BTreeMap,
        env, fmt, fs, io,
        path::{Path, PathBuf},
        process::{Child, Command},
        thread,
    };

    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
        RulesetError, RulesetStatus, Scope, path_beneath_rules,
    };
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

    use super::Sandbox;

    /// How much of it the kernel holds to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Strength {
        Whole,
        Older,
    }

    impl fmt::Display for Strength {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                Self::Whole => "Landlock and seccomp",
                Self::Older => "seccomp, and Landlock as far as this older kernel has it",
            })
        }
    }

    /// Tries it on a thread that then ends: what a thread is denied, its children are denied, and nobody else.
    pub(super) fn probe() -> Result<Strength, String> {
        let tried = thread::spawn(|| {
            let status = ruleset(false).and_then(RulesetCreated::restrict_self);
            let status = status
                .map_err(|error| format!("Landlock: {error}"))?
                .ruleset;
            apply_filter(&filter(false)?).map_err(|error| format!("seccomp: {error}"))?;
            match status {
                RulesetStatus::FullyEnforced => Ok(Strength::Whole),
                RulesetStatus::PartiallyEnforced => Ok(Strength::Older),
                RulesetStatus::NotEnforced => Err("this kernel has no Landlock".to_owned()),
            }
        });
        tried
            .join()
            .unwrap_or_else(|_| Err("Landlock cannot be tried".to_owned()))
    }

    pub(super) fn spawn(
        sandbox: &Sandbox,
        temporary: &Path,
        command: &mut Command,
    ) -> io::Result<Child> {
        let rules = rules(sandbox, temporary).map_err(io::Error::other)?;
        let filter = filter(sandbox.network).map_err(io::Error::other)?;
        let confined = move || {
            drop_powers()?;
            let status = rules.restrict_self().map_err(io::Error::other)?;
            if status.ruleset == RulesetStatus::NotEnforced {
                return Err(io::Error::other("the sandbox did not close"));
            }
            apply_filter(&filter).map_err(io::Error::other)?;
            command.spawn()
        };
        thread::scope(|scope| scope.spawn(confined).join())
            .unwrap_or_else(|_| Err(io::Error::other("the sandbox cannot be entered")))
    }

    fn ruleset(network: bool) -> Result<RulesetCreated, RulesetError> {
        let ruleset = Ruleset::default()
            .handle_access(AccessFs::from_all(ABI_KNOWN))?
            .scope(Scope::from_all(ABI_KNOWN))?;
        match network {
            true => ruleset.create(),
            false => ruleset
                .handle_access(AccessNet::from_all(ABI_KNOWN))?
                .create(),
        }
    }

    fn rules(sandbox: &Sandbox, temporary: &Path) -> Result<RulesetCreated, RulesetError> {
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let mut hidden: Vec<PathBuf> = SECRETS.iter().map(|name| home.join(name)).collect();
        hidden.extend(["/dev".into(), env::temp_dir()]);
        let mut readable = Vec::new();
        open_up(Path::new("/"), &hidden, &mut readable);
        let all = AccessFs::from_all(ABI_KNOWN);
        let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
        ruleset(sandbox.network)?
            .add_rules(path_beneath_rules(readable, AccessFs::from_read(ABI_KNOWN)))?
            .add_rules(path_beneath_rules(DEVICES, all))?
            .add_rules(path_beneath_rules(
                [&sandbox.workspace, temporary],
                all & !devices,
            ))
    }

    /// Takes from the administrator's commands what leads past the rules; others have none of it. With
    /// `no_new_privs`, which the rules bring, no program gives it back.
    fn drop_powers() -> io::Result<()> {
        let mut sets = capabilities(None)?;
        sets.effective &= !POWERS;
        sets.permitted &= !POWERS;
        sets.inheritable &= !POWERS;
        Ok(set_capabilities(None, sets)?)
    }

    /// Finds what covers everything below `folder` but what is hidden. Landlock only opens, so what is beside the
    /// hidden is opened instead.
    fn open_up(folder: &Path, hidden: &[PathBuf], found: &mut Vec<PathBuf>) {
        if hidden.iter().any(|path| path == folder) {
            return;
        }
        if !hidden.iter().any(|path| path.starts_with(folder)) {
            found.push(folder.to_owned());
            return;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            open_up(&entry.path(), hidden, found);
        }
    }

    /// Refuses what leads out of Landlock's rules; all else is allowed.
    fn filter(network: bool) -> Result<BpfProgram, String> {
        let sockets = if network {
            &[][..]
        } else {
            &[libc::SYS_socket]
        };
        let refused: BTreeMap<i64, Vec<_>> = REFUSED
            .iter()
            .chain(sockets)
            .map(|&call| (call, Vec::new()))
            .collect();
        let denial = SeccompAction::Errno(libc::EPERM.cast_unsigned());
        let architecture = env::consts::ARCH
            .try_into()
            .map_err(|error| format!("seccomp: {error}"))?;
        SeccompFilter::new(refused, SeccompAction::Allow, denial, architecture)
            .and_then(TryInto::try_into)
            .map_err(|error| format!("seccomp: {error}"))
    }

    /// The rules that are known here; the kernel may know fewer, and is asked for those.
    const ABI_KNOWN: ABI = ABI::V6;
    /// Sockets made past `socket`, other processes' memory, and the ways to another root.
    const REFUSED: [i64; 11] = [
        libc::SYS_io_uring_setup,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_bpf,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
    ];
    /// Other processes' memory, devices, modules, mounts, raw packets, the clock.
    const POWERS: CapabilitySet = CapabilitySet::SYS_ADMIN
        .union(CapabilitySet::PERFMON)
        .union(CapabilitySet::SYS_PTRACE)
        .union(CapabilitySet::SYS_MODULE)
        .union(CapabilitySet::SYS_RAWIO)
        .union(CapabilitySet::SYS_BOOT)
        .union(CapabilitySet::SYS_TIME)
        .union(CapabilitySet::SYS_CHROOT)
        .union(CapabilitySet::BPF)
        .union(CapabilitySet::MKNOD)
        .union(CapabilitySet::NET_ADMIN)
        .union(CapabilitySet::NET_RAW)
        .union(CapabilitySet::DAC_READ_SEARCH);
    const DEVICES: [&str; 5] = [
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/dev/random",
        "/dev/urandom",
    ];
    /// Below the home folder: keys, passwords, and where browsers keep theirs.
    const SECRETS: [&str; 26] = [
        ".ssh",
        ".gnupg",
        ".aws",
        ".azure",
        ".kube",
        ".docker",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        ".password-store",
        ".bash_history",
        ".zsh_history",
        ".python_history",
        ".psql_history",
        ".cargo/credentials.toml",
        ".config/gcloud",
        ".config/gh",
        ".config/google-chrome",
        ".config/chromium",
        ".config/BraveSoftware",
        ".config/microsoft-edge",
        ".mozilla",
        ".thunderbird",
        ".local/share/keyrings",
        "snap",
    ];

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn everything_is_opened_but_what_is_hidden() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            for name in ["a/b/secret", "a/c", "d"] {
                fs::create_dir_all(at(name)).unwrap();
            }
            let mut found = Vec::new();
            open_up(folder.path(), &[at("a/b/secret"), at("none")], &mut found);
            found.sort();
            assert_eq!(found, [at("a/c"), at("d")]);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::{
        fmt, io,
        path::Path,
        process::{Child, Command},
    };

    use super::Sandbox;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Strength {}

    impl fmt::Display for Strength {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            match *self {}
        }
    }

    pub(super) fn probe() -> Result<Strength, String> {
        Err("there is a sandbox on Linux alone".to_owned())
    }

    pub(super) fn spawn(sandbox: &Sandbox, _: &Path, _: &mut Command) -> io::Result<Child> {
        match sandbox.strength {}
    }
}
