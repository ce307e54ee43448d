//! What a command may know of the person's environment.

use std::{env, process::Command};

/// Gives the command the environment without what looks like a secret, and asks programs to speak plainly.
pub(super) fn set(command: &mut Command) {
    for (name, value) in env::vars_os() {
        if is_secret(&name.to_string_lossy(), &value.to_string_lossy()) {
            command.env_remove(&name);
        }
    }
    command.envs(PLAIN);
}

/// Names that speak of secrets, sockets of key agents, and addresses with a password in them.
fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
        || SECRET_NAMES.contains(&name.as_str())
        || name.split('_').any(|part| {
            matches!(part, "KEY" | "PAT" | "PWD" | "PASS") && name != "PWD" && name != "OLDPWD"
        })
        || value
            .split_once("://")
            .is_some_and(|(_, rest)| has_password(rest))
        || SECRET_VALUES.iter().any(|start| value.starts_with(start))
}

fn has_password(address: &str) -> bool {
    let host = address.split(['/', '?']).next().unwrap_or_default();
    host.rsplit_once('@')
        .is_some_and(|(user, _)| user.contains(':'))
}

const SECRET_WORDS: [&str; 9] = [
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "CREDENTIAL",
    "APIKEY",
    "API_KEY",
    "PRIVATE",
    "COOKIE",
];
const SECRET_NAMES: [&str; 5] = [
    "SSH_AUTH_SOCK",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "NETRC",
    "KUBECONFIG",
];
const SECRET_VALUES: [&str; 6] = ["ghp_", "github_pat_", "sk-", "xoxb-", "AKIA", "-----BEGIN"];
const PLAIN: [(&str, &str); 6] = [
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("CI", "1"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_one_and_tools_keep_their_paths() {
        for (name, value) in [
            ("GITHUB_TOKEN", "x"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("OPENAI_API_KEY", "x"),
            ("SSH_AUTH_SOCK", "/x"),
            ("DATABASE_URL", "postgres://me:word@host/db"),
            ("db_pass", "x"),
            ("PLAIN", "ghp_abc"),
            ("NPM_CONFIG__AUTHTOKEN", "x"),
        ] {
            assert!(is_secret(name, value), "{name}");
        }
        for (name, value) in [
            ("PATH", "/bin"),
            ("HOME", "/h"),
            ("PWD", "/w"),
            ("CARGO_HOME", "/c"),
            ("LANG", "C"),
            ("KEYBOARD", "de"),
            ("URL", "https://host/a:b@c"),
            ("COMPASS", "n"),
        ] {
            assert!(!is_secret(name, value), "{name}");
        }
    }
}
