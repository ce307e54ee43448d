//! Raw mode: entering it, the banners that prove it, and the peers that answer without one.

pub(super) mod banner;
pub(super) mod between;
pub(super) mod enter;
pub(super) mod peer;
pub(super) mod restart;
