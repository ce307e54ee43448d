//! Makes the files of a board's directory those of a folder here; only what differs is sent:
//!
//! ```sh
//! cargo run --example sync -- /dev/ttyACM0 src /app
//! ```

use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

use flylead_core::board::NewEntry;
use flylead_native::Board;
use sha2::{Digest as _, Sha256};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = env::args().skip(1).collect();
    let [address, from, to] = words.as_slice() else {
        return Err("sync ADDRESS FOLDER DIRECTORY".into());
    };
    let mut board = Board::connect(&address.parse()?).await?;

    // What the board has, by name; it hashes its files itself.
    let mut there = BTreeMap::new();
    if board.exists(to.as_str()).await? {
        there.insert(to.clone(), None);
        for entry in board.tree(to.as_str(), true).await? {
            there.insert(format!("{to}/{}", entry.name), entry.sha256);
        }
    }

    let mut entries = vec![NewEntry::Directory { path: to.clone() }];
    list(Path::new(from), to, &mut entries)?;
    entries.retain(|entry| match entry {
        NewEntry::Directory { path } => !there.contains_key(path),
        NewEntry::File { path, data } | NewEntry::Overwrite { path, data } => {
            there.get(path) != Some(&Some(Sha256::digest(data).into()))
        }
    });
    for entry in &entries {
        println!("{}", entry.path());
    }
    let written = board.write_tree(entries, |_| ()).await?;
    println!("{} bytes", written.bytes);
    board.release().await?;
    Ok(())
}

/// All that is below a folder, directories before what is in them.
fn list(folder: &Path, to: &str, entries: &mut Vec<NewEntry>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let path = format!("{to}/{}", name.to_str().ok_or("a name is not UTF-8")?);
        if entry.path().is_dir() {
            entries.push(NewEntry::Directory { path: path.clone() });
            list(&entry.path(), &path, entries)?;
        } else {
            let data = fs::read(entry.path())?;
            entries.push(NewEntry::File { path, data });
        }
    }
    Ok(())
}
