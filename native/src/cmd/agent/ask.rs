//! Asking the person.

use std::{
    io::{self, BufRead, IsTerminal, Read, Write},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use clap::Args;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use flylead::{
    agent::{Agent, AgentError, Approval, Options},
    shell,
};
use flylead_core::agent::{Inbox, Unfit};

use super::{super::interrupts::Interrupts, show::visible};

/// Which shell commands run without a question.
#[derive(Debug, Args)]
pub(super) struct Rules {
    /// Ask nothing and run all shell commands
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Run shell commands that begin with these words, and hold no shell syntax, without asking; may be repeated
    #[arg(long, value_name = "WORDS")]
    allow: Vec<String>,
    /// Scripts that the person allowed for good.
    #[arg(skip)]
    always: std::cell::RefCell<Vec<String>>,
}

impl Rules {
    /// Whether a shell command may run.
    pub(super) fn decide(&self, script: &str) -> Approval {
        if STOPPED.load(Ordering::SeqCst) {
            return Approval::Refuse("the person stopped the reply".into());
        }
        let allowed = self.allow.iter().any(|rule| matches_rule(rule, script));
        let always = self.always.borrow().iter().any(|known| known == script);
        if self.yes || allowed || always {
            return Approval::Run;
        }
        if !is_terminal() {
            let why = "not allowed by policy; the person has to allow it with --allow or --yes";
            return Approval::Refuse(why.into());
        }
        self.ask(script).unwrap_or_else(|_| refused())
    }

    fn ask(&self, script: &str) -> io::Result<Approval> {
        let question = format!(
            "$ {}\nRun it? [y]es, [n]o, [a]lways, [e]dit ",
            visible(script)
        );
        Ok(match key(&question)? {
            b'y' => Approval::Run,
            b'a' => {
                self.always.borrow_mut().push(script.to_owned());
                Approval::Run
            }
            b'e' => match line("instead: ")? {
                other if other.is_empty() => refused(),
                other => Approval::RunInstead(other),
            },
            _ => refused(),
        })
    }
}

fn refused() -> Approval {
    Approval::Refuse("the person refused".into())
}

/// A rule is the first words of a command without any shell syntax.
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

/// Reads a reply. When it holds a copy of an outbox and there is a person to ask, what follows the copy is shown, and the
/// next question is about that.
pub(super) fn check(
    agent: &Agent,
    reply: &[u8],
    options: &mut Options,
) -> Result<Inbox, AgentError> {
    match agent.check(reply, *options) {
        Err(AgentError::Unfit(Unfit::OutboxCopy { commands })) if is_terminal() && commands > 0 => {
            eprintln!("the text holds a copy of an outbox; only what follows the copy counts:");
            options.accept_copy = true;
            agent.check(reply, *options)
        }
        checked => checked,
    }
}

/// Whether there is a person to ask.
pub(super) fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// One key: `y` or `Y` is yes, anything else is no.
pub(super) fn yes(question: &str) -> io::Result<bool> {
    Ok(key(question)? == b'y')
}

/// Waits for one key, in lower case. The end of the input is no key: 0.
fn key(question: &str) -> io::Result<u8> {
    say(question)?;
    enable_raw_mode()?;
    let mut key = [0];
    let read = io::stdin().lock().read(&mut key);
    disable_raw_mode()?;
    read?;
    let shown = if key[0].is_ascii_graphic() {
        char::from(key[0])
    } else {
        '-'
    };
    say(&format!("{shown}\n"))?;
    Ok(key[0].to_ascii_lowercase())
}

fn line(question: &str) -> io::Result<String> {
    say(question)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}

fn say(text: &str) -> io::Result<()> {
    let mut stderr = io::stderr();
    stderr.write_all(text.as_bytes())?;
    stderr.flush()
}

static STOPPED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C ends the shell command that runs, with all of its processes, and no other one starts. When none
/// runs, it ends this program.
pub(super) fn stop_commands_on_interrupt() {
    let (ready, is_ready) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let Ok(mut interrupts) = Interrupts::new() else {
                return;
            };
            let _ = ready.send(());
            loop {
                interrupts.next().await;
                if STOPPED.swap(true, Ordering::SeqCst) || !shell::interrupt() {
                    std::process::exit(130);
                }
            }
        });
    });
    // No command starts before Ctrl-C is heard. Where it cannot be, it ends this program as it always does.
    let _ = is_ready.recv();
}

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
