//! An incomplete command line.

use std::ffi::OsString;

use crate::line;

/// Splits a line into words as shells do; the last word is being typed, and may be empty.
pub(super) fn words(typed: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut has_begun = false;
    let mut chars = typed.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(open), char) if char == open => quote = None,
            (None, '\'' | '"') => (quote, has_begun) = (Some(char), true),
            (None | Some('"'), '\\') => {
                word.extend(chars.next());
                has_begun = true;
            }
            (None, char) if char.is_whitespace() => {
                if has_begun || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                has_begun = false;
            }
            (_, char) => word.push(char),
        }
    }
    words.push(word);
    words
}

/// Returns the port that these words name, if they name one; the outer `None` means several boards.
#[allow(
    clippy::option_option,
    reason = "no board, and the board that is the default, are not the same"
)]
pub(super) fn port(words: Vec<String>) -> Option<Option<String>> {
    // Variables set for the command alone precede it.
    let words = words.into_iter().skip_while(|word| word.contains('='));
    let words: Vec<_> = words.collect();
    let line = words.iter().map(OsString::from).collect();
    let commands = line::commands(line).unwrap_or_default();
    let last = commands.into_iter().next_back();
    let meant = last.map(|words| words.into_iter().filter_map(|word| word.into_string().ok()));
    let words = meant.map_or(words, Iterator::collect);
    if words.iter().any(|word| word == "each") {
        return None;
    }
    Some(named(&words))
}

/// Returns the value of the last `--port`.
fn named(words: &[String]) -> Option<String> {
    let mut port = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--" => break,
            "--port" | "-p" => port = words.next().cloned().or(port),
            word => {
                let long = word.strip_prefix("--port=");
                let short = word.strip_prefix("-p").filter(|_| !word.starts_with("--"));
                let value = long.or(short.map(|value| value.trim_start_matches('=')));
                port = value.map(str::to_owned).or(port);
            }
        }
    }
    port
}

/// Splits a path into its folder, as boards take it, and the rest.
pub(super) fn path(typed: &str) -> (&str, &str) {
    let Some(slash) = typed.rfind('/') else {
        return ("", typed);
    };
    let folder = typed[..slash].trim_end_matches('/');
    match folder {
        "" => ("/", &typed[slash + 1..]),
        folder => (folder, &typed[slash + 1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_being_typed_has_words() {
        for (line, expected) in [
            ("flylead cat :/li", &["flylead", "cat", ":/li"][..]),
            ("flylead cat ", &["flylead", "cat", ""]),
            (r"flylead cat :/my\ f", &["flylead", "cat", ":/my f"]),
            (r#"flylead cat ":/my f"#, &["flylead", "cat", ":/my f"]),
            ("flylead cat ':/it\"s", &["flylead", "cat", ":/it\"s"]),
            (
                r#"flylead -p "my b" cat '' :"#,
                &["flylead", "-p", "my b", "cat", "", ":"],
            ),
            (r"flylead cat :/a\", &["flylead", "cat", ":/a"]),
        ] {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    #[test]
    fn the_board_is_the_one_that_the_line_names() {
        for (line, expected) in [
            ("flylead cat", Some(None)),
            ("flylead --port pump cat", Some(Some("pump"))),
            ("flylead cat -ppump", Some(Some("pump"))),
            ("flylead --port=pump cp a.py", Some(Some("pump"))),
            ("A=b flylead a0 cp x : + cat", Some(Some("/dev/ttyACM0"))),
            ("flylead --port one exec -- --port two", Some(Some("one"))),
            ("flylead each all -- cat", None),
        ] {
            let found = port(line.split(' ').map(str::to_owned).collect());
            let expected = expected.map(|port| port.map(str::to_owned));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn a_path_has_a_folder_and_a_beginning() {
        for (typed, expected) in [
            ("", ("", "")),
            ("ma", ("", "ma")),
            ("/", ("/", "")),
            ("/lib/a", ("/lib", "a")),
            ("lib/", ("lib", "")),
        ] {
            assert_eq!(path(typed), expected, "{typed}");
        }
    }
}
