//! Opens a byte stream to an address.
//!
//! ```no_run
//! # async fn talk() -> Result<(), flylead::link::OpenError> {
//! use flylead::link::{self, Address};
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
mod boot_loader;
pub(crate) mod buffers;
mod controls;
pub mod doctor;
mod error;
pub(crate) mod hub;
pub mod labgrid;
mod name;
pub mod names;
mod open;
mod options;
#[cfg(target_os = "linux")]
mod permission;
mod place;
mod port;
mod ports;
#[cfg(unix)]
mod process;
mod rfc2217;
#[cfg(unix)]
mod serial;
#[cfg(windows)]
#[path = "serial_windows.rs"]
mod serial;
mod socket;
mod speed;
mod stream;
#[cfg(unix)]
mod tty;
pub mod turn;
mod websocket;

pub use address::{Address, AddressError, Secret};
#[cfg(target_os = "linux")]
pub(crate) use boot_loader::with_numbers;
pub use boot_loader::{BootLoader, boot_loaders};
pub use controls::LinkControls;
pub use error::OpenError;
pub use name::is_name;
pub(crate) use open::{ask_idle, open_where_it_is};
pub use open::{open, open_idle, open_with, open_within};
pub use options::{CONNECT_TIMEOUT, NewsListener, Options};
#[cfg(target_os = "linux")]
pub(crate) use permission::remedy;
pub(crate) use place::place_of;
pub use place::{Place, at_baud, find, lasting, resolve};
pub use port::{Port, Usb};
pub use ports::{check_is_no_port, ports, same_board};
pub use speed::{Speed, USUAL_SPEEDS};
pub use stream::Link;
