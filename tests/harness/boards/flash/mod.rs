//! Firmware, and what it is written to: boot loaders with a drive, and the ROM of ESP chips.

pub(super) mod boot_drive;
pub(super) mod esp;
pub(super) mod firmware;
