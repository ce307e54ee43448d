//! Boards at the other end: their names and ports, many at once, peers that are no board, and boards that are lost.

mod doctor;
mod each;
mod mount;
mod names;
mod recovery;
mod selftest;
mod strangers;
pub(super) mod usb;
mod wifi;
