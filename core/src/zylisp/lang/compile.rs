//! The tree into code, with every variable resolved to where it will be.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use super::{
    error::{Error, ErrorKind},
    heap::Heap,
    op::{Function, Lookup, Op, Place, Unit},
    primitive::wrong_count,
    print::{Names, brief},
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
        unit: Unit::default(),
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

    fn functions(&mut self) -> Result<(), Error> {
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

/// Functions and their variables.
impl Compiler<'_> {
    fn lambda(&mut self, list: u32, tail: bool) {
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

    fn assignment(&self, symbol: Symbol) -> Op {
        let Some(scope) = self.current.map(|current| &self.scopes[current]) else {
            return Op::SetGlobal(symbol);
        };
        match scope.slots.get(&symbol) {
            Some(slot) if scope.captured => Op::SetScope { slot: slot.index },
            Some(slot) => Op::SetStack { slot: slot.index },
            None => unreachable!("a scope has a slot for every name that is defined in it"),
        }
    }

    fn variable(&mut self, symbol: Symbol) -> Op {
        let (places, certain) = self.places(symbol);
        match places.as_slice() {
            [] => Op::Global(symbol),
            [Place::Stack { slot }] if certain => Op::Stack { slot: *slot },
            [Place::Scope { out, slot }] if certain => Op::Scope {
                out: *out,
                slot: *slot,
            },
            _ => {
                let number = index(self.unit.lookups.len());
                self.unit.lookups.push(Lookup { symbol, places });
                Op::Lookup(number)
            }
        }
    }

    /// Where a name may be bound, innermost first, and whether the last place surely has it.
    fn places(&self, symbol: Symbol) -> (Vec<Place>, bool) {
        let mut places = Vec::new();
        let mut scope = self.current.map(|current| &self.scopes[current]);
        let mut out = 0;
        while let Some(Scope {
            outer,
            captured,
            slots,
            ..
        }) = scope
        {
            if let Some(slot) = slots.get(&symbol) {
                places.push(match *captured {
                    true => Place::Scope {
                        out,
                        slot: slot.index,
                    },
                    false => Place::Stack { slot: slot.index },
                });
                if slot.always_set {
                    return (places, true);
                }
            }
            // Only the innermost function's variables can be on the stack: the others have it inside.
            out += u32::from(*captured);
            scope = outer.map(|outer| &self.scopes[outer]);
        }
        (places, false)
    }
}

/// Quoted data.
impl Compiler<'_> {
    /// Builds a value from its nodes, last first, so that a list finds its elements ready.
    fn data(&mut self, node: u32) -> Value {
        let mut ready = Vec::new();
        for node in (node..self.tree.after(node)).rev() {
            let value = match self.tree.node(node) {
                Node::Number(number) => Value::Number(number),
                Node::Bool(truth) => Value::Bool(truth),
                Node::Symbol(symbol) => Value::Symbol(symbol),
                Node::Text(text) => self.heap.text(&self.tree.texts[text as usize]),
                Node::List { .. } => self.data_list(node, &mut ready),
            };
            ready.push(value);
        }
        ready.pop().unwrap_or(Value::Nil)
    }

    fn data_list(&mut self, list: u32, ready: &mut Vec<Value>) -> Value {
        let start = ready.len() - self.tree.elements(list).count();
        ready[start..].reverse();
        let value = self.heap.list(&ready[start..]);
        ready.truncate(start);
        value
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

/// Sources are far shorter than 4 GiB, so their parts can be counted in 32 bits.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
