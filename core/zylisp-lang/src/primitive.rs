//! Functions built into the language.

use alloc::{format, string::String};

use crate::{
    error::{ErrorKind, Fault},
    input::Lines,
    machine::heap::Heap,
    machine::symbol::{Symbol, Symbols},
    machine::value::Value,
    print::{Names, Output, brief, display},
};

/// A function built into the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Primitive {
    Add,
    Subtract,
    Multiply,
    Divide,
    Equal,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
    List,
    Car,
    Cdr,
    Cons,
    IsNumber,
    IsSymbol,
    IsList,
    IsNull,
    Println,
    ReadLine,
    Not,
    Remainder,
    IsString,
    StringLength,
    StringAppend,
    StringEqual,
    StringLess,
    StringToNumber,
    NumberToString,
}

/// Resources that a primitive may use beside its arguments.
pub(crate) struct World<'a> {
    pub(crate) heap: &'a mut Heap,
    pub(crate) symbols: &'a Symbols,
    pub(crate) output: &'a mut Output,
    pub(crate) input: &'a mut Lines,
}

impl Primitive {
    const ALL: [Self; 28] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Equal,
        Self::Less,
        Self::Greater,
        Self::LessOrEqual,
        Self::GreaterOrEqual,
        Self::List,
        Self::Car,
        Self::Cdr,
        Self::Cons,
        Self::IsNumber,
        Self::IsSymbol,
        Self::IsList,
        Self::IsNull,
        Self::Println,
        Self::ReadLine,
        Self::Not,
        Self::Remainder,
        Self::IsString,
        Self::StringLength,
        Self::StringAppend,
        Self::StringEqual,
        Self::StringLess,
        Self::StringToNumber,
        Self::NumberToString,
    ];

    /// Iterates over all primitives with their names.
    pub(crate) fn all(symbols: &mut Symbols) -> impl Iterator<Item = (Symbol, Self)> {
        Self::ALL
            .map(|primitive| (symbols.intern(primitive.name()), primitive))
            .into_iter()
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Equal => "=",
            Self::Less => "<",
            Self::Greater => ">",
            Self::LessOrEqual => "<=",
            Self::GreaterOrEqual => ">=",
            Self::List => "list",
            Self::Car => "car",
            Self::Cdr => "cdr",
            Self::Cons => "cons",
            Self::IsNumber => "number?",
            Self::IsSymbol => "symbol?",
            Self::IsList => "list?",
            Self::IsNull => "null?",
            Self::Println => "println",
            Self::ReadLine => "read-line",
            Self::Not => "not",
            Self::Remainder => "remainder",
            Self::IsString => "string?",
            Self::StringLength => "string-length",
            Self::StringAppend => "string-append",
            Self::StringEqual => "string=?",
            Self::StringLess => "string<?",
            Self::StringToNumber => "string->number",
            Self::NumberToString => "number->string",
        }
    }

    /// Returns true if its time, or the size of its result, depends on the length of strings.
    pub(crate) const fn is_of_strings(self) -> bool {
        matches!(
            self,
            Self::StringLength
                | Self::StringAppend
                | Self::StringEqual
                | Self::StringLess
                | Self::StringToNumber
        )
    }

    pub(crate) fn apply(self, arguments: &[Value], world: &mut World<'_>) -> Result<Value, Fault> {
        match self {
            Self::Add => self.fold(0, arguments, world, i64::wrapping_add),
            Self::Multiply => self.fold(1, arguments, world, i64::wrapping_mul),
            Self::Subtract => self.subtract(arguments, world),
            Self::Divide => self.divide(arguments, world),
            Self::Equal => self.compare(arguments, |a, b| a == b),
            Self::Less => self.compare(arguments, |a, b| a < b),
            Self::Greater => self.compare(arguments, |a, b| a > b),
            Self::LessOrEqual => self.compare(arguments, |a, b| a <= b),
            Self::GreaterOrEqual => self.compare(arguments, |a, b| a >= b),
            Self::List => Ok(world.heap.list(arguments)),
            Self::Car => Ok(self.take_apart(arguments, world)?.0),
            Self::Cdr => Ok(self.take_apart(arguments, world)?.1),
            Self::Cons => self.cons(arguments, world),
            Self::IsNumber => self.test(arguments, |value| matches!(value, Value::Number(_))),
            Self::IsSymbol => self.test(arguments, |value| matches!(value, Value::Symbol(_))),
            Self::IsList => self.test(arguments, Value::is_list),
            Self::IsNull => self.test(arguments, |value| value == Value::Empty),
            Self::Println => Ok(println(arguments, world)),
            Self::ReadLine if arguments.is_empty() => Ok(read_line(world)),
            Self::ReadLine => Err(self.wrong_count(0, arguments)),
            Self::Not => self.test(arguments, |value| !value.is_true()),
            Self::Remainder => self.remainder(arguments, world),
            Self::IsString => self.test(arguments, |value| matches!(value, Value::Text(_))),
            Self::StringLength => self.string_length(arguments, world),
            Self::StringAppend => self.string_append(arguments, world),
            Self::StringEqual => self.compare_strings(arguments, world, |a, b| a == b),
            Self::StringLess => self.compare_strings(arguments, world, |a, b| a < b),
            Self::StringToNumber => self.string_to_number(arguments, world),
            Self::NumberToString => self.number_to_string(arguments, world),
        }
    }

    /// Applies an operator to two numbers, if it is one that cannot fail.
    pub(crate) fn calculate(self, a: i64, b: i64) -> Option<Value> {
        Some(match self {
            Self::Add => Value::Number(a.wrapping_add(b)),
            Self::Subtract => Value::Number(a.wrapping_sub(b)),
            Self::Multiply => Value::Number(a.wrapping_mul(b)),
            Self::Equal => Value::Bool(a == b),
            Self::Less => Value::Bool(a < b),
            Self::Greater => Value::Bool(a > b),
            Self::LessOrEqual => Value::Bool(a <= b),
            Self::GreaterOrEqual => Value::Bool(a >= b),
            Self::Divide
            | Self::List
            | Self::Car
            | Self::Cdr
            | Self::Cons
            | Self::IsNumber
            | Self::IsSymbol
            | Self::IsList
            | Self::IsNull
            | Self::Println
            | Self::ReadLine
            | Self::Not
            | Self::Remainder
            | Self::IsString
            | Self::StringLength
            | Self::StringAppend
            | Self::StringEqual
            | Self::StringLess
            | Self::StringToNumber
            | Self::NumberToString => return None,
        })
    }

    fn fold(
        self,
        start: i64,
        arguments: &[Value],
        world: &World<'_>,
        combine: impl Fn(i64, i64) -> i64,
    ) -> Result<Value, Fault> {
        let mut total = start;
        for argument in arguments {
            total = combine(total, self.number(*argument, world)?);
        }
        Ok(Value::Number(total))
    }

    fn subtract(self, arguments: &[Value], world: &World<'_>) -> Result<Value, Fault> {
        let (first, rest) = self.first(arguments)?;
        let first = self.number(first, world)?;
        if rest.is_empty() {
            return Ok(Value::Number(first.wrapping_neg()));
        }
        self.fold(first, rest, world, i64::wrapping_sub)
    }

    fn divide(self, arguments: &[Value], world: &World<'_>) -> Result<Value, Fault> {
        let (first, rest) = self.first(arguments)?;
        let mut result = self.number(first, world)?;
        if rest.is_empty() {
            return quotient(1, result).map(Value::Number);
        }
        for argument in rest {
            result = quotient(result, self.number(*argument, world)?)?;
        }
        Ok(Value::Number(result))
    }

    fn compare(
        self,
        arguments: &[Value],
        holds: impl Fn(i64, i64) -> bool,
    ) -> Result<Value, Fault> {
        match arguments {
            [Value::Number(a), Value::Number(b)] => Ok(Value::Bool(holds(*a, *b))),
            [_, _] => Err(self.wrong_type("expected numbers")),
            _ => Err(self.wrong_count(2, arguments)),
        }
    }

    fn take_apart(self, arguments: &[Value], world: &World<'_>) -> Result<(Value, Value), Fault> {
        let value = self.single(arguments)?;
        if let Value::Pair(pair) = value {
            return Ok(world.heap.first_and_rest(pair));
        }
        Err(self.wrong_type(&match value == Value::Empty {
            true => format!("cannot take {} of empty list", self.name()),
            false => format!("expected list, got {}", world.brief(value)),
        }))
    }

    fn cons(self, arguments: &[Value], world: &mut World<'_>) -> Result<Value, Fault> {
        match arguments {
            [first, rest] if rest.is_list() => Ok(world.heap.pair(*first, *rest)),
            [_, other] => Err(self.wrong_type(&format!(
                "second argument must be a list, got {}",
                world.brief(*other)
            ))),
            _ => Err(self.wrong_count(2, arguments)),
        }
    }

    fn test(self, arguments: &[Value], holds: impl Fn(Value) -> bool) -> Result<Value, Fault> {
        self.single(arguments)
            .map(|value| Value::Bool(holds(value)))
    }

    fn remainder(self, arguments: &[Value], world: &World<'_>) -> Result<Value, Fault> {
        let [dividend, divisor] = arguments else {
            return Err(self.wrong_count(2, arguments));
        };
        let (dividend, divisor) = (
            self.number(*dividend, world)?,
            self.number(*divisor, world)?,
        );
        match divisor {
            0 => Err(division_by_zero()),
            _ => Ok(Value::Number(dividend.wrapping_rem(divisor))),
        }
    }

    pub(crate) fn number(self, value: Value, world: &World<'_>) -> Result<i64, Fault> {
        let Value::Number(number) = value else {
            return Err(self.wrong_type(&format!("expected number, got {}", world.brief(value))));
        };
        Ok(number)
    }

    fn first(self, arguments: &[Value]) -> Result<(Value, &[Value]), Fault> {
        match arguments.split_first() {
            Some((first, rest)) => Ok((*first, rest)),
            None => Err(Fault::new(
                ErrorKind::Arity,
                format!("{}: requires at least 1 argument", self.name()),
            )),
        }
    }

    pub(crate) fn single(self, arguments: &[Value]) -> Result<Value, Fault> {
        match arguments {
            [value] => Ok(*value),
            _ => Err(self.wrong_count(1, arguments)),
        }
    }

    pub(crate) fn wrong_count(self, wanted: usize, arguments: &[Value]) -> Fault {
        let name = self.name();
        wrong_count(&format!("{name}:"), wanted, arguments.len())
    }

    pub(crate) fn wrong_type(self, what: &str) -> Fault {
        Fault::new(ErrorKind::Type, format!("{}: {what}", self.name()))
    }
}

