//! Describes the end of a shell command to the LLM.

use std::process::ExitStatus;

use super::Ran;
use crate::agent::shell::{self, End};

pub(super) fn in_words(script: &str, ran: shell::Ran) -> Ran {
    let (success, mut summary) = match ran.end {
        End::Exited(status) => {
            let words = exit_words(status);
            (status.success(), format!("Ran '{script}' ({words})"))
        }
        End::TimedOut => (false, format!("Command timed out (30s): '{script}'")),
        End::Flooded => (
            false,
            format!("Command was stopped, because it printed too much: '{script}'"),
        ),
        End::Exceeded(bound) => (
            false,
            format!("Command was stopped, because it took {bound}: '{script}'"),
        ),
        End::Interrupted => (false, format!("The person stopped the command: '{script}'")),
    };
    if ran.left_behind > 0 && matches!(ran.end, End::Exited(_)) {
        summary += &format!("; {} background processes stopped", ran.left_behind);
    }
    if ran.survivors > 0 {
        summary += &format!("; {} processes could NOT be stopped", ran.survivors);
    }
    Ran {
        success,
        summary,
        output: ran.output,
        notes: Vec::new(),
    }
}

fn exit_words(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("exit code {}{}", 128 + signal, signal_name(signal));
        }
    }
    match status.code() {
        // The shell says so of a child of its own.
        Some(code @ 129..=159) => format!("exit code {code}{}", signal_name(code - 128)),
        Some(code) => format!("exit code {code}"),
        None => "no exit code".into(),
    }
}

fn signal_name(signal: i32) -> String {
    let known = SIGNALS.iter().find(|(number, _)| *number == signal);
    known.map_or_else(String::new, |(_, name)| format!(", {name}"))
}

/// Signals with the same number everywhere.
const SIGNALS: [(i32, &str); 10] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (15, "SIGTERM"),
];
