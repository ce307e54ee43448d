//! The tree into code, with every variable resolved to where it will be.

mod data;
mod functions;
mod names;

use alloc::{collections::BTreeMap, string::String, vec::Vec};

use super::{
    error::{Error, ErrorKind},
    heap::Heap,
    op::{Op, Unit},
    primitive::wrong_count,
    reader::{Node, Tree},
    symbol::{Symbol, Symbols},
    value::Value,
};

/// Compiles all forms of a source into one unit, whose value is the last form's.
pub(super) fn compile(tree: &Tree, symbols: &Symbols, heap: &mut Heap) -> Result<Unit, Error> {
    let mut compiler = Compiler {
        tree,
        symbols,
        heap,
        unit: Unit {
            // Most nodes become one operation.
            ops: Vec::with_capacity(tree.nodes.len() + 1),
            ..Unit::default()
        },
        scopes: Vec::new(),
        current: None,
        work: Vec::new(),
        waiting: Vec::new(),
    };
    compiler.source();
    compiler.functions()?;
    Ok(compiler.unit)
}

struct Compiler<'a> {
    tree: &'a Tree,
    symbols: &'a Symbols,
    heap: &'a mut Heap,
    unit: Unit,
    scopes: Vec<Scope>,
    /// The scope whose code is being made, or `None` outside of all functions.
    current: Option<usize>,
    /// What is still to be done, last first: the stack that recursion would use.
    work: Vec<Task>,
    waiting: Vec<Body>,
}

/// The variables of one function.
struct Scope {
    outer: Option<usize>,
    depth: usize,
    /// Whether they live in the heap.
    captured: bool,
    slots: BTreeMap<Symbol, Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    index: u32,
    /// A parameter has a value from the start; what `define` binds has one from then on.
    always_set: bool,
}

/// A function whose code is not made yet.
struct Body {
    function: usize,
    node: u32,
    scope: usize,
}

enum Task {
    Expression {
        node: u32,
        tail: bool,
    },
    Emit(Op),
    Branch {
        then: u32,
        otherwise: u32,
        tail: bool,
    },
    Otherwise {
        jump: usize,
        node: u32,
        tail: bool,
    },
    Land {
        jump: usize,
    },
}

