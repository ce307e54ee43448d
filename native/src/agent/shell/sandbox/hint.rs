//! Recognizes output of a command that was obstructed by the sandbox.

/// Returns the likely cause of a command's failure.
pub(super) fn hint(output: &str, network: bool) -> Option<String> {
    let says = |words: &[&str]| words.iter().any(|words| output.contains(words));
    let mut found = Vec::new();
    if says(&READ_ONLY) {
        let git = output.lines().any(|line| {
            line.contains(".git") && READ_ONLY.iter().any(|words| line.contains(words))
        });
        found.push(match git {
            true => "commands can read .git but not change it; the person can allow changes with --allow git",
            false => {
                "the sandbox lets commands write only in the workspace, except for .git and the settings of editors and other tools"
            }
        });
    }
    if !network && says(&NO_NETWORK) {
        found.push(
            "the sandbox has no network beyond its own localhost; the person can allow it with --network",
        );
    }
    if says(&REFUSED) {
        found.push("the sandbox refuses other namespaces, mounts, debuggers, devices and set-user-id modes");
    }
    if says(&NO_MEMORY) {
        found.push("the sandbox bounds memory, processes and the size of files");
    }
    (!found.is_empty()).then(|| format!("this may be because of the sandbox: {}", found.join("; ")))
}

const READ_ONLY: [&str; 3] = ["Read-only file system", "EROFS", "os error 30"];
const NO_NETWORK: [&str; 14] = [
    "Network is unreachable",
    "network is unreachable",
    "Temporary failure in name resolution",
    "Could not resolve host",
    "Name or service not known",
    "nodename nor servname",
    "getaddrinfo",
    "EAI_AGAIN",
    "ENOTFOUND",
    "ENETUNREACH",
    "dial tcp",
    "offline",
    "Failed to fetch",
    "NewConnectionError",
];
const REFUSED: [&str; 3] = ["Operation not permitted", "EPERM", "os error 1)"];
const NO_MEMORY: [&str; 7] = [
    "Cannot allocate memory",
    "ENOMEM",
    "MemoryError",
    "out of memory",
    "Resource temporarily unavailable",
    "File too large",
    "No space left on device",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sounds_like_the_sandbox_is_explained_and_the_rest_is_not() {
        for (output, network, wanted) in [
            (
                "fatal: cannot create .git/index.lock: Read-only file system",
                false,
                "--allow git",
            ),
            (
                "touch: cannot touch '/usr/x': Read-only file system",
                false,
                "only in the workspace",
            ),
            (
                "curl: (6) Could not resolve host: example.org",
                false,
                "--network",
            ),
            ("npm error code ENOTFOUND", false, "--network"),
            ("mount: x: Operation not permitted", false, "mounts"),
            ("fork: Resource temporarily unavailable", true, "bounds"),
        ] {
            let hint = hint(output, network).unwrap_or_default();
            assert!(
                hint.contains(wanted) && hint.contains("may be"),
                "{output}: {hint}"
            );
        }
        for (output, network) in [
            ("error[E0425]: cannot find value", false),
            ("assertion failed", false),
            ("Could not resolve host", true),
            ("", false),
        ] {
            assert_eq!(hint(output, network), None, "{output}");
        }
    }
}
