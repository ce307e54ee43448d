//! Code shared by the fuzz targets: one input cut in two ways, and a server with little memory.

use flylead_core::zylisp::{
    EvaluatorFactory, ServerConfig, Zylisp,
    lang::{Budget, Limits},
};

/// Returns a server's configuration and its evaluators, with so little memory that a fuzzer reaches the limits; and the
/// budget from which all memory is taken.
#[must_use]
pub fn small_server() -> (ServerConfig, EvaluatorFactory, Budget) {
    let budget = Budget::new(4 << 20);
    let mut limits = Limits::default();
    limits.memory = 1 << 20;
    let config = ServerConfig::default()
        .message_limit(4_096)
        .budget(budget.clone());
    (config, Zylisp::factory(limits, budget.clone()), budget)
}

/// Returns the pieces of `bytes`, cut after as many bytes as the `cuts` give in turn, from 1 to 16.
pub fn pieces<'a>(bytes: &'a [u8], cuts: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut sizes = cuts
        .iter()
        .copied()
        .chain([0])
        .cycle()
        .map(|cut| usize::from(cut % 16) + 1);
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let size = sizes.next()?.min(rest.len());
        let (piece, left) = rest.split_at(size);
        rest = left;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Splits off the first `count` bytes of a fuzzer's input for choices; the rest follows.
#[must_use]
pub fn choices(data: &[u8], count: usize) -> (&[u8], &[u8]) {
    data.split_at(count.min(data.len()))
}
