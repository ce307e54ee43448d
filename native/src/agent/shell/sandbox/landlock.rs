//! Restrictions by Landlock and seccomp alone, for systems without bubblewrap, and the part of them that also applies
//! beneath bubblewrap.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Child, Command},
    thread,
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use seccompiler::{BpfProgram, apply_filter};

use super::{
    Layer, Mounts,
    seccomp::{self, Others, Sockets},
};
use crate::{
    agent::{
        shell::{before, bounds::Bounds},
        workspace::random_name,
    },
    os::state,
};

/// Settings shared by all commands of a workspace.
#[derive(Debug)]
pub(crate) struct Landlock {
    workspace: PathBuf,
    network: bool,
    is_whole: bool,
}

/// Keeps signals and abstract sockets within this thread's processes from now on, if the kernel supports it (Linux
/// 6.12). Landlock cannot restrict just a child.
pub(super) fn scope_this_thread() {
    let scoped = Ruleset::default().scope(Scope::from_all(ABI_KNOWN));
    // Without it, namespaces have the same effect.
    let _ = scoped
        .and_then(Ruleset::create)
        .and_then(RulesetCreated::restrict_self);
}

impl Landlock {
    /// Tests the sandbox on a thread that then ends: restrictions of a thread apply to its children, and to nothing
    /// else.
    pub(super) fn new(workspace: PathBuf, network: bool) -> Result<Self, String> {
        let tried = thread::spawn(|| {
            let status = ruleset(false).and_then(RulesetCreated::restrict_self);
            let status = status.map_err(|error| format!("Landlock: {error}"))?;
            apply(&filters(false)?)?;
            match status.ruleset {
                RulesetStatus::FullyEnforced => Ok(true),
                RulesetStatus::PartiallyEnforced => Ok(false),
                RulesetStatus::NotEnforced => Err("this kernel has no Landlock".to_owned()),
            }
        });
        let tried = tried.join();
        let is_whole = tried.unwrap_or_else(|_| Err("Landlock cannot be tried".to_owned()))?;
        Ok(Self {
            workspace,
            network,
            is_whole,
        })
    }

    pub(super) fn in_words(&self) -> String {
        let network = if self.network {
            "with the network"
        } else {
            "without any network, localhost included"
        };
        let strength = if self.is_whole {
            "Landlock"
        } else {
            "the part of Landlock that this older kernel supports"
        };
        format!(
            "commands run under {strength} alone, {network}: they write only to a copy of {}, whose changes are shown to you before \
             they are kept, and to a temporary folder of their own; they can read your other files, except in known places of keys \
             and passwords, and can change modes and times of all of them",
            self.workspace.display(),
        )
    }

    /// Starts a command from this thread, which stays confined. A copy may stand in for the workspace.
    pub(crate) fn spawn(
        &self,
        command: &mut Command,
        mounts: &Mounts,
        bounds: Bounds,
    ) -> io::Result<(Child, Temporary)> {
        let temporary = Temporary::new()?;
        for name in ["TMPDIR", "TMP", "TEMP"] {
            command.env(name, &temporary.0);
        }
        let rules = rules(self, mounts, &temporary.0).map_err(io::Error::other)?;
        let filters = filters(self.network).map_err(io::Error::other)?;
        before::prepare(command, &[], bounds);
        drop_powers()?;
        let status = rules.restrict_self().map_err(io::Error::other)?;
        if status.ruleset == RulesetStatus::NotEnforced {
            return Err(io::Error::other("the sandbox could not be closed"));
        }
        apply(&filters).map_err(io::Error::other)?;
        Ok((command.spawn()?, temporary))
    }
}

/// Folder that is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    fn new() -> io::Result<Self> {
        let path = env::temp_dir().join(random_name());
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Files that a command made unremovable stay, in the system's own folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn filters(network: bool) -> Result<[BpfProgram; 2], String> {
    let sockets = if network {
        Sockets::Internet
    } else {
        Sockets::None
    };
    seccomp::programs(sockets, Others::Seen)
}

fn apply(filters: &[BpfProgram; 2]) -> Result<(), String> {
    let applied = filters.iter().try_for_each(|filter| apply_filter(filter));
    applied.map_err(|error| format!("seccomp: {error}"))
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

fn rules(
    sandbox: &Landlock,
    mounts: &Mounts,
    temporary: &Path,
) -> Result<RulesetCreated, RulesetError> {
    let view = mounts.view.as_ref().map(Layer::written);
    let workspace = view.unwrap_or(&sandbox.workspace);
    let mut hidden = vec!["/dev".into(), "/run".into(), env::temp_dir()];
    hidden.extend(secrets());
    let mut readable = Vec::new();
    open_up(Path::new("/"), &hidden, &mut readable);
    let all = AccessFs::from_all(ABI_KNOWN);
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
    ruleset(sandbox.network)?
        .add_rules(path_beneath_rules(readable, AccessFs::from_read(ABI_KNOWN)))?
        .add_rules(path_beneath_rules(DEVICES, all))?
        .add_rules(path_beneath_rules([workspace, temporary], all & !devices))
}

/// Drops all of the administrator's capabilities, which would bypass the rules. With `no_new_privs`, which the rules
/// set, no program can regain them.
fn drop_powers() -> io::Result<()> {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets {
        effective: none,
        permitted: none,
        inheritable: none,
    };
    Ok(set_capabilities(None, sets)?)
}

/// Lists known places of keys and passwords, and the targets of their links.
fn secrets() -> Vec<PathBuf> {
    let home = state::home().unwrap_or_default();
    let home = home.canonicalize().unwrap_or(home);
    let paths = SECRETS.split_whitespace().map(|name| home.join(name));
    let both = |path: PathBuf| [path.canonicalize().ok(), Some(path)];
    paths.flat_map(both).flatten().collect()
}

/// Finds paths that together cover everything below `folder` except hidden parts. Landlock can only allow, so the
/// neighbors of hidden paths are allowed instead.
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

/// Version of the known rules; an older kernel is asked only for those that it supports.
const ABI_KNOWN: ABI = ABI::V6;
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// Names below the home folder: keys, passwords, and places where browsers keep theirs.
const SECRETS: &str = ".ssh .gnupg .aws .azure .kube .docker .netrc .npmrc .pypirc .git-credentials .gitconfig .pgpass .my.cnf \
    .vault-token .claude .claude.json .codex .gemini .cursor .password-store .age .sops .terraform.d .m2/settings.xml \
    .m2/settings-security.xml .gradle/gradle.properties .gem/credentials .bash_history .zsh_history .python_history \
    .psql_history .mysql_history .node_repl_history .cargo/credentials .cargo/credentials.toml .config/gcloud .config/gh \
    .config/glab-cli .config/git .config/rclone .config/sops .config/op .config/hub .config/google-chrome .config/chromium \
    .config/BraveSoftware .config/microsoft-edge .config/Slack .config/Signal .config/pip .config/uv .config/github-copilot \
    .mozilla .thunderbird .local/share/keyrings .local/share/kwalletd .local/share/uv/credentials .local/state \
    .cache/huggingface/token .huggingface snap";

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
