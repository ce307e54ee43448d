//! Help: texts, manual pages and the shells' completions, made from the commands' definitions.

pub(crate) mod completions;
#[cfg(test)]
mod documented;
mod examples;
#[cfg(test)]
mod golden;
pub(crate) mod greeting;
pub(crate) mod man;
pub(crate) mod short_help;
pub(crate) mod syntax;
