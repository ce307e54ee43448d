//! Collection of logs, with the requests that are unanswered.

pub(super) mod judge;
pub(super) mod late;
pub(super) mod session;
pub(super) mod transfer;
pub(super) mod unanswered;
