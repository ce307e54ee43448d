//! Serial control and CSV export from a device's SD card.
