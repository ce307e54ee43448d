//! Fetches the log of an experiment from a device that records, whole or not at all:
//!
//! ```sh
//! cargo run --example export -- /dev/ttyUSB0 run001 artifacts
//! ```

use std::{env, error::Error};

use flylead_core::export::{Config, RunId};
use flylead_native::{
    export::{Device, Options, Progress},
    link,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = env::args().skip(1).collect();
    let [address, run_id, artifacts] = words.as_slice() else {
        return Err("export ADDRESS RUN_ID FOLDER".into());
    };
    let link = link::open(&address.parse()?).await?;
    let mut device = Device::attach(link, Config::default(), None);

    let mut options = Options::default();
    options.artifacts = artifacts.into();
    let progress = |progress| {
        if let Progress::Received { bytes } = progress {
            eprintln!("{bytes} bytes");
        }
    };
    let saved = device
        .fetch(&RunId::new(run_id)?, &options, progress)
        .await?;
    println!("{}", saved.path.display());
    println!("{} bytes", saved.manifest.bytes);
    device.close().await;
    Ok(())
}
