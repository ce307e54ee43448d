//! Unwanted traces of commands on a board.

use super::{
    bench::Bench,
    check::{Ran, run},
};

/// Names, directory, search path, modules and mounts, as far as the board reports them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State(Vec<String>);

impl State {
    /// Queries the state of the board.
    pub(super) async fn of(bench: &Bench) -> Result<Self, Ran> {
        let ran = bench.run(&run(&["exec", PROGRAM])).await;
        match ran.exit {
            Some(0) => Ok(Self(ran.stdout.lines().map(str::to_owned).collect())),
            _ => Err(ran),
        }
    }

    /// Returns the lines that differ.
    pub(super) fn difference(&self, after: &Self) -> Option<String> {
        let gone = self.0.iter().filter(|line| !after.0.contains(line));
        let new = after.0.iter().filter(|line| !self.0.contains(line));
        let gone = gone.map(|line| format!("-{line}"));
        let lines: Vec<_> = gone.chain(new.map(|line| format!("+{line}"))).collect();
        (!lines.is_empty()).then(|| lines.join(" "))
    }
}

/// Prints one fact per line, and leaves nothing behind. Values belong to the user, and not in the report. If these two
/// modules are written in Python, as on the board of the page, any program that works with files imports them for good.
const PROGRAM: &str = "\
def __seen__():
 global __seen__
 del __seen__
 from builtins import print,sorted,globals,getattr
 import sys
 try:
  import os,binascii
 except ImportError:pass
 for n in sorted(globals()):print('name',n)
 for n in sorted(getattr(sys,'modules',())):print('module',n)
 print('path',getattr(sys,'path',0))
 try:
  import os
  print('directory',os.getcwd())
  print('root',sorted(os.listdir('/')))
 except(ImportError,AttributeError,TypeError,OSError):pass
__seen__()";
