//! An image of a folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use flylead::{
    disk,
    romfs::{Entry, image},
};
use serde_json::json;

use super::{Common, Exit, Failure, Mpy};
use crate::cmd::{
    fs::{Compiler, compiled_name, here, in_thread},
    terminal::print_line,
};

pub(super) async fn run(
    folder: &Path,
    output: Option<PathBuf>,
    mpy: &Mpy,
    common: &Common,
) -> Result<Exit, Failure> {
    let compiler = match mpy.is_wanted() {
        true => {
            let mut board = common.board().await?;
            let compiler = mpy.compiler(&mut board).await;
            common.leave(board).await;
            compiler?
        }
        false => None,
    };
    let image = image_of(folder, compiler.as_ref()).await?;
    let output = output.unwrap_or_else(|| {
        let mut name = folder.components().as_path().as_os_str().to_owned();
        name.push(".romfs");
        name.into()
    });
    disk::replace(&output, &image).map_err(here(&output))?;
    let path = output.display();
    print_line(match common.json {
        true => json!({ "image": output, "bytes": image.len() }).to_string(),
        false => format!("{path}: {} bytes", image.len()),
    })?;
    Ok(Exit::Done)
}

/// The image of a folder, its sources compiled where there is a compiler.
pub(super) async fn image_of(
    folder: &Path,
    compiler: Option<&Compiler>,
) -> Result<Vec<u8>, Failure> {
    let root = folder.to_owned();
    let mut entries = in_thread(move || Ok(read(&root, 0).map_err(here(&root)))).await??;
    if let Some(compiler) = compiler {
        compile(&mut entries, "", folder, compiler).await?;
    }
    Ok(image(&entries))
}

/// The files and folders, by name.
fn read(folder: &Path, depth: usize) -> io::Result<Vec<(String, Entry)>> {
    if depth > DEEPEST {
        let why = format!("{} is too deep: does a link lead back?", folder.display());
        return Err(io::Error::other(why));
    }
    let mut entries = Vec::new();
    for found in fs::read_dir(folder)? {
        let path = found?.path();
        let name = path.file_name().unwrap_or_default();
        let name = name.to_str().ok_or_else(|| {
            io::Error::other(format!("{} has a name that is no text", path.display()))
        })?;
        let entry = match path.is_dir() {
            true => Entry::Folder(read(&path, depth + 1)?),
            false => Entry::File(fs::read(&path)?),
        };
        entries.push((name.to_owned(), entry));
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(entries)
}

/// Compiles the sources among these, which are called by their path in the image.
async fn compile(
    entries: &mut [(String, Entry)],
    above: &str,
    folder: &Path,
    compiler: &Compiler,
) -> Result<(), Failure> {
    for (name, entry) in entries {
        let path = format!("{above}{name}");
        match entry {
            Entry::Folder(inner) => {
                let above = format!("{path}/");
                Box::pin(compile(inner, &above, folder, compiler)).await?;
            }
            Entry::File(content) => {
                if let Some(compiled) = compiled_name(name) {
                    let from = folder.join(&path).display().to_string();
                    *content = compiler.compile(&path, &from, content).await?;
                    *name = compiled;
                }
            }
        }
    }
    Ok(())
}

/// More folders in each other than a board's path has room for.
const DEEPEST: usize = 32;
