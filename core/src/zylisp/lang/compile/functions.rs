//! Functions: their parameters, what their bodies define, and when their code is made.

use alloc::{collections::BTreeMap, format};

use super::{
    super::{
        error::{Error, ErrorKind},
        op::{Function, Op},
        print::{Names, brief},
        reader::Node,
        symbol::Symbol,
    },
    Body, Compiler, Scope, Slot, index,
};

impl Compiler<'_> {
    pub(super) fn functions(&mut self) -> Result<(), Error> {
        while let Some(body) = self.waiting.pop() {
            let depth = self.scopes[body.scope].depth;
            if depth > NESTING_LIMIT {
                return Err(too_nested());
            }
            self.unit.functions[body.function].entry = self.here();
            self.current = Some(body.scope);
            self.expression(body.node, true);
        }
        Ok(())
    }
    pub(super) fn lambda(&mut self, list: u32, tail: bool) {
        let Some([parameters, body]) = self.operands("lambda", list) else {
            return;
        };
        if !matches!(self.tree.node(parameters), Node::List { .. }) {
            return self.raise(ErrorKind::Type, "lambda: parameters must be a list");
        }
        match self.scope(parameters, body) {
            Ok((scope, function)) => self.function(scope, function, body, tail),
            Err(node) => {
                let value = self.data(node);
                let got = brief(value, Names::new(self.heap, self.symbols));
                self.raise(
                    ErrorKind::Type,
                    format!("lambda: parameter must be a symbol, got {got}"),
                );
            }
        }
    }

    fn function(&mut self, scope: Scope, function: Function, node: u32, tail: bool) {
        let number = self.unit.functions.len();
        self.waiting.push(Body {
            function: number,
            node,
            scope: self.scopes.len(),
        });
        self.scopes.push(scope);
        self.unit.functions.push(function);
        self.value(Op::MakeFunction(index(number)), tail);
    }

    /// The variables of a function; or the parameter that is not a name.
    fn scope(&self, parameters: u32, body: u32) -> Result<(Scope, Function), u32> {
        let mut slots = BTreeMap::new();
        let mut count = 0;
        for node in self.tree.elements(parameters) {
            let Node::Symbol(symbol) = self.tree.node(node) else {
                return Err(node);
            };
            // Of two parameters with one name, the last counts.
            slots.insert(
                symbol,
                Slot {
                    index: count,
                    always_set: true,
                },
            );
            count += 1;
        }
        let parameters = count;
        let captured = self.scan(body, |symbol| {
            slots.entry(symbol).or_insert_with(|| {
                count += 1;
                Slot {
                    index: count - 1,
                    always_set: false,
                }
            });
        });
        let scope = Scope {
            outer: self.current,
            depth: self.current.map_or(1, |outer| self.scopes[outer].depth + 1),
            captured,
            slots,
        };
        let function = Function {
            entry: 0,
            parameters,
            locals: count - parameters,
            captured,
        };
        Ok((scope, function))
    }

    /// Reports each name that a body may define, and whether it has a function in it. Looks over the body as flat
    /// text, so it may report too much, never too little.
    fn scan(&self, body: u32, mut defines: impl FnMut(Symbol)) -> bool {
        let mut has_function = false;
        let mut node = body;
        let end = self.tree.after(body);
        while node < end {
            node = match self.head(node) {
                Some(Symbol::LAMBDA) => {
                    has_function = true;
                    self.tree.after(node)
                }
                Some(Symbol::QUOTE) => self.tree.after(node),
                Some(Symbol::DEFINE) => {
                    if let Some(Node::Symbol(symbol)) = self
                        .tree
                        .elements(node)
                        .nth(1)
                        .map(|name| self.tree.node(name))
                    {
                        defines(symbol);
                    }
                    node + 1
                }
                _ => node + 1,
            };
        }
        has_function
    }

    /// The symbol that a list begins with.
    fn head(&self, node: u32) -> Option<Symbol> {
        let Node::List { end } = self.tree.node(node) else {
            return None;
        };
        if end == node + 1 {
            return None;
        }
        match self.tree.node(node + 1) {
            Node::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }
}

/// How deep functions may be written in functions. Each level makes looking for a name slower.
const NESTING_LIMIT: usize = 256;

fn too_nested() -> Error {
    Error::new(
        ErrorKind::Limit,
        format!("functions nest deeper than {NESTING_LIMIT}; define them apart"),
    )
}
