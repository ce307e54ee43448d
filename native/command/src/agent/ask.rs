//! Questions to the person.

use clap::{Args, ValueEnum};
use flylead_core::agent::{Inbox, Step, Task, Unfit};
use flylead_native::agent::{Agent, AgentError, Approval, Options};
use flylead_native::workspace::{Accept, unseen};

use super::{Exit, Failure, accept, keys, show, stop};
use crate::terminal::say;

/// Rules for steps that need no question.
#[derive(Debug, Args)]
pub(super) struct Rules {
    /// Do not ask: change files, and run all shell commands; with =files, only change files
    #[arg(short, long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    yes: Option<Yes>,
    /// Run shell commands without asking if they begin with these words and contain no shell syntax; may be given
    /// several times. `git` has a special meaning: each command that you approve may change repositories, and its
    /// changes to hooks, settings and the like are shown to you before they are kept
    #[arg(long, value_name = "WORDS")]
    allow: Vec<String>,
    /// Scripts that the person always allows.
    #[arg(skip)]
    always: std::cell::RefCell<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Yes {
    /// Change files, and run all shell commands
    All,
    /// Change files; shell commands run as --allow says
    Files,
}

impl Rules {
    /// Returns an error if consent was not given and nobody is there to give it.
    pub(super) fn require_yes(&self) -> Result<(), Failure> {
        match self.yes.is_some() || keys::is_person_there() {
            true => Ok(()),
            false => Err(Failure::new(Exit::Usage, NOBODY)),
        }
    }

    /// Returns true if commands may change repositories.
    pub(super) fn allows_git(&self) -> bool {
        self.allow.iter().any(|rule| rule == GIT)
    }

    /// Returns the way to accept the changes of commands: a person reviews them, if one is there who did not agree to
    /// everything.
    pub(super) fn accept(&self) -> Accept {
        match self.yes {
            Some(Yes::All) => unseen,
            _ if keys::is_person_there() => accept::ask,
            _ => unseen,
        }
    }

    /// Asks for consent to the plan that was shown.
    pub(super) fn may_begin(&self) -> std::io::Result<bool> {
        match self.yes {
            Some(_) => Ok(true),
            None => keys::yes("Apply?"),
        }
    }

    /// Decides about a step of a reply.
    pub(super) fn decide(&self, step: &Step<'_>) -> Approval {
        if stop::is_stopped() {
            return stopped();
        }
        match step.task {
            Task::Run { script } => self.decide_command(script),
            Task::Change { .. } | Task::Read { .. } => Approval::Run,
        }
    }

    fn decide_command(&self, script: &str) -> Approval {
        let mut rules = self.allow.iter().filter(|rule| *rule != GIT);
        let allowed = rules.any(|rule| matches_rule(rule, script));
        let always = self.always.borrow().iter().any(|known| known == script);
        if self.yes == Some(Yes::All) || allowed || always {
            return Approval::Run;
        }
        if !keys::is_person_there() {
            let why = "not allowed by policy; the person must allow it with --allow or --yes";
            return Approval::Refuse(why.into());
        }
        self.ask(script).unwrap_or_else(|_| refused())
    }

    fn ask(&self, script: &str) -> std::io::Result<Approval> {
        let question = "Run it? [y]es, [n]o, [a]lways, [e]dit ";
        let question = format!("{}\n{question}", show::command(script));
        Ok(match keys::key(&question, "ynae")? {
            Some('y') => Approval::Run,
            Some('a') => {
                self.always.borrow_mut().push(script.to_owned());
                Approval::Run
            }
            Some('e') => match keys::line("instead: ")? {
                other if other.is_empty() => refused(),
                other => Approval::RunInstead(other),
            },
            Some(_) => refused(),
            None => {
                stop::stop();
                stopped()
            }
        })
    }
}

fn refused() -> Approval {
    Approval::Refuse("the person refused".into())
}

fn stopped() -> Approval {
    Approval::Refuse("the person stopped the reply".into())
}

/// Word for the right to change repositories.
const GIT: &str = "git";

/// Returns true if a command begins with the words of a rule, and has no shell syntax.
fn matches_rule(rule: &str, script: &str) -> bool {
    let plain =
        !script.contains(|c: char| c.is_control() || "|&;<>()$`\\\"'*?[]#~=%{}!".contains(c));
    let mut words = script.split_whitespace();
    plain
        && !rule.trim().is_empty()
        && rule
            .split_whitespace()
            .all(|word| words.next() == Some(word))
}

/// Reads a reply. Asks the person, if present, to confirm a reply that may not be intended.
pub(super) fn check(
    agent: &Agent,
    reply: &[u8],
    options: &mut Options,
) -> Result<Inbox, AgentError> {
    match agent.check(reply, *options) {
        Err(why) if keys::is_person_there() && is_meant(&why, options)? => {
            check(agent, reply, options)
        }
        checked => checked,
    }
}

/// Asks the person to confirm a reply that is otherwise refused. The text after a copy of an outbox is shown, and the
/// next question is about it.
fn is_meant(why: &AgentError, options: &mut Options) -> std::io::Result<bool> {
    match why {
        AgentError::Unfit(Unfit::OutboxCopy { commands: 1.. }) => {
            say("the text contains a copy of an outbox; only what follows the copy counts:");
            options.accept_copy = true;
            Ok(true)
        }
        AgentError::AlreadyProcessed {
            sequence,
            waiting: Some(waiting),
        } => {
            say(format_args!(
                "the same text was processed as the reply to outbox {sequence}"
            ));
            options.again = keys::yes(&format!("Is it the reply to outbox {waiting} too?"))?;
            Ok(options.again)
        }
        AgentError::Unfit(Unfit::Stale { waiting }) => {
            say(why);
            options.force = keys::yes(&format!("Take it as the reply to outbox {waiting}?"))?;
            Ok(options.force)
        }
        AgentError::Unfit(Unfit::OutboxCopy { .. } | Unfit::NoCommands | Unfit::Complete)
        | AgentError::AlreadyProcessed { waiting: None, .. }
        | AgentError::Rejected(_)
        | AgentError::Interrupted
        | AgentError::NoSession
        | AgentError::Locked { .. }
        | AgentError::Moved { .. }
        | AgentError::Replaced
        | AgentError::Refused(_)
        | AgentError::Session(_)
        | AgentError::File(_)
        | AgentError::Io(_) => Ok(false),
    }
}

const NOBODY: &str = "nothing was done, because there is no terminal to ask on; review the reply with `flylead agent check`, then pass --yes, or --yes=files to change only files";

#[cfg(test)]
mod tests {
    use super::matches_rule;

    #[test]
    fn a_rule_is_whole_words_and_no_shell_syntax_passes_it() {
        assert!(matches_rule("cargo test", "cargo test --all"));
        assert!(matches_rule("ls", "ls"));
        for script in [
            "cargo tests",
            "cargo",
            "cargo test; rm x",
            "cargo test $(x)",
            "cargo test\nrm x",
            "cargo test > y",
        ] {
            assert!(!matches_rule("cargo test", script), "{script}");
        }
        assert!(!matches_rule(" ", "ls"));
    }
}
