use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
    vec::Vec,
};

use super::{Dialect, Piece, with_hooks};
use crate::debug::source::Module;

fn rewritten(text: &str, dialect: Dialect) -> Vec<Piece> {
    let module = Module::parse(text).unwrap();
    let functions = module.functions();
    let names = module.function_ids().filter(|id| id.number() > 0);
    let hooked: BTreeSet<_> = names
        .filter(|id| functions[id.number()].name != "plain")
        .collect();
    let (prefix, pieces) = with_hooks(&module, &hooked, dialect);
    assert_eq!(prefix, "_");
    pieces
}

/// Returns the text and the numbers of its lines, without the empty lines at the beginning.
fn shown(text: &str, dialect: Dialect) -> String {
    let mut shown = String::new();
    for piece in rewritten(text, dialect) {
        let lines = piece
            .text
            .lines()
            .zip(&piece.map)
            .enumerate()
            .skip(piece.padding);
        for (at, (line, original)) in lines {
            let moved = if at + 1 == *original as usize {
                ' '
            } else {
                '!'
            };
            shown += &alloc::format!("{original}{moved}{line}\n");
        }
    }
    shown
}

const TEXT: &str = "\
import x

def f(a):
    if a:
        return x
def g():
    '''What it does.'''
    yield 1
def plain(): pass
";

#[test]
fn hooks_take_free_lines_and_move_no_other() {
    let expected = "\
1 import x
3!def f(a):
3 \x20   with _w((_k:=_b0)and 1,((a:=_j[1]) for _j in _c),lambda _j:_l if _j<1 else a)as _f:
4 \x20    if _k[(_l:=4)]and _d(_f)or(a):
5 \x20        _l=5;_k[5]and _d(_f);return x
6 def g():
7 \x20   with _w((_k:=_b0)and 2,lambda _j:_l)as _f:
8 \x20    _l=8;_k[8]and _d(_f);_n(_f,(yield _p(_f,(1))))
9 def plain(): pass
";
    assert_eq!(
        shown(TEXT, Dialect::Walrus),
        expected.replace("3 \x20   with", "4!    with")
    );
}

#[test]
fn old_boards_get_calls_in_conditions_and_no_writer() {
    let shown = shown(TEXT, Dialect::Old);
    assert!(
        shown.contains("with _w(1,lambda _j:0 if _j<1 else a)as _f:"),
        "{shown}"
    );
    assert!(shown.contains("if _h(_f,4)or(a):"), "{shown}");
    assert!(shown.contains("_f.l=5;_b[5]and _d(_f);return x"), "{shown}");
}

#[test]
fn code_without_hooks_is_what_it_was() {
    let module = Module::parse(TEXT).unwrap();
    let (_, pieces) = with_hooks(&module, &BTreeSet::new(), Dialect::Walrus);
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0].text, TEXT);
}

#[test]
fn a_constant_condition_stays_one() {
    let text = "\ndef f():\n    while True:\n        x = 1\n";
    let shown = shown(text, Dialect::Walrus);
    assert!(shown.contains("while True:\n"), "{shown}");
}

#[test]
fn names_of_the_program_are_not_taken() {
    let module = Module::parse("_d = 1\ndef f(): return 2\n").unwrap();
    let all = module.function_ids().collect();
    assert_eq!(
        with_hooks(&module, &all, Dialect::Walrus).0,
        "_0".to_string()
    );
}
