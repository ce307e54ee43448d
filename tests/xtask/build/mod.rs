//! Installation and builds: tools, the npm package, the page, the wheel.

pub(crate) mod room;
pub(crate) mod serve;
pub(crate) mod setup;
pub(crate) mod stamp;
pub(crate) mod targets;
pub(crate) mod tools;
pub(crate) mod wasm;
pub(crate) mod web;
pub(crate) mod wheel;
