//! Memory of a board, and of a program with hooks in it.

use alloc::{collections::BTreeSet, string::ToString};

use super::{Action, Event, Features, Note, Reach, Session};
use crate::debug::{
    rewrite::Dialect,
    source::{FunctionId, hooked},
};

impl Session {
    /// Gives hooks to every function where the board has room for them, and else to those of interest, which is told.
    pub(super) fn fit(&mut self, features: &Features) {
        let needed = self.needed();
        // One that tells nothing of its memory has what its maker gave it.
        let fits = features.free.is_none_or(|free| needed <= free);
        let fits = features.dialect == Dialect::Walrus && fits;
        if self.launch.reach != Reach::All || fits {
            return;
        }
        self.reach = Reach::Callers;
        let modules = self.project.modules();
        let chosen = self.reckon();
        let all = hooked(&modules, &BTreeSet::new(), Reach::All);
        let is_left = |at: &&(usize, FunctionId)| at.1 != FunctionId::BODY && !chosen.contains(at);
        let names = all.iter().filter(is_left);
        let names = names.map(|at| modules[at.0].function(at.1).qualified_name.to_string());
        let note = Note::SteppedOver {
            functions: names.collect(),
            free: features.free,
            needed,
        };
        if !matches!(&note, Note::SteppedOver { functions, .. } if functions.is_empty()) {
            self.output.push_back(Action::Tell(Event::Note(note)));
        }
    }

    /// Estimate of the memory for the program with hooks everywhere, in bytes. The figures are a Pico's, whose words have
    /// 32 bits; a board with longer ones has far more memory.
    fn needed(&self) -> u32 {
        let modules = self.project.modules();
        let functions: usize = modules.iter().map(|one| one.functions().len()).sum();
        let lines: usize = modules
            .iter()
            .map(|one| one.stoppable_lines().count())
            .sum();
        let longest = modules.iter().map(|one| one.text().len()).max();
        let sum = RUNTIME
            + functions * FUNCTION
            + lines * LINE
            + longest.unwrap_or_default() * COMPILATION;
        u32::try_from(sum).unwrap_or(u32::MAX)
    }
}

/// Bytes of the hooks' own code.
const RUNTIME: usize = 4_000;
/// Bytes of a function's frame in its code, and of the frame itself.
const FUNCTION: usize = 250;
/// Bytes of a line and its hook.
const LINE: usize = 50;
/// Bytes that the compiler needs for each byte of the program while it compiles it with hooks.
const COMPILATION: usize = 6;
