//! Puts the page into the command: the files that `cargo xtask web` has built, as a table of what to answer browsers.

use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let page = page_folder()?;
    let mut files = BTreeSet::new();
    list(&page, &mut files)?;
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
    let built = Path::new("../../web/dist");
    if !Path::new("../../web/package.json").is_file() {
        return Ok("page".into());
    }
    // A folder that is not there would count as changed at every build.
    fs::create_dir_all(built)?;
    Ok(built.into())
}

/// All files below a folder, whether they are there as they are, compressed, or both.
fn list(folder: &Path, files: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => list(&path, files)?,
            false if is_wanted(&path) => drop(files.insert(as_it_is(path))),
            false => {}
        }
    }
    Ok(())
}

/// Excludes large files that only the checks and the completion of the page need.
/// `web/vite.config.js` lists the same names.
fn is_wanted(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    let is_large = name.is_some_and(|name| LARGE.iter().any(|start| name.starts_with(start)));
    !is_large || env::var_os("CARGO_FEATURE_WRITING").is_some()
}

const LARGE: [&str; 3] = ["ruff_wasm_bg-", "pyright.worker-", "micropython_"];

/// The name of a file that may be there compressed.
fn as_it_is(file: PathBuf) -> PathBuf {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("br") => file.with_extension(""),
        _ => file,
    }
}

/// The files as an expression of Rust.
fn table(page: &Path, files: &BTreeSet<PathBuf>) -> io::Result<String> {
    let mut table = String::from("&[\n");
    for file in files {
        let path = file.strip_prefix(page).map_err(io::Error::other)?;
        let path = path.to_string_lossy().replace('\\', "/");
        let (coding, kept) = kept(file);
        let (kind, tag, kept) = (kind(file), tag(&kept)?, fs::canonicalize(kept)?);
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "File {{ path: {path:?}, kind: {kind:?}, tag: {tag:?}, content: Content::{coding}(include_bytes!({kept:?})) }},"
        );
    }
    Ok(table + "]\n")
}

/// A file that is there compressed is not needed as it is.
fn kept(file: &Path) -> (&'static str, PathBuf) {
    let mut packed = file.as_os_str().to_owned();
    packed.push(".br");
    let packed = PathBuf::from(packed);
    match packed.is_file() {
        true => ("Packed", packed),
        false => ("Plain", file.to_owned()),
    }
}

/// Returns a tag that changes with the content.
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
