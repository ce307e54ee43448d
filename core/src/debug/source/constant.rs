//! Decisions of MicroPython's compiler about constant names and conditions.
//!
//! The compiler omits code that a constant condition never reaches (`py/compile.c`, `compile_if_stmt` and
//! `compile_while_stmt`; `py/parse.c`, `fold_constants` and `fold_logical_constants`), and with it the variables bound
//! there. A hook in such a condition would bring both back.

use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::ops::Range;

use ruff_python_ast::{
    Expr, ExprContext, ModModule, Number, Stmt, StmtAssign,
    token::{TokenKind, Tokens},
    visitor::{Visitor, walk_expr, walk_stmt},
};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextRange};

use super::{Module, mentions::mentioned};
use crate::debug::wire::{quote, quote_bytes};

/// Truth of a condition, as far as the compiler may know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truth {
    /// The condition is true.
    Yes,
    /// The condition is false.
    No,
    /// The condition is constant, but its value is not evident.
    Constant,
    /// The condition is decided at run time.
    Unknown,
}

/// Returns the truth of a condition, as far as the compiler may know it.
pub(super) fn truth(expression: &Expr, constants: &BTreeSet<String>) -> Truth {
    match expression {
        Expr::BooleanLiteral(literal) if literal.value => Truth::Yes,
        Expr::BooleanLiteral(_) => Truth::No,
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(int) if *int == 0 => Truth::No,
            Number::Int(_) => Truth::Yes,
            _ => Truth::Constant,
        },
        _ if is_constant(expression, constants) => Truth::Constant,
        _ => Truth::Unknown,
    }
}

/// Returns true if the compiler may know the value of an expression.
fn is_constant(expression: &Expr, constants: &BTreeSet<String>) -> bool {
    let is_constant = |one: &Expr| is_constant(one, constants);
    match expression {
        Expr::NumberLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_)
        | Expr::EllipsisLiteral(_)
        | Expr::StringLiteral(_)
        | Expr::BytesLiteral(_) => true,
        Expr::Name(name) => name.id == "__debug__" || constants.contains(name.id.as_str()),
        Expr::UnaryOp(inner) => is_constant(&inner.operand),
        Expr::BinOp(inner) => is_constant(&inner.left) && is_constant(&inner.right),
        Expr::BoolOp(inner) => inner.values.iter().any(is_constant),
        Expr::Tuple(inner) => inner.elts.iter().all(is_constant),
        _ => false,
    }
}

/// A name that the compiler replaces by its value from its definition on: `_X = const(5)`, wherever it occurs in the
/// text (`py/parse.c`, `fold_constants`). A name that begins with an underscore does not become a variable.
///
/// A constant is known only in its own text. A part of the module that is compiled separately begins with the constants
/// it needs.
#[derive(Debug, Clone)]
pub(in crate::debug) struct Constant {
    pub(super) name: String,
    /// Value as written, on one line.
    pub(super) value: String,
    /// Names that the value mentions.
    names: BTreeSet<String>,
    /// End of the statement.
    end: usize,
}

impl Constant {
    fn new(text: &str, tokens: &Tokens, statement: &StmtAssign) -> Option<Self> {
        let [Expr::Name(name)] = statement.targets.as_slice() else {
            return None;
        };
        let Expr::Call(call) = &*statement.value else {
            return None;
        };
        let is_const = matches!(&*call.func, Expr::Name(function) if function.id == "const");
        let [value] = &*call.arguments.args else {
            return None;
        };
        (is_const && call.arguments.keywords.is_empty()).then(|| Self {
            name: name.id.to_string(),
            value: on_one_line(text, tokens, call.arguments.range()),
            names: mentioned([value]),
            end: statement.range().end().to_usize(),
        })
    }
}

