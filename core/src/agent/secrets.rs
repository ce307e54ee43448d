//! Detects files that appear to hold a secret, which neither an LLM nor a board receives unless requested.

use alloc::string::String;

/// Returns the sign of a secret in a file's name or content, in words.
#[must_use]
pub fn looks_secret(path: &str, content: &[u8]) -> Option<&'static str> {
    if let Some(sign) = is_named_secret(path) {
        return Some(sign);
    }
    let content = String::from_utf8_lossy(content);
    let is_key = content.contains("-----BEGIN ") && content.contains("PRIVATE KEY-----");
    let holds = is_key || TOKENS.iter().any(|token| holds(&content, token));
    holds.then_some("it appears to contain a key or a token")
}

/// Returns the sign of a secret in a file's path, in words.
#[must_use]
pub fn is_named_secret(path: &str) -> Option<&'static str> {
    let path = path.to_lowercase();
    let mut names = path.rsplit('/');
    let name = names.next().unwrap_or_default();
    let is_named = NAMES.contains(&name)
        || ENDS.iter().any(|end| name.ends_with(end))
        || STARTS.iter().any(|start| name.starts_with(start))
        || PARTS.iter().any(|part| name.contains(part));
    if is_named && !name.ends_with(".pub") && !HARMLESS.iter().any(|end| name.ends_with(end)) {
        return Some("its name is typical of files with secrets");
    }
    let is_inside = names.any(|folder| FOLDERS.contains(&folder));
    is_inside.then_some("its folder usually contains secrets")
}

/// Returns true if a text contains a token with this prefix, at the start of a word and long enough.
fn holds(content: &str, token: &str) -> bool {
    let in_token = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    content.match_indices(token).any(|(at, _)| {
        let rest = &content[at + token.len()..];
        !content[..at].ends_with(in_token)
            && rest.chars().take_while(|c| in_token(*c)).count() >= LENGTH
    })
}

const NAMES: [&str; 19] = [
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    ".vault-token",
    ".dockercfg",
    "auth.json",
    "kubeconfig",
    "wallet.dat",
    "master.key",
    "shadow",
    "logins.json",
    "rclone.conf",
    // Passwords of a board and its network.
    "webrepl_cfg.py",
    "wifi_cfg.py",
];
const STARTS: [&str; 6] = [
    ".env",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials",
];
const ENDS: [&str; 11] = [
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".env",
    ".ovpn",
    ".asc",
];
const PARTS: [&str; 4] = ["secret", "password", "passwd", "private_key"];
const FOLDERS: [&str; 8] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    "secrets",
    ".password-store",
];
/// Endings of such names that belong to templates, which hold no secrets.
const HARMLESS: [&str; 8] = [
    ".example",
    ".sample",
    ".template",
    ".dist",
    ".rs",
    ".md",
    ".html",
    ".css",
];
/// Prefixes of tokens that show their issuer: Amazon, GitHub, GitLab, OpenAI and Anthropic, Slack,
/// Google, npm.
const TOKENS: [&str; 9] = [
    "AKIA",
    "ghp_",
    "github_pat_",
    "glpat-",
    "sk-",
    "xoxb-",
    "xoxp-",
    "AIza",
    "npm_",
];
const LENGTH: usize = 16;

#[cfg(test)]
mod tests {
    use super::looks_secret;

    #[test]
    fn names_and_contents_of_secrets_are_known_and_those_of_code_are_not() {
        for path in [
            ".env",
            "app/.env.production",
            "deploy.pem",
            "id_ed25519",
            ".aws/config",
            "config/secrets.yml",
            ".npmrc",
            "prod.env",
            "Passwords.txt",
            "lib/webrepl_cfg.py",
        ] {
            assert!(looks_secret(path, b"").is_some(), "{path}");
        }
        for path in [
            "src/main.rs",
            ".env.example",
            "id_ed25519.pub",
            "src/secret.rs",
            "environment.py",
            "keys.py",
            "README.md",
        ] {
            assert!(looks_secret(path, b"x = 1\n").is_none(), "{path}");
        }
        for content in [
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n",
            "aws = AKIAIOSFODNN7EXAMPLE\n",
            "token: ghp_0123456789abcdefghij\n",
        ] {
            assert!(
                looks_secret("notes.txt", content.as_bytes()).is_some(),
                "{content}"
            );
        }
        assert!(looks_secret("a", b"the task-list, risk-free: sk-ip\n").is_none());
    }
}
