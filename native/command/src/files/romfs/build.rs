//! `flylead romfs build`: builds the image of a folder.

use std::{
    fs,
    iter::Peekable,
    path::{Path, PathBuf},
};

use flylead_native::{
    deploy::Rules,
    disk,
    romfs::{Entry, image},
};
use serde_json::json;

use super::{Common, Exit, Failure, Mpy};
use crate::{
    files::fs::{Compiler, Content, Item, Skipped, here, refuse_collisions, tree_items},
    terminal::print_line,
};

pub(super) async fn run(
    folder: &Path,
    output: Option<PathBuf>,
    rules: Rules,
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
    let image = image_of(folder, rules, compiler.as_ref(), common).await?;
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

/// Builds the image of a folder, with its sources compiled if there is a compiler. The image has the whole folder, or
/// is not built.
pub(super) async fn image_of(
    folder: &Path,
    rules: Rules,
    compiler: Option<&Compiler>,
    common: &Common,
) -> Result<Vec<u8>, Failure> {
    let mut skipped = Skipped::default();
    let mut items = tree_items(folder, "", rules, &mut skipped)?;
    if skipped.report(common)? != Exit::Done {
        let message = format!(
            "{}: an image must contain the whole folder, but cannot hold these entries",
            folder.display()
        );
        return Err(Failure::new(Exit::Usage, message));
    }
    if let Some(compiler) = compiler {
        items = compiler.compile_items(items).await?;
    }
    let files = items.iter();
    let files = files.filter_map(|item| Some((item.path.as_str(), item.from()?.display())));
    refuse_collisions("", files)?;
    // A folder's content follows the folder.
    items.sort_by(|one, other| one.path.split('/').cmp(other.path.split('/')));
    Ok(image(&entries(&mut items.into_iter().peekable(), "")?))
}

/// Consumes the items below a folder and returns them as its entries.
fn entries(
    items: &mut Peekable<impl Iterator<Item = Item>>,
    above: &str,
) -> Result<Vec<(String, Entry)>, Failure> {
    let mut found = Vec::new();
    while let Some(item) = items.next_if(|item| item.path.starts_with(above)) {
        let entry = match item.content {
            Content::Directory => Entry::Folder(entries(items, &format!("{}/", item.path))?),
            Content::File(from) => Entry::File(fs::read(&from).map_err(here(&from))?),
            Content::Bytes(content, _) => Entry::File(content),
        };
        found.push((item.path[above.len()..].to_owned(), entry));
    }
    Ok(found)
}
