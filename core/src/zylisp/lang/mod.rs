//! The language: the Zylisp interpreter's forms and primitives, made safe to share.
//!
//! An [`Interpreter`] is one environment. It is given source with [`begin`](Interpreter::begin) and evaluates it in
//! slices of fuel with [`run`](Interpreter::run), so that the thread which evaluates can also listen: an interrupt, a
//! deadline or a closed connection is seen between two slices.
//!
//! ```
//! use flylead_core::zylisp::lang::{Interpreter, Limits, Step};
//!
//! let mut interpreter = Interpreter::new(Limits::default());
//! interpreter.begin("(define square (lambda (n) (* n n))) (square 12)");
//! let answer = loop {
//!     match interpreter.run(10_000) {
//!         Step::OutOfFuel => continue, // a good moment to look at the clock and the socket
//!         Step::Done(result) => break result,
//!     }
//! };
//! assert_eq!(answer.unwrap().to_string(), "144");
//! ```
//!
//! ```text
//!  source ─► lexer ─► reader ─► compiler ─► machine ─► answer (JSON and text)
//!            tokens   flat tree  flat code   stack, frames and a collected heap
//! ```
//!
//! Nothing recurses on the host's stack: the tree and the code are flat vectors, calls and half-done work are
//! explicit stacks, and values live in one heap, so reading, evaluating, printing and dropping are safe at any depth.
//! Memory, call depth, output and the size of an answer are limits, and passing one is an error of the program.
//!
//! What goes beyond the original: `println`, many forms in one source, proper tail calls. A program that runs there
//! gives the same here.

mod answer;
mod compile;
mod error;
mod heap;
mod interpreter;
mod lexer;
mod machine;
mod manual;
mod op;
mod primitive;
mod print;
mod reader;
mod symbol;
mod value;

pub use answer::{Answer, text_of};
pub use error::{Error, ErrorKind};
pub use interpreter::{Interpreter, Limits, Step};
pub use manual::{Entry, MANUAL};
pub use reader::is_unfinished;

#[cfg(test)]
mod tests;