/// Returns Python within brackets without comments and line ends.
fn on_one_line(text: &str, tokens: &Tokens, range: TextRange) -> String {
    let mut line = String::new();
    let mut at = range.start();
    for token in tokens.in_range(range) {
        if matches!(
            token.kind(),
            TokenKind::NonLogicalNewline | TokenKind::Comment
        ) {
            continue;
        }
        if token.start() > at {
            line.push(' ');
        }
        at = token.end();
        let written = &text[token.range()];
        match token.kind() {
            TokenKind::String if written.contains('\n') => line += &requoted(written),
            _ => line += written,
        }
    }
    line
}

/// Converts a multi-line string to a single line.
fn requoted(written: &str) -> String {
    match ruff_python_parser::parse_expression(written).map(|parsed| parsed.into_expr()) {
        Ok(Expr::StringLiteral(text)) => quote(text.value.to_str()),
        Ok(Expr::BytesLiteral(bytes)) => quote_bytes(&bytes.value.bytes().collect::<Vec<_>>()),
        _ => written.to_string(),
    }
}

/// Returns the constants of a module, in order.
pub(super) fn constants(text: &str, parsed: &Parsed<ModModule>) -> Vec<Constant> {
    struct Find<'a>(&'a str, &'a Tokens, Vec<Constant>);
    impl<'a> Visitor<'a> for Find<'_> {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            if let Stmt::Assign(assign) = statement {
                self.2.extend(Constant::new(self.0, self.1, assign));
            }
            walk_stmt(self, statement);
        }
    }
    let mut find = Find(text, parsed.tokens(), Vec::new());
    find.visit_body(parsed.suite());
    find.2
}

impl Module {
    /// Returns a line that defines the constants of preceding text for a part of the module that is compiled
    /// separately: the compiler reads them, and drops a statement that is never reached. Empty if the part mentions
    /// none.
    pub(in crate::debug) fn constants_for(&self, part: Range<usize>) -> String {
        let tokens = self.parsed.tokens().iter();
        let names = tokens.filter(|token| {
            token.kind() == TokenKind::Name && part.contains(&token.start().to_usize())
        });
        let mut mentioned: BTreeSet<_> = names.map(|token| &self.text[token.range()]).collect();
        let mut wanted = Vec::new();
        for constant in self.constants.iter().rev() {
            if constant.end <= part.start && mentioned.contains(constant.name.as_str()) {
                mentioned.extend(constant.names.iter().map(String::as_str));
                wanted.push(format!("{}=const{}", constant.name, constant.value));
            }
        }
        wanted.reverse();
        match wanted.is_empty() {
            true => String::new(),
            false => format!("if 0:{}", wanted.join(";")),
        }
    }

    /// Replaces constants in a person's Python by their values, since constants are not variables on the board.
    pub(in crate::debug) fn with_constants(&self, python: &str) -> String {
        with_constants(python, &self.constants)
    }
}

/// Replaces constants. A value can contain only earlier constants, so this recursion ends.
fn with_constants(python: &str, known: &[Constant]) -> String {
    let mut text = python.to_string();
    let Ok(parsed) = ruff_python_parser::parse_module(python) else {
        return text;
    };
    let mut uses = Uses(Vec::new());
    uses.visit_body(parsed.suite());
    for (range, name) in uses
        .0
        .iter()
        .rev()
        .filter(|(_, name)| name.starts_with('_'))
    {
        if let Some(at) = known.iter().rposition(|one| one.name == *name)
            && text.len() < LONGEST
        {
            let value = with_constants(&known[at].value, &known[..at]);
            text.replace_range(range.to_std_range(), &value);
        }
    }
    text
}

/// Length limit of an expression.
const LONGEST: usize = 4096;

/// Places where names are read.
struct Uses(Vec<(TextRange, String)>);

impl<'a> Visitor<'a> for Uses {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression
            && name.ctx == ExprContext::Load
        {
            self.0.push((name.range, name.id.to_string()));
        }
        walk_expr(self, expression);
    }
}
