//! The machine: its memory, its values, and the code it runs.

pub(crate) mod budget;
pub(crate) mod call;
pub(crate) mod collect;
pub(crate) mod heap;
pub(crate) mod memory;
pub(crate) mod names;
pub(crate) mod op;
pub(crate) mod page;
pub(crate) mod results;
pub(crate) mod symbol;
pub(crate) mod trace;
pub(crate) mod value;
pub(crate) mod vm;