impl Compiler<'_> {
    fn source(&mut self) {
        let mut form = 0;
        if self.tree.nodes.is_empty() {
            self.emit(Op::Push(Value::Nil));
        }
        while form < self.tree.next() {
            self.expression(form, false);
            form = self.tree.after(form);
            if form < self.tree.next() {
                self.emit(Op::Pop);
            }
        }
        self.emit(Op::Return);
    }

    fn expression(&mut self, node: u32, tail: bool) {
        self.work.push(Task::Expression { node, tail });
        while let Some(task) = self.work.pop() {
            match task {
                Task::Expression { node, tail } => self.node(node, tail),
                Task::Emit(op) => self.emit(op),
                Task::Branch {
                    then,
                    otherwise,
                    tail,
                } => self.branch(then, otherwise, tail),
                Task::Otherwise { jump, node, tail } => self.otherwise(jump, node, tail),
                Task::Land { jump } => self.land(jump),
            }
        }
    }

    fn node(&mut self, node: u32, tail: bool) {
        match self.tree.node(node) {
            Node::List { end } if end == node + 1 => self.value(Op::Push(Value::Nil), tail),
            Node::List { .. } => self.list(node, tail),
            Node::Symbol(symbol) => {
                let op = self.variable(symbol);
                self.value(op, tail);
            }
            Node::Number(_) | Node::Bool(_) | Node::Text(_) => self.constant(node, tail),
        }
    }

    fn list(&mut self, list: u32, tail: bool) {
        match self.tree.node(list + 1) {
            Node::Symbol(Symbol::DEFINE) => self.define(list, tail),
            Node::Symbol(Symbol::LAMBDA) => self.lambda(list, tail),
            Node::Symbol(Symbol::IF) => self.conditional(list, tail),
            Node::Symbol(Symbol::QUOTE) => self.quote(list, tail),
            _ => self.call(list, tail),
        }
    }

    fn call(&mut self, list: u32, tail: bool) {
        let start = self.work.len();
        let elements = self.tree.elements(list);
        let tasks = elements.map(|node| Task::Expression { node, tail: false });
        self.work.extend(tasks);
        let count = u32::try_from(self.work.len() - start - 1).unwrap_or(u32::MAX);
        let op = if tail {
            Op::TailCall(count)
        } else {
            Op::Call(count)
        };
        self.work.push(Task::Emit(op));
        self.work[start..].reverse();
    }

    fn define(&mut self, list: u32, tail: bool) {
        let Some([name, value]) = self.operands("define", list) else {
            return;
        };
        let Node::Symbol(symbol) = self.tree.node(name) else {
            return self.raise(ErrorKind::Type, "define: first argument must be a symbol");
        };
        if tail {
            self.work.push(Task::Emit(Op::Return));
        }
        let op = self.assignment(symbol);
        self.work.push(Task::Emit(op));
        self.work.push(Task::Expression {
            node: value,
            tail: false,
        });
    }

    fn conditional(&mut self, list: u32, tail: bool) {
        if let Some([test, then, otherwise]) = self.operands("if", list) {
            self.work.push(Task::Branch {
                then,
                otherwise,
                tail,
            });
            self.work.push(Task::Expression {
                node: test,
                tail: false,
            });
        }
    }

    fn branch(&mut self, then: u32, otherwise: u32, tail: bool) {
        let jump = self.unit.ops.len();
        self.emit(Op::JumpIfFalse(0));
        self.work.push(Task::Otherwise {
            jump,
            node: otherwise,
            tail,
        });
        self.work.push(Task::Expression { node: then, tail });
    }

    fn otherwise(&mut self, jump: usize, node: u32, tail: bool) {
        if !tail {
            self.work.push(Task::Land {
                jump: self.unit.ops.len(),
            });
            self.emit(Op::Jump(0));
        }
        self.land(jump);
        self.work.push(Task::Expression { node, tail });
    }

    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.unit.ops[jump] {
            Op::Jump(target) | Op::JumpIfFalse(target) => *target = here,
            _ => {}
        }
    }

    fn quote(&mut self, list: u32, tail: bool) {
        if let Some([node]) = self.operands("quote", list) {
            self.constant(node, tail);
        }
    }

    fn constant(&mut self, node: u32, tail: bool) {
        let value = self.data(node);
        if value.handle().is_some() {
            self.unit.constants.push(value);
        }
        self.value(Op::Push(value), tail);
    }

    fn value(&mut self, op: Op, tail: bool) {
        self.emit(op);
        if tail {
            self.emit(Op::Return);
        }
    }

    /// A form's operands if there are as many as it takes; if not, code that says so when it is reached.
    fn operands<const N: usize>(&mut self, form: &str, list: u32) -> Option<[u32; N]> {
        let mut elements = self.tree.elements(list).skip(1);
        let mut operands = [0; N];
        let mut count = 0;
        for operand in elements.by_ref() {
            if let Some(place) = operands.get_mut(count) {
                *place = operand;
            }
            count += 1;
        }
        if count != N {
            self.raise_error(wrong_count(form, N, count));
            return None;
        }
        Some(operands)
    }

    fn raise(&mut self, kind: ErrorKind, message: impl Into<String>) {
        self.raise_error(Error::new(kind, message));
    }

    fn raise_error(&mut self, error: Error) {
        let index = index(self.unit.errors.len());
        self.unit.errors.push(error);
        self.emit(Op::Raise(index));
    }

    fn emit(&mut self, op: Op) {
        self.unit.ops.push(op);
    }

    fn here(&self) -> u32 {
        index(self.unit.ops.len())
    }
}

/// Sources are far shorter than 4 GiB, so their parts can be counted in 32 bits.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
