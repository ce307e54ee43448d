//! View of the computer for commands: the system's programs, the user's toolchains, and nothing else.
//!
//! It lists visible entries rather than hidden ones, so a secret in an unexpected place stays invisible.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::os::state;

/// Entry of the computer that the sandbox shows at its own path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shown {
    /// A file, or a folder with all of its content, read-only.
    ReadOnly(PathBuf),
    /// A link, as it is.
    Link { at: PathBuf, to: PathBuf },
    /// Hidden entry of a visible folder: an empty file or folder is in its place.
    Hidden(PathBuf),
}

/// Visible entries, looked up once.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// User's home folder, all links resolved. In the sandbox it is empty.
    pub(super) home: Option<PathBuf>,
    /// Entries of the system.
    pub(super) system: Vec<Shown>,
    /// Toolchains and their downloads, most of them in the home folder.
    pub(super) tools: Vec<Shown>,
    /// `PATH` as it is in the sandbox, without folders that do not exist there.
    pub(super) path: Vec<PathBuf>,
    workspace: PathBuf,
}

impl View {
    pub(super) fn of(workspace: &Path, network: bool) -> Self {
        let home = state::home().and_then(|home| home.canonicalize().ok());
        let home = home.filter(|home| home.parent().is_some());
        let mut view = Self {
            home,
            system: Vec::new(),
            tools: Vec::new(),
            path: path_folders(),
            workspace: workspace.to_owned(),
        };
        view.show_system(network);
        view.show_tools();
        view.show_path();
        view
    }

    fn show_system(&mut self, network: bool) {
        for path in SYSTEM.map(Path::new) {
            match path.read_link() {
                Ok(to) => self.system.push(Shown::Link {
                    at: path.to_owned(),
                    to,
                }),
                Err(_) if path.is_dir() => self.system.push(Shown::ReadOnly(path.to_owned())),
                Err(_) => {}
            }
        }
        let private = private_entries(Path::new("/etc"));
        self.system.extend(private.into_iter().map(Shown::Hidden));
        // systemd-resolved and NetworkManager keep the addresses of name servers below /run.
        let resolver = Path::new("/etc/resolv.conf").canonicalize();
        let resolver = resolver.ok().filter(|path| !path.starts_with("/etc"));
        self.system
            .extend(resolver.filter(|_| network).map(Shown::ReadOnly));
    }

    fn show_tools(&mut self) {
        let Some(home) = self.home.clone() else {
            return;
        };
        let variable = |name: &str| env::var_os(name).map(PathBuf::from);
        let named = FOLDERS_NAMED.iter().filter_map(|name| variable(name));
        let usual = TOOLS.iter().map(|name| home.join(name));
        let go = variable("GOPATH").unwrap_or_else(|| home.join("go"));
        let go = env::split_paths(&go).flat_map(|path| ["bin", "pkg"].map(|name| path.join(name)));
        let go: Vec<_> = go.collect();
        for path in usual.chain(named).chain(go) {
            self.show_tool(&home, &path);
        }
        let cargo = variable("CARGO_HOME").unwrap_or_else(|| home.join(".cargo"));
        self.show_tool(&home, &cargo);
        let secrets = CARGO_SECRETS.map(|name| cargo.join(name)).into_iter();
        let secrets = secrets.filter(|path| path.exists());
        let settings = ["config.toml", "config"]
            .map(|name| cargo.join(name))
            .into_iter();
        let settings = settings.filter(|path| holds_a_token(path));
        self.tools
            .extend(secrets.chain(settings).map(Shown::Hidden));
    }

    /// Shows a folder unless it is already visible through another one, is in the workspace, or would show the home
    /// folder.
    fn show_tool(&mut self, home: &Path, path: &Path) {
        let Ok(real) = path.canonicalize() else {
            return;
        };
        let is_known = self.shows(path) || real.starts_with(&self.workspace);
        if !is_known && !home.starts_with(&real) {
            self.tools.push(Shown::ReadOnly(path.to_owned()));
        }
    }

    /// Shows the folders of `PATH`, and for many of their programs the neighboring folders that they need.
    fn show_path(&mut self) {
        let home = self.home.clone().unwrap_or_default();
        for folder in self.path.clone() {
            self.show_tool(&home, &folder);
            let above = folder.parent().filter(|_| folder.ends_with("bin"));
            // There, the neighbors belong to everything.
            let is_own = |above: &&Path| *above != home && !above.ends_with(".local");
            if let Some(above) = above.filter(is_own) {
                for name in BESIDE_BIN {
                    self.show_tool(&home, &above.join(name));
                }
            }
        }
        let mut path = std::mem::take(&mut self.path);
        path.retain(|folder| folder.starts_with(&self.workspace) || self.shows(folder));
        self.path = path;
    }

