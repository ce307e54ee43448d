//! Evaluates the values of `parametrize` and `params` as far as their identifiers need it.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use ruff_python_ast::{Expr, Number, Operator, Stmt, UnaryOp};

use super::blocks;

/// Value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Bool(bool),
    None,
    /// A class or function.
    Named(String),
    List(Vec<Self>),
    /// `pytest.param` and its `id`.
    Param(Vec<Self>, Option<String>),
    /// Any other value.
    Other,
}

/// Names of a file.
#[derive(Default)]
pub(super) struct Names<'a> {
    /// Values assigned at the top level.
    pub(super) constants: BTreeMap<&'a str, &'a Expr>,
    /// Classes and functions.
    defined: BTreeSet<&'a str>,
    /// Number of expressions evaluated so far.
    spent: Cell<usize>,
}

type Locals = BTreeMap<String, Value>;

impl<'a> Names<'a> {
    pub(super) fn add(&mut self, body: &'a [Stmt]) {
        for statement in body {
            match statement {
                Stmt::FunctionDef(function) => drop(self.defined.insert(&function.name)),
                Stmt::ClassDef(class) => drop(self.defined.insert(&class.name)),
                Stmt::Assign(assign) => {
                    for target in &assign.targets {
                        if let Expr::Name(name) = target {
                            self.constants.insert(&name.id, &assign.value);
                        }
                    }
                }
                Stmt::AnnAssign(assign) => {
                    if let (Expr::Name(name), Some(value)) = (assign.target.as_ref(), &assign.value)
                    {
                        self.constants.insert(&name.id, value);
                    }
                }
                _ => blocks(statement, false, &mut |body, _| self.add(body)),
            }
        }
    }

