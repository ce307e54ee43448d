//! Quoted data.

use alloc::vec::Vec;

use super::{
    super::{reader::Node, value::Value},
    Compiler,
};

impl Compiler<'_> {
    /// Builds a value from its nodes, last first, so that a list finds its elements ready.
    pub(super) fn data(&mut self, node: u32) -> Value {
        let mut ready = Vec::new();
        for node in (node + 1..self.tree.after(node)).rev() {
            let value = self.datum(node, &mut ready);
            ready.push(value);
        }
        self.datum(node, &mut ready)
    }

    fn datum(&mut self, node: u32, ready: &mut Vec<Value>) -> Value {
        match self.tree.node(node) {
            Node::Number(number) => Value::Number(number),
            Node::Bool(truth) => Value::Bool(truth),
            Node::Symbol(symbol) => Value::Symbol(symbol),
            Node::Text(text) => self.heap.text(&self.tree.texts[text as usize]),
            Node::List { .. } => self.list_of(node, ready),
        }
    }

    fn list_of(&mut self, list: u32, ready: &mut Vec<Value>) -> Value {
        let start = ready.len() - self.tree.elements(list).count();
        ready[start..].reverse();
        let value = self.heap.list(&ready[start..]);
        ready.truncate(start);
        value
    }
}
