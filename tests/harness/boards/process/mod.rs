//! Processes that boards are made of: started on a leash, with a share of the processor and folders of their own.

pub(super) mod leash;
pub(super) mod processor;
pub(super) mod setup;
pub(super) mod view;
