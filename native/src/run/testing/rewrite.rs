//! Rewrites the asserts of a file.

use std::collections::BTreeSet;

use ruff_python_ast::{
    BoolOp, Expr, ExprContext, Number, Operator, Stmt, StmtAssert, StmtFunctionDef, UnaryOp,
    token::{TokenKind, Tokens},
    visitor::{Visitor, walk_expr, walk_parameter, walk_stmt},
};
use ruff_text_size::{Ranged, TextSize};

use super::asserts::{Asserts, Node};

/// Rewrites the asserts of a source, on the same lines. A source that contains `PYTEST_DONT_REWRITE` is left unchanged,
/// as in pytest.
pub(super) fn rewrite(source: &str) -> Asserts {
    let mut asserts = Asserts {
        source: source.to_owned(),
        sites: Vec::new(),
    };
    let Ok(parsed) = ruff_python_parser::parse_module(source) else {
        return asserts;
    };
    if source.contains("PYTEST_DONT_REWRITE") {
        return asserts;
    }
    let mut rewriter = Rewriter {
        source,
        tokens: parsed.tokens(),
        locals: Vec::new(),
        inserts: Vec::new(),
        sites: Vec::new(),
        values: 0,
    };
    rewriter.visit_body(parsed.suite());
    let text = rewriter.text();
    // A result that is not valid Python is discarded.
    if ruff_python_parser::parse_module(&text).is_ok() {
        asserts.source = text;
        asserts.sites = rewriter.sites;
    }
    asserts
}

/// Returns true for an expression of more levels than its explanation could show, or a board's compiler accepts.
fn is_deep(expression: &Expr) -> bool {
    let mut depth = Depth::default();
    depth.visit_expr(expression);
    depth.deepest > LEVELS_EXPLAINED
}

#[derive(Default)]
struct Depth {
    level: usize,
    deepest: usize,
}

impl<'a> Visitor<'a> for Depth {
    fn visit_expr(&mut self, expression: &'a Expr) {
        self.level += 1;
        self.deepest = self.deepest.max(self.level);
        walk_expr(self, expression);
        self.level -= 1;
    }
}

const LEVELS_EXPLAINED: usize = 100;

struct Rewriter<'a> {
    source: &'a str,
    tokens: &'a Tokens,
    /// Names of the enclosing functions; none at the top level of the file.
    locals: Vec<BTreeSet<String>>,
    /// Texts and their positions; at equal positions, ends precede beginnings.
    inserts: Vec<(TextSize, bool, String)>,
    sites: Vec<Node>,
    values: usize,
}

impl<'ast> Visitor<'ast> for Rewriter<'_> {
    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::Assert(assert) => self.assert(assert),
            Stmt::FunctionDef(function) if is_machine_code(function) => {}
            Stmt::FunctionDef(function) => {
                let mut names = Names::default();
                names.visit_parameters(&function.parameters);
                names.visit_body(&function.body);
                self.locals.push(names.0);
                self.visit_body(&function.body);
                self.locals.pop();
            }
            _ => walk_stmt(self, statement),
        }
    }
}

