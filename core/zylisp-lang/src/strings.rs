//! Functions of strings.

use alloc::{format, string::String};

use crate::{
    error::Fault,
    primitive::{Primitive, World},
    value::Value,
};

impl Primitive {
    /// Number of characters.
    pub(crate) fn string_length(
        self,
        arguments: &[Value],
        world: &World<'_>,
    ) -> Result<Value, Fault> {
        let text = self.string(self.single(arguments)?, world)?;
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        Ok(Value::Number(length))
    }

    /// One string after the other. The machine has made room for them all.
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

    /// Strings are in the order of their characters' codes, which is that of their bytes.
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

    /// The number that a string is, blanks around it aside; nil if it is none.
    pub(crate) fn string_to_number(
        self,
        arguments: &[Value],
        world: &World<'_>,
    ) -> Result<Value, Fault> {
        let text = self.string(self.single(arguments)?, world)?.trim_ascii();
        // Rust's numbers may have a plus, those of the language may not.
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
