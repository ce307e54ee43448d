//! Commands of a breakpoint, which run at each stop there, as in pdb.

use flylead_core::debug::{ModuleId, Reason, Stop};

use super::{
    super::{Failure, command::Command},
    Terminal,
    breakpoints::Set,
    typist::{Line, Source},
};
use crate::terminal::interrupts::Interrupts;

impl Terminal {
    /// Reads the commands of a breakpoint, up to a line `end` or a command that resumes the program.
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

    /// Returns the commands of the breakpoints at which the program has stopped.
    pub(super) fn commands_at(&self, stop: &Stop) -> Vec<String> {
        let here = self.breakpoints.iter().filter(|one| one.is_at(stop));
        here.flat_map(|one| one.commands.clone()).collect()
    }

    /// Queues these commands before all others.
    pub(super) fn begin_commands(&mut self, commands: Vec<String>) {
        let commands = commands.into_iter().filter(|text| !is_silent(text));
        for text in commands.rev() {
            let source = Source::Breakpoint;
            self.typist.quiet.push_front(Line { text, source });
        }
    }

    /// Drops the remaining commands of a breakpoint when the program resumes, as they do not apply to the next stop.
    pub(super) fn end_commands(&mut self) {
        let quiet = &mut self.typist.quiet;
        quiet.retain(|line| line.source != Source::Breakpoint);
    }

    /// Removes the temporary breakpoint at which the program has stopped, if there is one, and returns its module.
    pub(super) fn take_temporary(&mut self, stop: &Stop) -> Option<ModuleId> {
        let is_it = |one: &Set| one.temporary && one.is_at(stop);
        let at = self.breakpoints.iter().position(is_it)?;
        Some(self.breakpoints.remove(at).module)
    }
}

impl Set {
    /// Returns true if the program has stopped at this breakpoint.
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

/// Returns true for a line that resumes or ends the program.
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