impl Rewriter<'_> {
    fn text(&mut self) -> String {
        self.inserts
            .sort_by_key(|(offset, begins, _)| (*offset, *begins));
        let mut text = String::new();
        let mut done = 0;
        for (offset, _, insert) in &self.inserts {
            let at = offset.to_usize();
            text += &self.source[done..at];
            text += insert;
            done = at;
        }
        text + &self.source[done..]
    }

    fn assert(&mut self, assert: &StmtAssert) {
        // `assert (x, "message")` always holds.
        if assert.test.is_tuple_expr() || is_deep(&assert.test) {
            return;
        }
        let end = match &assert.msg {
            None => assert.end(),
            Some(message) => {
                let between = self.tokens.after(assert.test.end()).iter();
                let mut between = between.take_while(|token| token.start() < message.start());
                match between.find(|token| token.kind() == TokenKind::Comma) {
                    Some(comma) => comma.start(),
                    None => return,
                }
            }
        };
        let number = self.sites.len();
        self.begin(assert.start() + KEYWORD, " _fl_e(_fl_b(),");
        let node = self.node(&assert.test);
        self.sites.push(node);
        match &assert.msg {
            None => self.end(end, format!("),_fl_w({number})")),
            Some(_) => {
                self.end(end, ")".into());
                self.begin(end + TextSize::new(1), &format!(" _fl_w({number},"));
                self.end(assert.end(), ")".into());
            }
        }
    }

    fn begin(&mut self, at: TextSize, text: &str) {
        self.inserts.push((at, true, text.to_owned()));
    }

    fn end(&mut self, at: TextSize, text: String) {
        self.inserts.push((at, false, text));
    }

    /// Keeps the value of an expression, after those that `inner` finds in it.
    fn keep<T>(&mut self, expression: &Expr, inner: impl FnOnce(&mut Self) -> T) -> (usize, T) {
        let id = self.values;
        self.values += 1;
        self.begin(expression.start(), &format!("_fl_v({id},"));
        let found = inner(self);
        self.end(expression.end(), ")".into());
        (id, found)
    }

    fn node(&mut self, expression: &Expr) -> Node {
        match expression {
            Expr::Compare(compare) => {
                let left = self.node(&compare.left);
                let rest = compare.ops.iter().zip(&compare.comparators);
                let rest = rest.map(|(operator, right)| (operator.as_str(), self.node(right)));
                Node::Compare(left.into(), rest.collect())
            }
            Expr::BoolOp(operation) => {
                let word = match operation.op {
                    BoolOp::And => "and",
                    BoolOp::Or => "or",
                };
                let operands = operation.values.iter().map(|operand| self.node(operand));
                Node::Bool(word, operands.collect())
            }
            Expr::UnaryOp(operation) => {
                let word = match operation.op {
                    UnaryOp::Not => "not ",
                    UnaryOp::Invert => "~",
                    UnaryOp::UAdd => "+",
                    UnaryOp::USub => "-",
                };
                Node::Unary(word, self.node(&operation.operand).into())
            }
            Expr::BinOp(operation) => {
                let left = self.node(&operation.left);
                let right = self.node(&operation.right);
                Node::Binary(left.into(), word(operation.op), right.into())
            }
            Expr::Call(call) if !is_super(&call.func) => {
                let (id, (function, arguments)) = self.keep(expression, |this| {
                    let function = match call.func.as_ref() {
                        Expr::Name(name) if !this.is_local(&name.id) => {
                            Node::Source(name.id.to_string())
                        }
                        function => this.node(function),
                    };
                    let given = call.arguments.args.iter();
                    let mut arguments: Vec<_> = given
                        .map(|argument| (String::new(), this.node(argument)))
                        .collect();
                    for keyword in &call.arguments.keywords {
                        let name = keyword.arg.as_ref().map(|name| format!("{name}="));
                        let before = name.unwrap_or_else(|| "**".into());
                        arguments.push((before, this.node(&keyword.value)));
                    }
                    (function.into(), arguments)
                });
                Node::Call {
                    id,
                    function,
                    arguments,
                }
            }
            Expr::Attribute(attribute) if !is_super(&attribute.value) => {
                let (id, value) = self.keep(expression, |this| this.node(&attribute.value).into());
                let name = attribute.attr.to_string();
                Node::Attribute { id, value, name }
            }
            Expr::Name(name) => {
                let (id, ()) = self.keep(expression, |_| ());
                let source = name.id.to_string();
                match self.is_local(&name.id) {
                    true => Node::Value(id, source),
                    false => Node::Global(id, source),
                }
            }
            _ if is_as_written(expression) => Node::Source(self.written(expression)),
            _ => {
                let (id, ()) = self.keep(expression, |_| ());
                Node::Value(id, self.written(expression))
            }
        }
    }

    fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|names| names.contains(name))
    }

    /// Returns the text of an expression, on one line; a string as `repr` writes it.
    fn written(&self, expression: &Expr) -> String {
        match expression {
            Expr::StringLiteral(text) => return represented(text.value.to_str(), ""),
            Expr::BytesLiteral(bytes) => {
                let text: String = bytes.value.bytes().map(char::from).collect();
                return represented(&text, "b");
            }
            Expr::NumberLiteral(number) => {
                if let Number::Int(int) = &number.value
                    && let Some(int) = int.as_u64()
                {
                    return int.to_string();
                }
            }
            _ => {}
        }
        let words = self.source[expression.range()].split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Formats a text as Python's `repr` does.
fn represented(value: &str, kind: &str) -> String {
    let quote = if value.contains('\'') && !value.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut text = format!("{kind}{quote}");
    for character in value.chars() {
        let code = u32::from(character);
        match character {
            '\\' => text += "\\\\",
            '\n' => text += "\\n",
            '\r' => text += "\\r",
            '\t' => text += "\\t",
            _ if character == quote => {
                text.push('\\');
                text.push(character);
            }
            _ if code < 32 || (127..160).contains(&code) || (kind == "b" && code > 126) => {
                text += &format!("\\x{code:02x}");
            }
            _ => text.push(character),
        }
    }
    text.push(quote);
    text
}

/// Returns true for expressions that are displayed as written: literals, and those that cannot stand alone as an
/// argument.
fn is_as_written(expression: &Expr) -> bool {
    expression.is_literal_expr()
        || matches!(
            expression,
            Expr::Lambda(_)
                | Expr::Named(_)
                | Expr::Yield(_)
                | Expr::YieldFrom(_)
                | Expr::Starred(_)
                | Expr::Generator(_)
                | Expr::Slice(_)
        )
}

/// Returns true for `super` and `super()`, which the compiler only recognizes in this form.
fn is_super(expression: &Expr) -> bool {
    match expression {
        Expr::Name(name) => name.id.as_str() == "super",
        Expr::Call(call) => is_super(&call.func),
        _ => false,
    }
}

/// Returns true for a function whose values are not objects: `@micropython.viper`, `@rp2.asm_pio()` and similar.
fn is_machine_code(function: &StmtFunctionDef) -> bool {
    function.decorator_list.iter().any(|decorator| {
        let mut name = &decorator.expression;
        if let Expr::Call(call) = name {
            name = &call.func;
        }
        let name = match name {
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            Expr::Name(name) => name.id.as_str(),
            _ => "",
        };
        name == "viper" || name.starts_with("asm_")
    })
}

const fn word(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Sub => "-",
        Operator::Mult => "*",
        Operator::MatMult => "@",
        Operator::Div => "/",
        Operator::Mod => "%",
        Operator::Pow => "**",
        Operator::LShift => "<<",
        Operator::RShift => ">>",
        Operator::BitOr => "|",
        Operator::BitXor => "^",
        Operator::BitAnd => "&",
        Operator::FloorDiv => "//",
    }
}

