//! Keys that do not go to the board.

/// Action of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Passes these bytes to the board.
    Type(Vec<u8>),
    RunFile,
    Leave,
}

/// Keys with a function; other keys go to the board.
pub(super) struct Keys {
    /// Text that Ctrl-J types.
    pub(super) code: Option<Vec<u8>>,
    /// True if Ctrl-K runs a file.
    pub(super) has_file: bool,
}

impl Keys {
    /// Parses a piece of the keyboard's bytes into actions, in order. No action follows the one
    /// that leaves.
    pub(super) fn of(&self, typed: &[u8]) -> Vec<Key> {
        let mut keys = Vec::new();
        let mut plain = Vec::new();
        for &byte in typed {
            let key = match byte {
                CTRL_X | CTRL_BRACKET => Key::Leave,
                CTRL_J if self.code.is_some() => Key::Type(self.code.clone().unwrap_or_default()),
                CTRL_K if self.has_file => Key::RunFile,
                byte => {
                    plain.push(byte);
                    continue;
                }
            };
            if !plain.is_empty() {
                keys.push(Key::Type(std::mem::take(&mut plain)));
            }
            let is_end = key == Key::Leave;
            keys.push(key);
            if is_end {
                return keys;
            }
        }
        if !plain.is_empty() {
            keys.push(Key::Type(plain));
        }
        keys
    }
}

const CTRL_J: u8 = 0x0a;
const CTRL_K: u8 = 0x0b;
const CTRL_X: u8 = 0x18;
const CTRL_BRACKET: u8 = 0x1d;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_boards_but_for_those_that_are_asked_for() {
        let plain = Keys {
            code: None,
            has_file: false,
        };
        let typed = |text: &str| Key::Type(text.as_bytes().to_vec());
        assert_eq!(plain.of(b"a\n\x0b"), [typed("a\n\x0b")]);
        assert_eq!(plain.of(b"a\x1db"), [typed("a"), Key::Leave]);
        let keys = Keys {
            code: Some(b"x\r".to_vec()),
            has_file: true,
        };
        assert_eq!(
            keys.of(b"a\n\x0bb\x18c"),
            [
                typed("a"),
                typed("x\r"),
                Key::RunFile,
                typed("b"),
                Key::Leave
            ]
        );
    }
}