    /// Returns the folders of `PATH` in which commands can change programs, because they are in the workspace.
    pub(super) fn changeable_path(&self) -> impl Iterator<Item = &Path> {
        let inside = |folder: &&PathBuf| folder.starts_with(&self.workspace);
        self.path.iter().filter(inside).map(PathBuf::as_path)
    }

    /// Returns true if a path is visible in the sandbox.
    pub(super) fn shows(&self, path: &Path) -> bool {
        let mut hidden = false;
        let mut shown = false;
        for it in self.system.iter().chain(&self.tools) {
            match it {
                Shown::ReadOnly(at) | Shown::Link { at, .. } => shown |= path.starts_with(at),
                Shown::Hidden(at) => hidden |= path.starts_with(at),
            }
        }
        shown && !hidden
    }
}

/// Lists the existing folders of `PATH`, all links resolved, each once.
pub(super) fn path_folders() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in env::split_paths(&path).filter(|folder| folder.is_absolute()) {
        if let Ok(folder) = folder.canonicalize()
            && !folders.contains(&folder)
        {
            folders.push(folder);
        }
    }
    folders
}

/// Returns the entries that only privileged users may read: password hashes, host keys, network passwords. The
/// administrator could read them, and so could a command that the administrator runs.
fn private_entries(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            let needed = if metadata.is_dir() { 0o005 } else { 0o004 };
            let is_open = mode(&metadata) & needed == needed;
            match (metadata.is_symlink(), is_open, metadata.is_dir()) {
                (true, ..) | (false, true, false) => {}
                (false, true, true) => folders.push(entry.path()),
                (false, false, _) if is_readable(&entry.path()) => found.push(entry.path()),
                (false, false, _) => {}
            }
        }
    }
    found
}

fn is_readable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok()
}

/// Returns true if Cargo's settings contain a token, which Cargo also accepts there.
fn holds_a_token(settings: &Path) -> bool {
    fs::read_to_string(settings).is_ok_and(|text| text.contains("token"))
}

fn mode(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(metadata)
}

const SYSTEM: [&str; 12] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/var/lib/ca-certificates",
];

/// Names below the home folder: toolchains, their packages, and programs put there by installers. None of them keeps a
/// password there; those that do, such as Maven, Gradle and Cargo, are shown in part.
const TOOLS: [&str; 43] = [
    ".rustup",
    ".pyenv",
    ".nvm",
    ".volta",
    ".fnm",
    ".bun/bin",
    ".deno/bin",
    ".asdf",
    ".rbenv",
    ".rvm",
    ".nodenv",
    ".jenv",
    ".sdkman",
    ".ghcup",
    ".opam",
    ".elan",
    ".juliaup",
    ".dotnet",
    ".swiftly",
    ".pixi/bin",
    ".pixi/envs",
    ".platformio/packages",
    ".platformio/penv",
    ".platformio/platforms",
    ".espressif",
    ".nuget/packages",
    ".m2/repository",
    ".gradle/caches",
    ".gradle/wrapper",
    "miniconda3",
    "anaconda3",
    "miniforge3",
    "mambaforge",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".local/share/mise/installs",
    ".local/share/mise/shims",
];

/// Variables that give such a folder another place.
const FOLDERS_NAMED: [&str; 11] = [
    "RUSTUP_HOME",
    "PYENV_ROOT",
    "NVM_DIR",
    "VOLTA_HOME",
    "GOROOT",
    "GOMODCACHE",
    "JAVA_HOME",
    "SDKMAN_DIR",
    "CONDA_PREFIX",
    "VIRTUAL_ENV",
    "DOTNET_ROOT",
];

const CARGO_SECRETS: [&str; 2] = ["credentials.toml", "credentials"];
const BESIDE_BIN: [&str; 4] = ["lib", "lib64", "libexec", "include"];

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_not_everybody_may_read_is_found() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        for (name, mode) in [
            ("a/shadow", 0o640),
            ("a/passwd", 0o644),
            ("ssl/private/key", 0o644),
        ] {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), "").unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::set_permissions(at("ssl/private"), fs::Permissions::from_mode(0o710)).unwrap();
        let mut found = private_entries(top.path());
        found.sort();
        assert_eq!(found, [at("a/shadow"), at("ssl/private")]);
    }
}
