//! Functions: their parameters, the definitions in their bodies, and the time at which their code is compiled.

use alloc::{collections::BTreeMap, format};

use crate::{
    compile::{Compiler, Task, World, index},
    error::{ErrorKind, Fault},
    machine::op::{Function, Op},
    machine::symbol::Symbol,
    print::brief,
    reader::Node,
};

/// The variables of one function.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) outer: Option<usize>,
    depth: usize,
    /// True if the variables live in the heap.
    pub(super) captured: bool,
    pub(super) slots: BTreeMap<Symbol, Slot>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) index: u32,
    /// True if it always has a value. A parameter has one from the start, a variable of `define` only from its
    /// definition on.
    pub(super) always_set: bool,
}

/// A function whose code is not compiled yet, and the progress so far.
#[derive(Debug)]
pub(super) struct Body {
    function: usize,
    scope: usize,
    /// Instruction that creates the function.
    made_at: usize,
    /// Remaining parameters, and their end.
    parameter: u32,
    parameters_end: u32,
    /// True for a `let`, whose parameters have values.
    binds: bool,
    /// Body: forms from this node to the end.
    node: u32,
    end: u32,
    /// Part of the body still to be searched for definitions.
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
        self.function(list, [parameters, node], false);
        self.make_function(list, name, tail);
    }

    /// Compiles the function of a `let`, which is called immediately.
    pub(super) fn let_function(&mut self, list: u32, bindings: u32) {
        self.function(list, [bindings, self.tree.after(bindings)], true);
        self.make_function(list, Some(Symbol::LET), false);
    }

    /// Creates a function whose code is compiled later; the body ends where the list does.
    fn function(&mut self, list: u32, [parameters, node]: [u32; 2], binds: bool) {
        let outer = self.current;
        self.waiting.push(Body {
            function: self.unit.functions.len(),
            scope: self.scopes.len(),
            made_at: self.unit.ops.len(),
            parameter: parameters + 1,
            parameters_end: self.tree.after(parameters),
            binds,
            node,
            end: self.tree.after(list),
            scan: node,
        });
        self.scopes.push(Scope {
            outer,
            depth: outer.map_or(1, |outer| self.scopes[outer].depth + 1),
            captured: false,
            slots: BTreeMap::new(),
        });
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

    /// Handles a parameter, or a node of the body; then compiles the code.
    pub(super) fn body(&mut self, mut body: Body, world: &mut World<'_>) {
        if body.parameter < body.parameters_end {
            if self.parameter(&body, world) {
                body.parameter = self.tree.after(body.parameter);
                self.work.push(Task::Body(body));
            }
        } else if body.scan < body.end {
            body.scan = self.scan(&body);
            self.work.push(Task::Body(body));
        } else {
            self.make_code(&body);
        }
    }

    /// Compiles a parameter and returns true, unless it is invalid. In that case the function
    /// cannot be made, and an error is raised in its place.
    fn parameter(&mut self, body: &Body, world: &mut World<'_>) -> bool {
        let symbol = match self.tree.node(body.parameter) {
            Node::Symbol(symbol) if !body.binds => Some(symbol),
            Node::List { .. } if body.binds => self.binding(body.parameter).map(|(name, _)| name),
            _ => None,
        };
        let Some(symbol) = symbol else {
            let value = self.value_of(body.parameter, world);
            let got = brief(value, world.names());
            let message = match body.binds {
                true => format!("let: a binding is a name and a value, as in (x 1), got {got}"),
                false => format!("lambda: parameter must be a symbol, got {got}"),
            };
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
        // The last of two parameters with the same name counts.
        self.scopes[body.scope].slots.insert(symbol, slot);
        true
    }

    /// Examines a node for a name that the body defines and for functions in it. The scan treats the body as flat text,
    /// so it may find too much, but never too little. Returns the next node to examine.
    fn scan(&mut self, body: &Body) -> u32 {
        let node = body.scan;
        match self.head(node) {
            Some(Symbol::LAMBDA) => {
                self.scopes[body.scope].captured = true;
                self.tree.after(node)
            }
            // Bindings and definitions inside are found too, which is harmless.
            Some(Symbol::LET) => {
                self.scopes[body.scope].captured = true;
                node + 1
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
        self.sequence(body.node, body.end, true);
    }
}

/// Limit of nested functions. Each level slows down the look-up of a name.
const NESTING_LIMIT: usize = 256;

fn too_nested() -> Fault {
    let message = format!("functions nest deeper than {NESTING_LIMIT}; define them apart");
    Fault::new(ErrorKind::Limit, message)
}
