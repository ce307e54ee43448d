//! Commands about boards themselves: which there are, their state, their settings and their firmware.

pub(crate) mod doctor;
pub(crate) mod each;
pub(crate) mod flash;
pub(crate) mod info;
pub(crate) mod ports;
pub(crate) mod reset;
pub(crate) mod rtc;
pub(crate) mod selftest;
pub(crate) mod sleep;
pub(crate) mod wifi;
