//! Measures the time until the folder is back after the board returns.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    time::{Duration, Instant},
};

use flylead_native::{
    link::{self, Link},
    mount::{Folder, Options, Session},
};
use flylead_tests::{
    bench::fail,
    boards::{Faults, UnixBoard, Wire},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

use super::median;

pub(crate) fn resets(count: usize) {
    let board = UnixBoard::booting_in(Duration::from_millis(10));
    let folder = folder();
    measure(
        "soft resets",
        count,
        folder.path().join("src").as_path(),
        board.path(),
        async |link| {
            link.write_all(b"\x04").await.expect("the link is open");
        },
    );
}

pub(crate) fn plugs(count: usize) {
    let board = UnixBoard::start();
    let folder = folder();
    let port = folder.path().join("port");
    let mut wire = Wire::attach(board.path(), Faults::default());
    symlink(wire.path(), &port).expect("it is ours");
    measure(
        "times plugged in again",
        count,
        folder.path().join("src").as_path(),
        &port,
        async |_| {
            fs::remove_file(&port).expect("it is ours");
            wire.unplug();
            wire = Wire::attach(board.path(), Faults::default());
            symlink(wire.path(), &port).expect("it is ours");
        },
    );
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    fs::create_dir(folder.path().join("src")).expect("it is ours");
    fs::write(folder.path().join("src/a.py"), "print('imported', 6*7)\n").expect("it is ours");
    folder
}

/// From the board's restart to the prompt behind which the folder is; and whether a program imports from it then.
fn measure(
    what: &str,
    count: usize,
    folder: &Path,
    port: &Path,
    mut restart: impl AsyncFnMut(&mut Link),
) {
    let runtime = tokio::runtime::Runtime::new().expect("there are threads");
    let mut times = runtime.block_on(async {
        let address = port
            .to_str()
            .expect("it is text")
            .parse()
            .expect("it is a port");
        let link = link::open(&address)
            .await
            .unwrap_or_else(|fault| fail(&fault.to_string()));
        let files = Folder::open(folder).expect("it is there");
        let mut options = Options::default();
        options.again = Some(address);
        let session = Session::start(link, files, options).await;
        let session = session.unwrap_or_else(|fault| fail(&fault.to_string()));
        let mut link = session
            .attach_lasting()
            .await
            .unwrap_or_else(|fault| fail(&fault.to_string()));
        link.write_all(b"print('re'+'ady')\r")
            .await
            .expect("the link is open");
        until(&mut link, "ready\n>>> ").await;
        let mut times = Vec::new();
        for _ in 0..count {
            restart(&mut link).await;
            let start = Instant::now();
            until(&mut link, "information.\r\n>>> ").await;
            times.push(start.elapsed());
            link.write_all(b"import a,sys;del sys.modules['a']\r")
                .await
                .expect("the link is open");
            until(&mut link, "imported 42\n>>> ").await;
        }
        session.end().await;
        times
    });
    times.sort_unstable();
    let (longest, most) = (times[times.len() - 1], median(times));
    println!(
        "{count} {what}: the folder was back each time, after {most:.0?}, {longest:.0?} at most"
    );
}

async fn until(link: &mut Link, text: &str) {
    let mut seen = Vec::new();
    let reading = async {
        while !seen.ends_with(text.as_bytes()) {
            match link.read_u8().await {
                Ok(byte) => seen.push(byte),
                Err(fault) => fail(&fault.to_string()),
            }
        }
    };
    if timeout(Duration::from_secs(60), reading).await.is_err() {
        fail(&format!(
            "no {text:?} in {:?}",
            String::from_utf8_lossy(&seen)
        ));
    }
}
