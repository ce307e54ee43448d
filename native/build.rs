//! Puts the page into the command: the files that `cargo xtask web` has built, as a table of what to answer browsers.

use std::{
    env,
    fmt::Write as _,
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_CLI").is_none() {
        return Ok(());
    }
    let page = page_folder()?;
    let mut files = Vec::new();
    list(&page, &mut files)?;
    files.sort();
    if !files.iter().any(|file| file.ends_with("index.html")) {
        println!(
            "cargo::warning=this `flylead` will have no page for `flylead serve`; for one, run `cargo xtask web` first (it needs Node)"
        );
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("page.rs"), table(&page, &files)?)
}

/// Beside the sources of the page in its repository, or in the published package.
fn page_folder() -> io::Result<PathBuf> {
    let built = Path::new("../web/dist");
    if !Path::new("../web/package.json").is_file() {
        return Ok("page".into());
    }
    // A folder that is not there would count as changed at every build.
    fs::create_dir_all(built)?;
    Ok(built.into())
}

/// All files below a folder.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => list(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// The files as an expression of Rust.
fn table(page: &Path, files: &[PathBuf]) -> io::Result<String> {
    let mut table = String::from("&[\n");
    for file in files.iter().filter(|file| !is_packed(file)) {
        let path = file.strip_prefix(page).map_err(io::Error::other)?;
        let path = path.to_string_lossy().replace('\\', "/");
        let (kind, tag, content) = (kind(file), tag(file)?, content(file)?);
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "File {{ path: {path:?}, kind: {kind:?}, tag: {tag:?}, content: {content} }},"
        );
    }
    Ok(table + "]\n")
}

/// Whether it is another file, compressed.
fn is_packed(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    extension == Some("br") && file.with_extension("").is_file()
}

/// A file that is there compressed is not needed as it is.
fn content(file: &Path) -> io::Result<String> {
    let mut packed = file.as_os_str().to_owned();
    packed.push(".br");
    let packed = PathBuf::from(packed);
    Ok(match packed.is_file() {
        true => format!(
            "Content::Packed(include_bytes!({:?}))",
            fs::canonicalize(packed)?
        ),
        false => format!(
            "Content::Plain(include_bytes!({:?}))",
            fs::canonicalize(file)?
        ),
    })
}

/// What changes when the content does.
fn tag(file: &Path) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    fs::read(file)?.hash(&mut hasher);
    Ok(format!("\"{:016x}\"", hasher.finish()))
}

/// The media type, as IANA registers them.
fn kind(file: &Path) -> &'static str {
    let extension = file.extension().and_then(|extension| extension.to_str());
    match extension.unwrap_or_default() {
        "css" => "text/css",
        "html" => "text/html",
        "ico" => "image/vnd.microsoft.icon",
        "js" | "mjs" => "text/javascript",
        "json" | "map" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" => "text/plain",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}
