//! Estimates the memory of a board, and of a program with hooks.

use alloc::{collections::BTreeSet, string::ToString};

use super::{Action, Event, Features, Note, Reach, Session};
use crate::debug::{
    rewrite::Dialect,
    source::{FunctionId, hooked},
};

impl Session {
    /// Adds hooks to every function if the board has enough memory; otherwise to those of interest, with a notice.
    pub(super) fn fit(&mut self, features: &Features) {
        let needed = self.needed();
        // A board that does not report its memory has whatever its maker gave it.
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

    /// Returns true if the board can keep the code for stops between them.
    pub(super) fn has_room_for_helpers(&self) -> bool {
        let free = self.features.and_then(|features| features.free);
        free.is_some_and(|free| self.needed().saturating_add(KEPT) <= free)
    }

    /// Estimates the memory for the program with hooks everywhere, in bytes. The figures are those of a Pico, which has
    /// 32-bit words; a board with longer words has far more memory.
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
/// Bytes that a board must have beyond the program's, to keep the code for stops: six times what that takes on a Pico.
const KEPT: u32 = 16_000;
/// Bytes of a function's frame: its code, and the frame itself.
const FUNCTION: usize = 250;
/// Bytes of a line and its hook.
const LINE: usize = 50;
/// Bytes that the compiler needs for each byte of a program with hooks.
const COMPILATION: usize = 6;
