//! Combines parameters to tests, and puts the tests in pytest's order.

use std::collections::HashMap;

use super::requests::CLASS;
use crate::run::testing::{Fixture, Request, Test};

/// Values of a `parametrize` or of a fixture's `params`, in one dimension.
pub(super) struct Axis {
    /// Identifiers; `None` if their number is unknown.
    pub(super) ids: Option<Vec<String>>,
    pub(super) fixture: Option<(String, Fixture)>,
}

/// Returns one request for each combination of the parameters, and the number of combinations beyond the limit; the last
/// dimension varies fastest.
pub(super) fn combined(request: Request, axes: &[Axis]) -> (Vec<Request>, usize) {
    let mut all = vec![request];
    let mut wanted = 1_usize;
    for axis in axes {
        let Some(ids) = &axis.ids else {
            for request in &mut all {
                request.is_computed = true;
            }
            continue;
        };
        wanted = wanted.saturating_mul(ids.len().max(1));
        let values = all.iter().flat_map(|request| with_each(request, axis, ids));
        all = values.take(MOST).collect();
    }
    let left_out = wanted - all.len();
    (all, left_out)
}

/// Adds each value of a dimension to a request; an empty one has one value, with which the test is skipped.
fn with_each(request: &Request, axis: &Axis, ids: &[String]) -> impl Iterator<Item = Request> {
    let none = ids.is_empty().then_some((None, NO_VALUE));
    let each = ids
        .iter()
        .enumerate()
        .map(|(at, id)| (Some(at), id.as_str()));
    none.into_iter().chain(each).map(move |(at, id)| {
        let mut request = request.clone();
        request.id = Some(match &request.id {
            Some(before) => format!("{before}-{id}"),
            None => id.to_owned(),
        });
        match &axis.fixture {
            Some((name, fixture)) => request.params.push((name.clone(), fixture.clone(), at)),
            None => request.values.push(at),
        }
        request
    })
}

/// Moves the tests of each value of a fixture together if the fixture outlives a class, so that it is set up once for
/// each value (`reorder_items` of pytest 9.2, `fixtures.py`).
pub(super) fn grouped(tests: Vec<Test>) -> Vec<Test> {
    let mut firsts = HashMap::new();
    let mut ranked: Vec<_> = tests
        .into_iter()
        .enumerate()
        .map(|(at, test)| {
            let rank = value(&test).map_or(at, |value| *firsts.entry(value).or_insert(at));
            (rank, test)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, test)| test).collect()
}

/// Returns the last fixture that outlives a class, and the position of its value.
fn value(test: &Test) -> Option<(String, Option<usize>)> {
    let params = &test.request.as_ref()?.params;
    let mut broad = params.iter().rev().filter(|(_, it, _)| it.scope < CLASS);
    broad.next().map(|(name, _, at)| (name.clone(), *at))
}

/// Identifier of an empty list's value (`_pytest/mark/structures.py` of pytest 9.2).
const NO_VALUE: &str = "NOTSET";
/// Limit of the tests that a function becomes.
const MOST: usize = 10_000;
