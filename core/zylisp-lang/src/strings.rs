//! String functions.

use alloc::{format, string::String};

use crate::{
    error::Fault,
    machine::value::Value,
    primitive::{Primitive, World},
};

impl Primitive {
    /// Returns the number of characters.
    pub(crate) fn string_length(
        self,
        arguments: &[Value],
        world: &World<'_>,
    ) -> Result<Value, Fault> {
        let text = self.string(self.single(arguments)?, world)?;
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        Ok(Value::Number(length))
    }

    /// Concatenates strings. The machine has reserved room for all of them.
    pub(crate) fn string_append(
        self,
        arguments: &[Value],
        world: &mut World<'_>,
    ) -> Result<Value, Fault> {
        let mut whole = String::new();
        for argument in arguments {
            whole.push_str(self.string(*argument, world)?);
        }
        Ok(world.heap.text(&whole))
    }

    /// Compares strings by the codes of their characters, which is the order of their bytes.
    pub(crate) fn compare_strings(
        self,
        arguments: &[Value],
        world: &World<'_>,
        holds: impl Fn(&str, &str) -> bool,
    ) -> Result<Value, Fault> {
        let [a, b] = arguments else {
            return Err(self.wrong_count(2, arguments));
        };
        let (a, b) = (self.string(*a, world)?, self.string(*b, world)?);
        Ok(Value::Bool(holds(a, b)))
    }

    /// Parses a string as a number, ignoring blanks around it; nil if it is not a number.
    pub(crate) fn string_to_number(
        self,
        arguments: &[Value],
        world: &World<'_>,
    ) -> Result<Value, Fault> {
        let text = self.string(self.single(arguments)?, world)?.trim_ascii();
        // Rust accepts a plus before a number; the language does not.
        let number = text.parse().ok().filter(|_| !text.starts_with('+'));
        Ok(number.map_or(Value::Nil, Value::Number))
    }

    pub(crate) fn number_to_string(
        self,
        arguments: &[Value],
        world: &mut World<'_>,
    ) -> Result<Value, Fault> {
        let number = self.number(self.single(arguments)?, world)?;
        Ok(world.heap.text(&format!("{number}")))
    }

    fn string<'a>(self, value: Value, world: &'a World<'_>) -> Result<&'a str, Fault> {
        let Value::Text(text) = value else {
            return Err(self.wrong_type(&format!("expected string, got {}", world.brief(value))));
        };
        Ok(world.heap.str(text))
    }
}