impl World<'_> {
    fn names(&self) -> Names<'_> {
        Names {
            heap: self.heap,
            symbols: self.symbols,
        }
    }

    pub(crate) fn brief(&self, value: Value) -> String {
        brief(value, self.names())
    }
}

/// Creates the fault for `what`, which takes `wanted` arguments but received another number.
pub(crate) fn wrong_count(what: &str, wanted: usize, got: usize) -> Fault {
    let plural = if wanted == 1 { "" } else { "s" };
    Fault::new(
        ErrorKind::Arity,
        format!("{what} requires {wanted} argument{plural}, got {got}"),
    )
}

fn quotient(dividend: i64, divisor: i64) -> Result<i64, Fault> {
    if divisor == 0 {
        return Err(division_by_zero());
    }
    Ok(dividend.wrapping_div(divisor))
}

fn division_by_zero() -> Fault {
    Fault::new(ErrorKind::Arithmetic, "division by zero")
}

fn println(arguments: &[Value], world: &mut World<'_>) -> Value {
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            world.output.push(" ");
        }
        let names = Names {
            heap: world.heap,
            symbols: world.symbols,
        };
        display(*argument, names, world.output);
    }
    world.output.push("\n");
    Value::Nil
}

/// Returns the next line of the input, or nil at its end. The machine waits before the call until one of them is
/// available.
fn read_line(world: &mut World<'_>) -> Value {
    match world.input.next() {
        Some(line) => world.heap.text(&line),
        None => Value::Nil,
    }
}
