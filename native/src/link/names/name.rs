//! Rules for names of boards.

/// Returns true for a valid name of a board: up to 40 letters, digits, `-`, `_` and `.`, of which the first is a
/// letter. Names that could be mistaken for an address, a device or a shortcut are invalid: `auto`, `tcp`, `COM7`,
/// `ttyACM0`, `cu.usbmodem1`, `a0`.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let has_shape = text.starts_with(char::is_alphabetic)
        && text.chars().count() <= LONGEST_NAME
        && text.chars().all(is_part_of_name);
    has_shape && !is_mistakable(&text.to_lowercase())
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

fn is_mistakable(text: &str) -> bool {
    let is_numbered = |prefix: &str| {
        let number = text.strip_prefix(prefix);
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    RESERVED.contains(&text)
        || ["tty", "cu."].iter().any(|start| text.starts_with(start))
        // mpremote's short names of /dev/ttyACM0, /dev/ttyUSB0 and COM0 are `a0`, `u0` and `c0`.
        || ["com", "a", "u", "c"].iter().any(|start| is_numbered(start))
}

/// Words with a meaning of their own in place of an address.
const RESERVED: [&str; 14] = [
    "all", "auto", "board", "id", "labgrid", "port", "process", "rfc2217", "serial", "tcp", "unix",
    "usb", "ws", "wss",
];
/// Length limit, in characters.
pub(super) const LONGEST_NAME: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_something_else_is_no_name() {
        for name in [
            "bench",
            "Gewächshaus-2",
            "pico_w",
            "b1",
            "a0b",
            "lab.left",
            "community",
        ] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "",
            "2nd",
            "-x",
            ".x",
            "a b",
            "a/b",
            "a\\b",
            "a:b",
            "@list",
            "x*",
            "x?",
            "x[1]",
            "auto",
            "ALL",
            "tcp",
            "COM7",
            "com12",
            "ttyACM0",
            "cu.usbmodem1",
            "a0",
            "u1",
            "C3",
            "a\u{202e}b",
            "{}",
        ] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_name(&"x".repeat(40)) && !is_name(&"x".repeat(41)));
    }
}
