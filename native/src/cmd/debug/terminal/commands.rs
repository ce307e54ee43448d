//! The commands of a breakpoint, which are obeyed at each stop there, as in pdb.

use flylead_core::debug::{ModuleId, Reason, Stop};

use super::{
    super::{Failure, command::Command},
    Terminal,
    breakpoints::Set,
    typist::{Line, Source},
};
use crate::cmd::interrupts::Interrupts;

impl Terminal {
    /// Reads the commands of a breakpoint, which a line `end` or the program's going on ends.
    pub(super) async fn read_commands(
        &mut self,
        number: u32,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        let mut commands = Vec::new();
        while let Some(Line { text, .. }) = self.typist.next(interrupts).await? {
            let text = text.trim();
            if text == "end" {
                break;
            }
            if !text.is_empty() {
                commands.push(text.to_owned());
            }
            if resumes(text) {
                break;
            }
        }
        if let Some(set) = self.numbered(number)? {
            set.commands = commands;
        }
        Ok(())
    }

    /// The commands of the breakpoints at which the program has stopped.
    pub(super) fn commands_at(&self, stop: &Stop) -> Vec<String> {
        let here = self.breakpoints.iter().filter(|one| one.is_at(stop));
        here.flat_map(|one| one.commands.clone()).collect()
    }

    /// Has these obeyed before all others.
    pub(super) fn begin_commands(&mut self, commands: Vec<String>) {
        let commands = commands.into_iter().filter(|text| !is_silent(text));
        for text in commands.rev() {
            let source = Source::Breakpoint;
            self.typist.quiet.push_front(Line { text, source });
        }
    }

    /// The program goes on: what is left of them is not for where it stops next.
    pub(super) fn end_commands(&mut self) {
        let quiet = &mut self.typist.quiet;
        quiet.retain(|line| line.source != Source::Breakpoint);
    }

    /// Takes the temporary breakpoint at which the program has stopped, if there is one.
    pub(super) fn take_temporary(&mut self, stop: &Stop) -> Option<ModuleId> {
        let is_it = |one: &Set| one.temporary && one.is_at(stop);
        let at = self.breakpoints.iter().position(is_it)?;
        Some(self.breakpoints.remove(at).module)
    }
}

impl Set {
    /// Returns true if the program has stopped because of it.
    fn is_at(&self, stop: &Stop) -> bool {
        let frame = stop.frames.first();
        let place = frame.map(|frame| (frame.module, frame.line));
        let is_it = Some((self.module, self.wish.line)) == place;
        stop.reason == Reason::Breakpoint && self.is_enabled && is_it
    }
}

/// Returns true for the command that keeps a stop from being shown.
pub(super) fn is_silent(text: &str) -> bool {
    text.trim() == "silent"
}

/// Returns true for a line by which the program goes on or ends.
fn resumes(text: &str) -> bool {
    let mut commands = text.split(";;").map(Command::parse);
    commands.any(|command| {
        matches!(
            command,
            Command::Step
                | Command::Next
                | Command::Return
                | Command::Continue
                | Command::Until(_)
                | Command::Quit
        )
    })
}
