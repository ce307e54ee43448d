//! Lines to boards: pseudo-terminals, and wires with faults between them.

pub(super) mod lane;
pub(super) mod leaving;
pub(super) mod relay;
pub(super) mod sampling;
pub(super) mod tty;
pub(super) mod wire;
pub(super) mod worker;
