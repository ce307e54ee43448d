//! Versions, and settings of this user.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::{Area, Finding};
use crate::{link::names::Names, os::state};

pub(super) fn examine() -> Vec<Finding> {
    let mut findings = vec![Area::Versions.ok(format!(
        "flylead {} on {}",
        env!("CARGO_PKG_VERSION"),
        system()
    ))];
    findings.extend(others(&on_path(), env::current_exe().ok()));
    findings.push(names());
    let set = variables();
    if !set.is_empty() {
        let text = format!("set in the environment: {}", set.join(", "));
        findings.push(Area::Settings.note(text));
    }
    findings
}

/// Returns the operating system and its kernel, as far as files tell.
fn system() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    let parts = [
        Some(format!("{} {}", env::consts::OS, env::consts::ARCH)),
        name.map(|name| name.trim_matches('"').to_owned()),
        kernel.map(|kernel| format!("kernel {}", kernel.trim())),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// Lists each `flylead` on the `PATH`, in search order.
fn on_path() -> Vec<PathBuf> {
    let name = format!("flylead{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH").unwrap_or_default();
    let files = env::split_paths(&path).map(|folder| folder.join(&name));
    let mut found: Vec<PathBuf> = Vec::new();
    for file in files.filter_map(|file| fs::canonicalize(file).ok()) {
        if file.is_file() && !found.contains(&file) {
            found.push(file);
        }
    }
    found
}

/// Returns a finding about several commands of one name, of which a shell takes the first.
fn others(on_path: &[PathBuf], own: Option<PathBuf>) -> Option<Finding> {
    let own = fs::canonicalize(own?).ok()?;
    let first = on_path.first()?;
    let shown = |path: &Path| without_home(path, state::home().as_deref());
    if *first != own {
        let text = format!(
            "a shell starts {} for `flylead`, but this is {}",
            shown(first),
            shown(&own)
        );
        let advice = "uninstall one of them, or change the order of PATH";
        return Some(Area::Versions.note(text).advising(advice));
    }
    let rest: Vec<_> = on_path[1..].iter().map(|path| shown(path)).collect();
    let text = format!("there are more on the PATH: {}", rest.join(", "));
    (!rest.is_empty()).then(|| Area::Versions.note(text))
}

/// Returns a path without the user's name in it.
fn without_home(path: &Path, home: Option<&Path>) -> String {
    let inside = home.and_then(|home| path.strip_prefix(home).ok());
    match inside {
        Some(inside) => Path::new("~").join(inside).display().to_string(),
        None => path.display().to_string(),
    }
}

fn names() -> Finding {
    match Names::load() {
        Ok(names) => Area::Settings.ok(format!("{} boards have names", names.iter().count())),
        Err(error) => Area::Settings.fault(error.to_string()),
    }
}

/// Lists the names of our environment variables that are set. Their values may be secrets.
fn variables() -> Vec<String> {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut ours: Vec<_> = names.filter(|name| name.starts_with("FLYLEAD_")).collect();
    ours.sort();
    ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_home_folder_tells_no_name() {
        let home = Some(Path::new("/home/ada"));
        let shown = |path: &str| without_home(Path::new(path), home);
        assert_eq!(
            shown("/home/ada/.cargo/bin/flylead"),
            "~/.cargo/bin/flylead"
        );
        assert_eq!(shown("/usr/bin/flylead"), "/usr/bin/flylead");
    }

    #[test]
    fn another_command_that_a_shell_would_start_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["a", "b"].map(|name| fs::canonicalize(folder.path()).unwrap().join(name));
        for file in &files {
            fs::write(file, "").unwrap();
        }
        let told = |own: usize| others(&files, Some(files[own].clone())).unwrap().text;
        assert!(told(0).starts_with("there are more on the PATH: "));
        assert!(told(1).contains("a shell starts "));
        assert_eq!(others(&files[..1], Some(files[0].clone())), None);
        assert_eq!(others(&[], Some(files[0].clone())), None);
    }
}