/// Names bound by a function.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl<'ast> Visitor<'ast> for Names {
    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::FunctionDef(function) => drop(self.0.insert(function.name.to_string())),
            Stmt::ClassDef(class) => drop(self.0.insert(class.name.to_string())),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        if let Expr::Name(name) = expression
            && name.ctx == ExprContext::Store
        {
            self.0.insert(name.id.to_string());
        }
        walk_expr(self, expression);
    }

    fn visit_parameter(&mut self, parameter: &'ast ruff_python_ast::Parameter) {
        self.0.insert(parameter.name.to_string());
        walk_parameter(self, parameter);
    }
}

/// Length of `assert`.
const KEYWORD: TextSize = TextSize::new(6);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asserts_keep_their_lines_and_are_python_in_every_form() {
        for source in [
            "assert a == b",
            "assert(a == b)",
            "assert (a\n == b), 'no' # why",
            "assert f(x, *y, z=1, **k) and not o.p[2] or (q := 3)",
            "assert any(x for x in y), ('a'\n 'b')",
            "assert (yield) == 1\n",
            "assert a < b <= -c ** 2, \\\n  'x'",
            "assert x; assert y, z; w = 1",
            "assert lambda: 0",
            "assert (a == b) == (c in d)",
            "assert 'it' in s.t().u",
            "assert [x for x in y] == {**z}",
            "assert (\n  a\n), (\n  b\n)",
        ] {
            for place in ["", "def test_a(y):\n "] {
                let file = format!("{place}{}\n", source.replace('\n', "\n  "));
                let rewritten = rewrite(&file);
                assert!(!rewritten.sites.is_empty(), "{file}: {}", rewritten.source);
                assert_eq!(
                    rewritten.source.lines().count(),
                    file.lines().count(),
                    "{}",
                    rewritten.source
                );
            }
        }
        for same in [
            "assert (a, 'always')\n",
            "'PYTEST_DONT_REWRITE'\nassert a\n",
            "@micropython.viper\ndef f(): assert a\n",
        ] {
            assert_eq!(rewrite(same).source, same);
        }
    }

    #[test]
    fn operands_are_handed_to_the_runner() {
        let source = "assert a.b == f(1), m\n";
        let expected =
            "assert _fl_e(_fl_b(), _fl_v(0,_fl_v(1,a).b) == _fl_v(2,f(1))), _fl_w(0, m)\n";
        assert_eq!(rewrite(source).source, expected);
    }
}
