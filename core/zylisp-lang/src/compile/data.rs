//! Quoted data.

use alloc::vec::Vec;

use crate::{
    compile::{Compiler, Task, World, index},
    machine::heap::Handle,
    machine::op::Op,
    machine::value::Value,
    reader::Node,
};

/// A value that is being built from its nodes, first to last.
#[derive(Debug)]
pub(super) struct Data {
    next: u32,
    end: u32,
    /// Open lists, outermost first, after a list that holds the whole result.
    open: Vec<Open>,
}

/// A list that is being built.
#[derive(Debug)]
struct Open {
    /// The node after the list's last one.
    end: u32,
    list: Value,
    last: Option<Handle>,
}

impl Compiler {
    pub(super) fn quote(&mut self, list: u32, tail: bool) {
        if let Some([node]) = self.operands("quote", list) {
            self.quote_node(node, tail);
        }
    }

    pub(super) fn quote_node(&mut self, node: u32, tail: bool) {
        let data = self.data_of(node);
        self.work.push(Task::Quote { data, tail });
    }

    /// Continues to build a value from nodes.
    pub(super) fn quoted(&mut self, mut data: Data, tail: bool, world: &mut World<'_>) {
        for _ in 0..NODES_PER_FUEL {
            if let Some(value) = self.build(&mut data, world) {
                let op = self.constant(value);
                return self.value(op, tail);
            }
        }
        self.work.push(Task::Quote { data, tail });
    }

    /// Returns the value of a node in one step, for an error message.
    pub(super) fn value_of(&self, node: u32, world: &mut World<'_>) -> Value {
        let mut data = self.data_of(node);
        loop {
            if let Some(value) = self.build(&mut data, world) {
                return value;
            }
        }
    }

    fn data_of(&self, node: u32) -> Data {
        let end = self.tree.after(node);
        Data {
            next: node,
            end,
            open: Vec::new(),
        }
    }

    /// Adds one node, or ends one list. Returns the value once it is complete.
    fn build(&self, data: &mut Data, world: &mut World<'_>) -> Option<Value> {
        if let Some(open) = data.open.pop_if(|open| open.end == data.next) {
            return data.append(open.list, world);
        }
        let node = data.next;
        data.next += 1;
        let value = match self.tree.node(node) {
            Node::Number(number) => Value::Number(number.into()),
            Node::Long(number) => Value::Number(self.tree.number_at(number)),
            Node::Bool(truth) => Value::Bool(truth),
            Node::Symbol(symbol) => Value::Symbol(symbol),
            Node::Text(text) => world.heap.text(self.tree.text_at(text)),
            Node::List { end } => {
                let (list, last) = (Value::Empty, None);
                data.open.push(Open { end, list, last });
                return None;
            }
        };
        data.append(value, world)
    }

    fn constant(&mut self, value: Value) -> Op {
        self.unit.constants.push(value);
        Op::Constant(index(self.unit.constants.len() - 1))
    }
}

impl Data {
    /// Appends a value to the innermost open list; without one, the value is the result.
    fn append(&mut self, value: Value, world: &mut World<'_>) -> Option<Value> {
        let Some(open) = self.open.last_mut() else {
            debug_assert_eq!(self.next, self.end);
            return Some(value);
        };
        let pair = world.heap.pair(value, Value::Empty);
        match open.last {
            Some(last) => world.heap.set_rest(last, pair),
            None => open.list = pair,
        }
        open.last = pair.handle();
        None
    }
}

/// Number of nodes added in the time of one operation.
const NODES_PER_FUEL: usize = 4;