    /// Returns the expression that a name stands for.
    pub(super) fn resolve(&self, expression: &'a Expr) -> &'a Expr {
        match expression {
            Expr::Name(name) => self
                .constants
                .get(name.id.as_str())
                .copied()
                .unwrap_or(expression),
            _ => expression,
        }
    }

    /// Returns the items of an expression, or `None` if their number is unknown.
    pub(super) fn items(&self, expression: &Expr) -> Option<Vec<Value>> {
        match self.value(expression, &Locals::new(), 0) {
            Value::List(items) => Some(items),
            Value::Text(text) => Some(text.chars().map(|it| Value::Text(it.into())).collect()),
            _ => None,
        }
    }

    pub(super) fn value(&self, expression: &Expr, locals: &Locals, depth: usize) -> Value {
        self.spent.set(self.spent.get() + 1);
        if depth > DEEPEST || self.spent.get() > MOST_EVALUATED {
            return Value::Other;
        }
        let value = |expression: &Expr| self.value(expression, locals, depth + 1);
        let found = match expression {
            Expr::NumberLiteral(number) => match &number.value {
                Number::Int(int) => int.as_i64().map(Value::Int),
                Number::Float(float) => Some(Value::Float(*float)),
                Number::Complex { .. } => None,
            },
            Expr::StringLiteral(text) => Some(Value::Text(text.value.to_str().to_owned())),
            Expr::BytesLiteral(bytes) => Some(Value::Bytes(bytes.value.bytes().collect())),
            Expr::BooleanLiteral(it) => Some(Value::Bool(it.value)),
            Expr::NoneLiteral(_) => Some(Value::None),
            Expr::UnaryOp(operation) => match (operation.op, value(&operation.operand)) {
                (UnaryOp::USub, Value::Int(int)) => int.checked_neg().map(Value::Int),
                (UnaryOp::USub, Value::Float(float)) => Some(Value::Float(-float)),
                (UnaryOp::UAdd, it @ (Value::Int(_) | Value::Float(_))) => Some(it),
                (UnaryOp::Not, Value::Bool(it)) => Some(Value::Bool(!it)),
                _ => None,
            },
            Expr::BinOp(operation) => calculated(
                value(&operation.left),
                operation.op,
                value(&operation.right),
            ),
            Expr::List(list) => Some(Value::List(list.elts.iter().map(value).collect())),
            Expr::Tuple(tuple) => Some(Value::List(tuple.elts.iter().map(value).collect())),
            Expr::Name(name) => Some(self.named(&name.id, locals, depth)),
            Expr::Call(call) => match last_name(&call.func) {
                "param" => {
                    let values = call.arguments.args.iter().map(value).collect();
                    let id = call.arguments.find_keyword("id");
                    let id = id.map(|id| value(&id.value));
                    Some(Value::Param(
                        values,
                        match id {
                            Some(Value::Text(id)) => Some(id),
                            _ => None,
                        },
                    ))
                }
                "range" => range(call.arguments.args.iter().map(value)),
                "list" | "tuple" if call.arguments.args.len() == 1 => {
                    match value(&call.arguments.args[0]) {
                        list @ Value::List(_) => Some(list),
                        _ => None,
                    }
                }
                _ => None,
            },
            Expr::ListComp(list) => {
                let [generator] = list.generators.as_slice() else {
                    return Value::Other;
                };
                let (Expr::Name(name), true, Value::List(items)) = (
                    &generator.target,
                    generator.ifs.is_empty(),
                    value(&generator.iter),
                ) else {
                    return Value::Other;
                };
                let each = items.into_iter().map(|item| {
                    let mut locals = locals.clone();
                    locals.insert(name.id.to_string(), item);
                    self.value(&list.elt, &locals, depth + 1)
                });
                Some(Value::List(each.collect()))
            }
            _ => None,
        };
        found.unwrap_or(Value::Other)
    }

    fn named(&self, name: &str, locals: &Locals, depth: usize) -> Value {
        if let Some(value) = locals.get(name) {
            return value.clone();
        }
        if let Some(constant) = self.constants.get(name) {
            return self.value(constant, &Locals::new(), depth + 1);
        }
        let is_exception = name.ends_with("Error") || name.ends_with("Exception");
        match self.defined.contains(name) || BUILTINS.contains(&name) || is_exception {
            true => Value::Named(name.to_owned()),
            false => Value::Other,
        }
    }
}

fn calculated(left: Value, operator: Operator, right: Value) -> Option<Value> {
    match (left, operator, right) {
        (Value::Int(left), operator, Value::Int(right)) => {
            let result = match operator {
                Operator::Add => left.checked_add(right),
                Operator::Sub => left.checked_sub(right),
                Operator::Mult => left.checked_mul(right),
                Operator::Pow => left.checked_pow(u32::try_from(right).ok()?),
                Operator::LShift => {
                    left.checked_mul(2_i64.checked_pow(u32::try_from(right).ok()?)?)
                }
                _ => None,
            };
            result.map(Value::Int)
        }
        (Value::List(mut left), Operator::Add, Value::List(right)) => {
            left.extend(right);
            Some(Value::List(left))
        }
        (Value::Text(left), Operator::Add, Value::Text(right)) => {
            (left.len() + right.len() <= MOST).then(|| Value::Text(left + &right))
        }
        (Value::Text(text), Operator::Mult, Value::Int(times)) => {
            let times = usize::try_from(times.max(0)).ok()?;
            let is_short = text.len().saturating_mul(times) <= MOST;
            is_short.then(|| Value::Text(text.repeat(times)))
        }
        _ => None,
    }
}

fn range(arguments: impl Iterator<Item = Value>) -> Option<Value> {
    let numbers = arguments.map(|value| match value {
        Value::Int(int) => Some(int),
        _ => None,
    });
    let numbers = numbers.collect::<Option<Vec<_>>>()?;
    let (start, stop, step) = match numbers.as_slice() {
        [stop] => (0, *stop, 1),
        [start, stop] => (*start, *stop, 1),
        [start, stop, step] if *step != 0 => (*start, *stop, *step),
        _ => return None,
    };
    let mut items = Vec::new();
    let mut at = start;
    while (step > 0 && at < stop) || (step < 0 && at > stop) {
        if items.len() == MOST {
            return None;
        }
        items.push(Value::Int(at));
        at = at.checked_add(step)?;
    }
    Some(Value::List(items))
}

/// Returns the last name: `param` of `pytest.param`.
pub(super) fn last_name(expression: &Expr) -> &str {
    match expression {
        Expr::Name(name) => &name.id,
        Expr::Attribute(attribute) => &attribute.attr,
        _ => "",
    }
}

/// Makes identifiers as `IdMaker` of pytest 9.2 does (`python.py`).
pub(super) fn ids(names: &[String], sets: &[Value], ids: &Ids) -> Vec<String> {
    let each = sets.iter().enumerate().map(|(at, set)| {
        let (values, own) = match set {
            Value::Param(values, id) => (values.clone(), id.as_ref()),
            Value::List(values) if names.len() != 1 => (values.clone(), None),
            value => (vec![value.clone()], None),
        };
        if let Some(own) = own {
            return escaped(own);
        }
        if let Ids::Given(given) = ids
            && let Some(given) = given.get(at).filter(|id| **id != Value::None)
            && let Some(given) = text(given)
        {
            return given;
        }
        let parts = names.iter().enumerate().map(|(number, name)| {
            let value = values.get(number).unwrap_or(&Value::Other);
            let made = match ids {
                Ids::Repr => repr(value),
                _ => None,
            };
            made.or_else(|| text(value))
                .unwrap_or_else(|| format!("{name}{at}"))
        });
        parts.collect::<Vec<_>>().join("-")
    });
    unique(each.collect())
}

/// Argument `ids` of `parametrize`.
pub(super) enum Ids {
    /// None, or a function that is unknown here.
    Default,
    Given(Vec<Value>),
    /// `ids=repr`.
    Repr,
}

fn unique(mut ids: Vec<String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for id in &ids {
        *counts.entry(id.clone()).or_default() += 1;
    }
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..ids.len() {
        let id = ids[at].clone();
        if counts[&id] < 2 {
            continue;
        }
        let suffix = match id.ends_with(|last: char| last.is_ascii_digit()) {
            true => "_",
            false => "",
        };
        let number = next.entry(id.clone()).or_default();
        while ids.contains(&format!("{id}{suffix}{number}")) {
            *number += 1;
        }
        ids[at] = format!("{id}{suffix}{number}");
        *number += 1;
    }
    ids
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) if text.chars().count() > LONGEST => None,
        Value::Text(text) => Some(escaped(text)),
        Value::Bytes(bytes) => {
            let each = bytes.iter().map(|byte| match byte {
                128.. => format!("\\x{byte:02x}"),
                _ => escaped(&char::from(*byte).to_string()),
            });
            Some(each.collect())
        }
        Value::Int(int) => Some(int.to_string()),
        Value::Float(float) => Some(shown(*float)),
        Value::Bool(true) => Some("True".into()),
        Value::Bool(false) => Some("False".into()),
        Value::None => Some("None".into()),
        Value::Named(name) => Some(name.clone()),
        Value::List(_) | Value::Param(..) | Value::Other => None,
    }
}

