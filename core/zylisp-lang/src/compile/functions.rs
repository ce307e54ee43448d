//! Functions: their parameters, what their bodies define, and when their code is made.

use alloc::{collections::BTreeMap, format};

use crate::{
    compile::{Compiler, Task, World, index},
    error::{ErrorKind, Fault},
    op::{Function, Op},
    print::brief,
    reader::Node,
    symbol::Symbol,
};

/// The variables of one function.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) outer: Option<usize>,
    depth: usize,
    /// Whether they live in the heap.
    pub(super) captured: bool,
    pub(super) slots: BTreeMap<Symbol, Slot>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) index: u32,
    /// A parameter has a value from the start; what `define` binds has one from then on.
    pub(super) always_set: bool,
}

/// A function whose code is not made yet, and how far that has come.
#[derive(Debug)]
pub(super) struct Body {
    function: usize,
    scope: usize,
    /// The instruction that makes it.
    made_at: usize,
    /// The parameters from here on, and where they end.
    parameter: u32,
    parameters_end: u32,
    node: u32,
    /// The part of the body that is to be looked at for definitions.
    scan: u32,
}

impl Compiler {
    pub(super) fn lambda(&mut self, list: u32, name: Option<Symbol>, tail: bool) {
        let Some([parameters, node]) = self.operands("lambda", list) else {
            return;
        };
        if !matches!(self.tree.node(parameters), Node::List { .. }) {
            let message = "lambda: parameters must be a list";
            return self.raise(list, ErrorKind::Type, message);
        }
        let outer = self.current;
        self.waiting.push(Body {
            function: self.unit.functions.len(),
            scope: self.scopes.len(),
            made_at: self.unit.ops.len(),
            parameter: parameters + 1,
            parameters_end: self.tree.after(parameters),
            node,
            scan: node,
        });
        self.scopes.push(Scope {
            outer,
            depth: outer.map_or(1, |outer| self.scopes[outer].depth + 1),
            captured: false,
            slots: BTreeMap::new(),
        });
        self.make_function(list, name, tail);
    }

    fn make_function(&mut self, list: u32, name: Option<Symbol>, tail: bool) {
        let number = index(self.unit.functions.len());
        self.unit.functions.push(Function {
            name,
            offset: self.tree.offset(list),
            entry: 0,
            first_parameter: 0,
            parameters: 0,
            locals: 0,
            captured: false,
        });
        self.emit_at(list, Op::MakeFunction(number));
        self.end(tail);
    }

    pub(super) fn begin_body(&mut self, body: Body) -> Result<(), Fault> {
        if self.scopes[body.scope].depth > NESTING_LIMIT {
            return Err(too_nested());
        }
        let first = index(self.unit.parameters.len());
        self.unit.functions[body.function].first_parameter = first;
        self.work.push(Task::Body(body));
        Ok(())
    }

    /// Takes in a parameter, or a node of the body; then makes the code.
    pub(super) fn body(&mut self, mut body: Body, world: &mut World<'_>) {
        if body.parameter < body.parameters_end {
            if self.parameter(&body, world) {
                body.parameter += 1;
                self.work.push(Task::Body(body));
            }
        } else if body.scan < self.tree.after(body.node) {
            body.scan = self.scan(&body);
            self.work.push(Task::Body(body));
        } else {
            self.make_code(&body);
        }
    }

    /// Whether it is one. If not, the function cannot be made, which is said where it would have been.
    fn parameter(&mut self, body: &Body, world: &mut World<'_>) -> bool {
        let Node::Symbol(symbol) = self.tree.node(body.parameter) else {
            let value = self.value_of(body.parameter, world);
            let got = brief(value, world.names());
            let message = format!("lambda: parameter must be a symbol, got {got}");
            self.unit.ops[body.made_at] = self.fault(Fault::new(ErrorKind::Type, message));
            return false;
        };
        let function = &mut self.unit.functions[body.function];
        let slot = Slot {
            index: function.parameters,
            always_set: true,
        };
        function.parameters += 1;
        self.unit.parameters.push(symbol);
        // Of two parameters with one name, the last counts.
        self.scopes[body.scope].slots.insert(symbol, slot);
        true
    }

    /// Looks at a node for a name that the body defines and for functions in it. It looks over the body as flat text,
    /// so it may find too much, never too little. The node to look at next.
    fn scan(&mut self, body: &Body) -> u32 {
        let node = body.scan;
        match self.head(node) {
            Some(Symbol::LAMBDA) => {
                self.scopes[body.scope].captured = true;
                self.tree.after(node)
            }
            Some(Symbol::QUOTE) => self.tree.after(node),
            Some(Symbol::DEFINE) => {
                self.local(body, node);
                node + 1
            }
            _ => node + 1,
        }
    }

    fn local(&mut self, body: &Body, define: u32) {
        let name = self.tree.elements(define).nth(1);
        let Some(Node::Symbol(symbol)) = name.map(|name| self.tree.node(name)) else {
            return;
        };
        let function = &mut self.unit.functions[body.function];
        self.scopes[body.scope]
            .slots
            .entry(symbol)
            .or_insert_with(|| {
                function.locals += 1;
                Slot {
                    index: function.parameters + function.locals - 1,
                    always_set: false,
                }
            });
    }

    fn make_code(&mut self, body: &Body) {
        let function = &mut self.unit.functions[body.function];
        function.entry = index(self.unit.ops.len());
        function.captured = self.scopes[body.scope].captured;
        self.unit.order.push(index(body.function));
        self.current = Some(body.scope);
        self.later(body.node, true);
    }
}

/// How deep functions may be written in functions. Each level makes looking for a name slower.
const NESTING_LIMIT: usize = 256;

fn too_nested() -> Fault {
    let message = format!("functions nest deeper than {NESTING_LIMIT}; define them apart");
    Fault::new(ErrorKind::Limit, message)
}
