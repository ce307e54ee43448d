//! Writes an image to a ROM partition.

use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use flylead_core::{board::Progress, raw_repl::own, to_hexadecimal};
use flylead_native::{Board, deploy::Rules, romfs::size};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{
    Common, Exit, Failure, Mpy,
    build::image_of,
    query::{Partition, partitions},
};
use crate::{
    files::fs::{Bar, here},
    terminal::print_line,
};

pub(super) async fn run(
    source: &Path,
    number: u32,
    rules: Rules,
    mpy: &Mpy,
    common: &Common,
) -> Result<Exit, Failure> {
    let work = async |board: &mut Board| {
        let partition = find(board, number).await?;
        let image = match source.is_dir() {
            true => {
                let compiler = mpy.compiler(board).await?;
                image_of(source, rules, compiler.as_ref(), common).await?
            }
            false => read(source)?,
        };
        if image.len() > partition.size {
            let message = format!(
                "the image has {} bytes, but partition {number} has only {}; nothing was changed",
                image.len(),
                partition.size
            );
            return Err(Failure::new(Exit::Refused, message));
        }
        let bar = Bar::new(common, "romfs", Some(image.len() as u64));
        write(board, partition, &image, &bar).await?;
        bar.clear();
        check(board, &image).await?;
        print_line(match common.json {
            true => json!({ "partition": number, "bytes": image.len() }).to_string(),
            false => format!(
                "{} bytes written to partition {number} and verified; the board mounts the image as /rom after a restart",
                image.len()
            ),
        })?;
        Ok(Exit::Done)
    };
    common.with_board(work).await
}

async fn find(board: &mut Board, number: u32) -> Result<Partition, Failure> {
    let all = partitions(board).await?;
    let found = all.iter().find(|partition| partition.number == number);
    found.copied().ok_or_else(|| {
        let message = match all.is_empty() {
            true => "the board has no ROM partition: its MicroPython is older than 1.25, or was built without ROMFS".to_owned(),
            false => format!("the board has no ROM partition {number}; `flylead romfs query` lists those it has"),
        };
        Failure::new(Exit::Refused, message)
    })
}

fn read(source: &Path) -> Result<Vec<u8>, Failure> {
    let image = std::fs::read(source).map_err(here(source))?;
    if size(&image) == Some(image.len() as u64) {
        return Ok(image);
    }
    let message = format!(
        "{} is not a complete ROMFS image; `flylead romfs build FOLDER` makes one",
        source.display()
    );
    Err(Failure::new(Exit::Usage, message))
}

/// Erases the space for the image, and writes it piece by piece, as mpremote does (MicroPython v1.29,
/// `tools/mpremote/mpremote/commands.py`, `_do_romfs_deploy`).
async fn write(
    board: &mut Board,
    partition: Partition,
    image: &[u8],
    bar: &Bar,
) -> Result<(), Failure> {
    let Partition { number, block, .. } = partition;
    let least = board.exec(own(&prepare(partition, image.len()))).await?;
    let least = String::from_utf8_lossy(&least).trim().parse().unwrap_or(0);
    let piece = match partition.is_device {
        true => PIECE.min(block),
        false => PIECE.max(least),
    };
    for (index, part) in image.chunks(piece).enumerate() {
        let offset = index * piece;
        let mut part = part.to_vec();
        part.resize(piece.min(partition.size - offset), 0);
        let data = BASE64.encode(&part);
        board
            .exec(own(&format!("__fl__['w']({offset},b'{data}')")))
            .await?;
        let done = (offset + piece).min(image.len()) as u64;
        bar.set(Progress {
            done,
            total: Some(image.len() as u64),
            entries: 0,
        });
    }
    if !partition.is_device {
        board
            .exec(own(&format!("import vfs\nvfs.rom_ioctl(5,{number})\n")))
            .await?;
    }
    Ok(())
}

/// Returns a program that unmounts the partition, erases its beginning, and keeps the object that writes. It prints the
/// minimum number of bytes to write at once.
fn prepare(partition: Partition, length: usize) -> String {
    let Partition {
        number,
        size,
        block,
        is_device,
        ..
    } = partition;
    let begin = format!(
        "import vfs\nfrom binascii import a2b_base64 as a\ntry:vfs.umount('/rom')\nexcept OSError:pass\nd=vfs.rom_ioctl(2,{number})\n__fl__={{'d':d}}\n"
    );
    let erase = match (is_device, block < size) {
        (true, _) => format!(
            "for i in range({}):d.ioctl(6,i)\nprint(0)\n__fl__['w']=lambda o,b:d.writeblocks(o//{block},a(b),o%{block})\n",
            length.div_ceil(block),
        ),
        (false, true) => format!(
            "o=0\nwhile o<{length}:\n n=(min({length}-o,{ERASED})+{block}-1)//{block}*{block}\n m=vfs.rom_ioctl(3,{number},o,n)\n o+=n\nprint(m)\n"
        ),
        (false, false) => format!("print(vfs.rom_ioctl(3,{number},{length}))\n"),
    };
    let write = match is_device {
        true => String::new(),
        false => format!("__fl__['w']=lambda o,b:vfs.rom_ioctl(4,{number},o,a(b))\n"),
    };
    begin + &erase + &write
}

/// Compares the content of the partition with the image.
async fn check(board: &mut Board, image: &[u8]) -> Result<(), Failure> {
    let source = format!(
        "import hashlib\nprint(''.join('%02x'%c for c in hashlib.sha256(memoryview(__fl__['d'])[:{}]).digest()))\ndel __fl__\n",
        image.len()
    );
    let said = board.exec(own(&source)).await?;
    if String::from_utf8_lossy(&said).trim() == to_hexadecimal(&Sha256::digest(image)) {
        return Ok(());
    }
    let message = "the partition does not hold the data written to it; write it again";
    Err(Failure::new(Exit::Refused, message))
}

/// Size of a piece, in bytes.
const PIECE: usize = 4096;
/// Size in bytes: the part erased in one call.
const ERASED: usize = 32 * 1024;
