//! Mounts a local folder on a board, as a file system that the board's programs import from, read and write.
//!
//! ```text
//!   board ◄──Link──► Session ◄──Link──► a person at the prompt, or a `Board`
//!                       │
//!                     Folder
//! ```
//!
//! ```no_run
//! # async fn talk() -> Result<(), Box<dyn std::error::Error>> {
//! use flylead_native::{Board, link, mount::{Folder, Options, Session}};
//!
//! let link = link::open(&"/dev/ttyACM0".parse()?).await?;
//! let session = Session::start(link, Folder::open("src".as_ref())?, Options::default()).await?;
//! let mut board = Board::attach(session.attach().await?, Default::default(), None);
//! board.exec("import main").await?;
//! board.release().await?;
//! session.end().await;
//! # Ok(())
//! # }
//! ```

mod compiled;
mod error;
mod folder;
mod session;

pub use compiled::Compile;
pub use error::MountError;
pub use folder::{Folder, Written};
pub use session::{News, NewsListener, Options, Session};
