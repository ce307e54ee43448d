//! Programs of this crate that leave no name on the board, and that no name of the board's user affects.
//!
//! They share the interpreter with anyone who types at its prompt. Each program therefore becomes the body of a
//! function: its names are locals, and the function's own name is gone before its first line runs. The program imports
//! built-in functions from their module, as the user may have defined a `len` or an `open`.
//!
//! State that later programs need is kept in one dictionary, [`KEPT`], until [`FORGET`].

use alloc::{string::String, vec::Vec};

/// Name of the function, which nobody else uses. It stands four times in each program, so it is short.
const NAME: &str = "_0_";
/// Name of the dictionary that stores state between programs.
pub(crate) const KEPT: &str = "__fl__";
/// Program that removes the dictionary.
pub(crate) const FORGET: &str = "del __fl__";

/// Built-in names that these programs use. Every board has them, or the program itself handles their absence.
const BUILTINS: [&str; 45] = [
    "AttributeError",
    "EOFError",
    "Exception",
    "ImportError",
    "KeyboardInterrupt",
    "MemoryError",
    "NameError",
    "NotImplementedError",
    "OSError",
    "RuntimeError",
    "TypeError",
    "ValueError",
    "__import__",
    "all",
    "any",
    "bool",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "dict",
    "dir",
    "enumerate",
    "exec",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "hex",
    "int",
    "isinstance",
    "len",
    "list",
    "map",
    "memoryview",
    "open",
    "ord",
    "print",
    "range",
    "repr",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
];

/// Wraps a program of this crate, none of whose lines begins within a string. A single call of a kept function needs no
/// wrapping.
#[must_use]
pub fn own(source: &str) -> String {
    let is_call = source
        .strip_prefix(KEPT)
        .is_some_and(|rest| rest.starts_with('['));
    if source == FORGET || is_call && !source.contains('\n') {
        return source.into();
    }
    let keeps = match source.contains(KEPT) {
        true => [",", KEPT].concat(),
        false => String::new(),
    };
    let mut program = String::with_capacity(source.len() + 256);
    for part in [
        "def ",
        NAME,
        "():\n global ",
        NAME,
        &keeps,
        "\n del ",
        NAME,
        "\n",
    ] {
        program.push_str(part);
    }
    let builtins = builtins_of(source);
    if !builtins.is_empty() {
        for part in [" from builtins import ", &builtins.join(","), "\n"] {
            program.push_str(part);
        }
    }
    for line in source.lines().filter(|line| !line.is_empty()) {
        for part in [" ", line, "\n"] {
            program.push_str(part);
        }
    }
    // An additional line end precedes the call: without it, a single flipped bit could join the call to the line
    // before, and nothing would run, without an error.
    for part in ["\n", NAME, "()\n"] {
        program.push_str(part);
    }
    program
}

/// Returns the built-in names that a source uses, except for attributes and the content of strings.
fn builtins_of(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut before = '\n';
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let length = match first {
            '\'' => string_length(rest),
            _ if is_name(first) => rest.find(|char| !is_name(char)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        if before != '.' && BUILTINS.contains(&word) && !found.contains(&word) {
            found.push(word);
        }
        before = first;
        rest = after;
    }
    found
}

/// Returns the length of the string at the beginning of a text, in bytes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = true;
    let end = text.bytes().position(|byte| {
        let is_end = byte == b'\'' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_locals_and_built_in_ones_are_imported() {
        assert_eq!(
            own("import os\nfor x in os.listdir():\n print(len(x.open))\n"),
            "def _0_():\n global _0_\n del _0_\n from builtins import print,len\n import os\n for x in os.listdir():\n  print(len(x.open))\n\n_0_()\n"
        );
    }

    #[test]
    fn a_name_in_a_string_is_none() {
        let source = r"f=open('it\'s sum', 'rb')";
        assert_eq!(builtins_of(source), ["open"]);
    }

    #[test]
    fn what_is_kept_is_global_and_calling_it_needs_no_more() {
        assert_eq!(
            own("__fl__={}"),
            "def _0_():\n global _0_,__fl__\n del _0_\n __fl__={}\n\n_0_()\n"
        );
        assert_eq!(own("__fl__['put']()"), "__fl__['put']()");
    }
}