fn repr(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) if !text.contains(['\'', '\\']) => Some(escaped(&format!("'{text}'"))),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::None => text(value),
        _ => None,
    }
}

/// Formats a float as Python does.
fn shown(float: f64) -> String {
    let text = format!("{float:?}");
    let Some((digits, exponent)) = text.split_once('e') else {
        return text.replace("NaN", "nan");
    };
    let digits = digits.strip_suffix(".0").unwrap_or(digits);
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Escapes a text as `ascii_escaped` of pytest does.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        let code = u32::from(character);
        escaped += &match character {
            '\\' => "\\\\".into(),
            '\n' => "\\n".into(),
            '\r' => "\\r".into(),
            '\t' => "\\t".into(),
            ' '..='~' => character.to_string(),
            _ if code < 0x100 => format!("\\x{code:02x}"),
            _ if code < 0x1_0000 => format!("\\u{code:04x}"),
            _ => format!("\\U{code:08x}"),
        };
    }
    escaped
}

/// Limit of nested expressions.
const DEEPEST: usize = 50;
/// Limit of the items of a list that is not written out.
const MOST: usize = 10_000;
/// Limit of a file: each name may stand for several others, and so on.
const MOST_EVALUATED: usize = 100_000;
/// Limit of a text that is an identifier (`IdMaker._apply_long_str_strategy` of pytest 9.2).
const LONGEST: usize = 100;
const BUILTINS: [&str; 28] = [
    "abs",
    "all",
    "any",
    "bool",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "dict",
    "float",
    "frozenset",
    "hash",
    "hex",
    "int",
    "len",
    "list",
    "max",
    "min",
    "object",
    "oct",
    "ord",
    "print",
    "repr",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::collect::parse;

    fn made(source: &str, names: &[&str]) -> Vec<String> {
        let suite = parse(source).unwrap();
        let mut known = Names::default();
        known.add(&suite);
        let sets = known.items(known.constants["SETS"]).unwrap();
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        ids(&names, &sets, &Ids::Default)
    }

    #[test]
    fn identifiers_are_those_of_pytest() {
        let kinds =
            "SETS = [1, -2, 2.5, 1e-7, 1e20, True, None, 'a b', 'é\\n', b'\\xffa', int, {}, [1]]";
        let expected = [
            "1", "-2", "2.5", "1e-07", "1e+20", "True", "None", "a b", "\\xe9\\n", "\\xffa", "int",
            "x11", "x12",
        ];
        assert_eq!(made(kinds, &["x"]), expected);
        assert_eq!(
            made("SETS = [(1, 'a'), (f, 2)]", &["x", "y"]),
            ["1-a", "x1-2"]
        );
        assert_eq!(
            made("SETS = [pytest.param(1, id='one'), 2]", &["x"]),
            ["one", "2"]
        );
        assert_eq!(made("SETS = [1, 1, 2]", &["x"]), ["1_0", "1_1", "2"]);
        assert_eq!(made("SETS = ['a', 'a', 'a0']", &["x"]), ["a1", "a2", "a0"]);
        assert_eq!(
            made("N = 2\nSETS = [N * n for n in range(3)] + [7]", &["x"]),
            ["0", "2", "4", "7"]
        );
    }
    /// Two to the power of 45, if each name were followed.
    #[test]
    fn names_that_stand_for_names_end_at_a_limit() {
        let names = (0..45).map(|at| format!("a{at} = [a{0}, a{0}]\n", at + 1));
        let source = names.collect::<String>() + "a45 = 1\nSETS = [a0, 2]";
        assert_eq!(made(&source, &["x"]), ["x0", "x1"]);
    }
}
