//! Links to boards: the driver, transports of each kind, and a hub that shares one.

mod driver;
mod hub;
mod transports;
