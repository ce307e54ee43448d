//! Raw mode: how it is entered, the banners that prove it, and who answers without one.

pub(super) mod banner;
pub(super) mod between;
pub(super) mod enter;
pub(super) mod peer;
pub(super) mod restart;
