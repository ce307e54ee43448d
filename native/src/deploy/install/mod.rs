//! Installs MicroPython packages, in the format of its own installer, `mip`.
//!
//! ```text
//!   NAME[@VERSION] ──► Plan ──wants──► package.json ──► Plan ──► files: where to, where from, which hash
//!                       ▲                                │
//!                       └────── what it depends on ──────┘
//! ```
//!
//! A [`Plan`] decides, and does no I/O. A [`Fetcher`] reads folders and speaks HTTP, within limits of size and time.
//! [`resolve`] brings both together. Nothing here writes to a board, so an incomplete package, or a wrong hash
//! anywhere, is detected before the first byte is written.

mod error;
mod fetch;
mod manifest;
mod plan;
mod request;
mod source;

pub use error::Error;
pub use fetch::Fetcher;
pub use manifest::ShortHash;
pub use plan::{File, Options, Plan, Wanted};
pub use source::Source;

/// Reads everything that the plan wants, and returns the files in the order they were named.
///
/// # Errors
/// A package cannot be read, names an illegal path or address, or two packages claim the same path.
pub async fn resolve(mut plan: Plan, fetcher: &Fetcher) -> Result<Vec<File>, Error> {
    while let Some(wanted) = plan.next_wanted() {
        let (source, bytes) = first(&wanted, fetcher).await?;
        plan.add_manifest(&wanted, &source, &bytes)?;
    }
    Ok(plan.into_files())
}

/// Reads the manifest from the first source that has it.
async fn first(wanted: &Wanted, fetcher: &Fetcher) -> Result<(Source, Vec<u8>), Error> {
    for source in &wanted.sources {
        match fetcher.fetch(source, MAX_MANIFEST).await {
            Err(Error::NotFound { .. }) => {}
            read => return Ok((source.clone(), read?)),
        }
    }
    Err(Error::NoPackage {
        name: wanted.name.clone(),
        tried: wanted.sources.clone(),
    })
}

/// Size limit of a package.json, in bytes.
const MAX_MANIFEST: u64 = 1 << 20;
