//! Tests the help about an environment's names.

use alloc::{string::String, vec::Vec};

use super::run;
use crate::{Interpreter, Limits, NameKind, Place, Source};

fn interpreter() -> Interpreter {
    let mut interpreter = Interpreter::new(Limits::default());
    let source = "(define area (lambda (width height)\n  (* width height)))\n(define answer 42)";
    run(&mut interpreter, Source::of_file("area.zylisp", source)).unwrap();
    interpreter
}

fn names(interpreter: &Interpreter, prefix: &str) -> Vec<String> {
    let names = interpreter.complete(prefix, 100).into_iter();
    names.map(|(name, _)| name).collect()
}

#[test]
fn names_are_completed_from_the_language_and_from_the_program() {
    let interpreter = interpreter();
    assert_eq!(names(&interpreter, "a"), ["answer", "area"]);
    assert_eq!(names(&interpreter, "c"), ["car", "cdr", "cond", "cons"]);
    assert_eq!(names(&interpreter, "t"), ["true"]);
    assert_eq!(names(&interpreter, "width"), [""; 0], "no global variable");
    assert_eq!(interpreter.complete("", 3).len(), 3);
    assert!(names(&interpreter, "*").contains(&"*1".into()));
    let kinds = interpreter.complete("", 100);
    for (name, kind) in [
        ("if", NameKind::SpecialForm),
        ("car", NameKind::Function),
        ("area", NameKind::Function),
        ("answer", NameKind::Variable),
    ] {
        assert!(kinds.contains(&(name.into(), kind)), "{name}");
    }
}

#[test]
fn a_name_is_explained() {
    let interpreter = interpreter();
    let car = interpreter.look_up("car").unwrap();
    assert_eq!(
        (car.usage.as_str(), car.meaning.as_deref(), car.defined),
        ("(car LIST)", Some("The first element."), None)
    );
    let area = interpreter.look_up("area").unwrap();
    assert_eq!(area.usage, "(area width height)");
    let (source, place) = area.defined.unwrap();
    assert_eq!(source.as_deref(), Some("area.zylisp"));
    assert_eq!(
        place,
        Place {
            line: 1,
            column: 14
        }
    );
    let answer = interpreter.look_up("answer").unwrap();
    assert_eq!(answer.meaning.as_deref(), Some("Its value is 42."));
    assert_eq!(interpreter.look_up("nothing"), None);
    assert_eq!(interpreter.look_up("width"), None);
}

#[test]
fn a_new_definition_of_a_known_name_is_the_one_that_is_told() {
    let mut interpreter = interpreter();
    run(
        &mut interpreter,
        "(define car (lambda (vehicle) vehicle)) (define if 5)",
    )
    .unwrap();
    assert_eq!(interpreter.look_up("car").unwrap().usage, "(car vehicle)");
    let special = interpreter.look_up("if").unwrap();
    assert_eq!(special.usage, "(if TEST THEN ELSE)");
    assert_eq!(special.kind, NameKind::SpecialForm);
}
