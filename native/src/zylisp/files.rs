//! The files that `load-file` may read.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use flylead_core::zylisp::lang::Source;

/// Reads a file below one of the roots, of at most `limit` bytes, or returns the reason for a refusal. Relative paths
/// begin at the roots.
pub(super) async fn load(
    roots: Vec<PathBuf>,
    path: String,
    limit: usize,
) -> Result<Source, String> {
    in_background(move || read(&roots, Path::new(&path), limit)).await
}

/// Reads any file of at most `limit` bytes, for a caller that could read it anyway, or returns the reason for a
/// refusal.
pub(super) async fn load_any(path: String, limit: usize) -> Result<Source, String> {
    in_background(move || {
        let file = Path::new(&path);
        // A pipe might block its reader forever.
        if file.exists() && !file.is_file() {
            return Err(format!(
                "failed to read file: {path}: it is not a regular file"
            ));
        }
        explained(file, file, limit)
    })
    .await
}

async fn in_background(
    read: impl FnOnce() -> Result<Source, String> + Send + 'static,
) -> Result<Source, String> {
    tokio::task::spawn_blocking(read)
        .await
        .unwrap_or_else(|_| Err("the file could not be read".into()))
}

fn read(roots: &[PathBuf], path: &Path, limit: usize) -> Result<Source, String> {
    if roots.is_empty() {
        return Err("this server loads no files; it was given no folder to load them from".into());
    }
    let found = roots.iter().find_map(|root| below(root, path));
    // A file elsewhere is reported like one that does not exist.
    let file = found.ok_or_else(|| {
        format!(
            "no such file below the server's folders: {}",
            path.display()
        )
    })?;
    explained(&file, path, limit)
}

fn explained(file: &Path, path: &Path, limit: usize) -> Result<Source, String> {
    contents(file, limit)
        .map(|code| Source::of_file(&path.to_string_lossy(), code))
        .map_err(|error| format!("failed to read file: {}: {error}", path.display()))
}

/// Returns the file, if it is one and all links in its path stay below the root.
fn below(root: &Path, path: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    let file = root.join(path).canonicalize().ok()?;
    (file.starts_with(&root) && file.is_file()).then_some(file)
}

fn contents(file: &Path, limit: usize) -> io::Result<String> {
    use io::Read;
    let mut source = String::new();
    let length = fs::File::open(file)?
        .take(limit as u64 + 1)
        .read_to_string(&mut source)?;
    if length > limit {
        return Err(io::Error::other(format!("longer than {limit} bytes")));
    }
    Ok(source)
}
