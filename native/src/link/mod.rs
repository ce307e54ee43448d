//! Opens a byte stream to an address.
//!
//! ```no_run
//! # async fn talk() -> Result<(), flylead_native::link::OpenError> {
//! use flylead_native::link::{self, Address};
//!
//! let address: Address = "tcp://192.168.4.1:2323".parse().unwrap();
//! let link = link::open(&address).await?;
//! # drop(link);
//! # Ok(())
//! # }
//! ```
//!
//! Only this module deals with ports, passwords, baud rates and child processes; drivers and protocols do not.

mod address;
pub mod doctor;
mod error;
pub mod labgrid;
pub mod names;
mod open;
mod options;
mod ports;
mod recovery;
mod speed;
mod stream;
pub(crate) mod transport;
pub mod turn;

pub use address::{Address, AddressError, Secret};
pub use error::OpenError;
pub use names::name::is_name;
pub(crate) use names::place::place_of;
pub use names::place::{Place, at_baud, find, lasting, resolve};
pub(crate) use open::open_where_it_is;
pub use open::{ask_idle, open, open_idle, open_with, open_within, shared};
pub use options::{CONNECT_TIMEOUT, NewsListener, Options};
#[cfg(target_os = "linux")]
pub(crate) use ports::boot_loader::with_numbers;
pub use ports::boot_loader::{BootLoader, boot_loaders};
#[cfg(target_os = "linux")]
pub(crate) use ports::permission::remedy;
pub use ports::port::{Port, Usb};
pub use ports::{check_is_no_port, ports, same_board};
pub use recovery::{NotRestarted, Recovery};
pub use speed::{Speed, USUAL_SPEEDS};
pub use stream::Link;
pub use transport::controls::LinkControls;
