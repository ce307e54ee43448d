//! Echoes of sent data in a device's output: a prompt repeats what is typed.

use std::{collections::VecDeque, ops::Range};

/// Sent lines whose echoes may still arrive.
#[derive(Debug, Default)]
pub(crate) struct Echoes(VecDeque<Sent>);

#[derive(Debug)]
struct Sent {
    /// Position in the device's output at which sending began.
    place: u64,
    line: Vec<u8>,
    is_finished: bool,
}

impl Echoes {
    /// Notes bytes that are sent at this position in the device's output.
    pub(super) fn sending(&mut self, bytes: &[u8], place: u64) {
        for &byte in bytes {
            match byte {
                b'\r' | b'\n' => {
                    if let Some(last) = self.0.back_mut() {
                        last.is_finished = true;
                    }
                }
                // Control characters are not echoed literally.
                0..b' ' | 0x7f => {}
                _ => self.open_line(place).push(byte),
            }
        }
        let excess = self.0.len().saturating_sub(MOST);
        self.0.drain(..excess);
    }

    fn open_line(&mut self, place: u64) -> &mut Vec<u8> {
        let is_open = |last: &Sent| !last.is_finished && last.line.len() < LONGEST;
        if !self.0.back().is_some_and(is_open) {
            self.0.push_back(Sent {
                place,
                line: Vec::new(),
                is_finished: false,
            });
        }
        let last = self.0.len() - 1;
        &mut self.0[last].line
    }

    /// Returns the parts of `words` that are echoes, or may become echoes once the rest of their line arrives, each
    /// with the index of the sent line. `before` is the position of the first byte; `is_middle` is true if its line
    /// began earlier.
    fn find_sent(&self, words: &[u8], before: u64, is_middle: bool) -> Vec<(usize, Range<usize>)> {
        let mut echoes = Vec::new();
        let Some(last) = self.0.back() else {
            return echoes;
        };
        let mut waiting: Vec<_> = self.0.iter().enumerate().collect();
        let mut start = 0;
        for line in words.split_inclusive(|byte| *byte == b'\n') {
            let (end, place) = (start + line.len(), before + start as u64);
            if place > last.place + NEAR {
                break;
            }
            let is_whole = line.ends_with(b"\n");
            let said = behind_prompt(line.trim_ascii_end());
            let is_echo = |(_, sent): &(usize, &Sent)| {
                let is_near = before + end as u64 > sent.place && place <= sent.place + NEAR;
                let line = sent.line.trim_ascii();
                let may_be = match is_whole {
                    true if start == 0 && is_middle => line.ends_with(said),
                    true => line == said,
                    false => line.starts_with(said),
                };
                is_near && may_be && !said.is_empty()
            };
            if let Some(index) = waiting.iter().position(is_echo) {
                echoes.push((waiting.remove(index).0, start..end));
            }
            start = end;
        }
        echoes
    }

    /// Returns the parts of `words` that are echoes, or may become echoes.
    pub(crate) fn find(&self, words: &[u8], before: u64, is_middle: bool) -> Vec<Range<usize>> {
        let found = self.find_sent(words, before, is_middle);
        found.into_iter().map(|(_, echo)| echo).collect()
    }

    /// Forgets the lines whose complete echoes are in `words`: they are not expected again.
    pub(crate) fn take(&mut self, words: &[u8], before: u64, is_middle: bool) {
        let mut found = self.find_sent(words, before, is_middle);
        found.retain(|(_, echo)| words[echo.clone()].ends_with(b"\n"));
        found.sort_by_key(|(index, _)| *index);
        for (index, _) in found.into_iter().rev() {
            self.0.remove(index);
        }
    }
}

/// Returns a line without the prompts before it: those of MicroPython, and of shells.
fn behind_prompt(line: &[u8]) -> &[u8] {
    let ends = [&b">>> "[..], b"... ", b"=== ", b"> ", b"$ ", b"# ", b"% "];
    let mut rest = line;
    while let Some(end) = ends.iter().find(|end| rest.starts_with(end)) {
        rest = rest[end.len()..].trim_ascii_start();
    }
    // A shell names the computer and the folder first.
    let prompt = |end: &&&[u8]| end.len() == 2;
    let at = ends.iter().filter(prompt).find_map(|end| {
        let at = rest.windows(2).position(|two| two == *end)?;
        rest[..at].contains(&b'@').then_some(at + 2)
    });
    rest[at.unwrap_or_default()..].trim_ascii()
}

/// Limits of the number of remembered lines, and of the bytes in each.
const MOST: usize = 64;
const LONGEST: usize = 4096;
/// Limit of a device's output before an echo, in bytes. Later text is not an echo.
const NEAR: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words without their echoes.
    fn left(sent: &[&str], words: &str) -> String {
        let mut echoes = Echoes::default();
        for sent in sent {
            echoes.sending(sent.as_bytes(), 0);
        }
        let found = echoes.find(words.as_bytes(), 0, false);
        let is_left = |(index, _): &(usize, char)| !found.iter().any(|echo| echo.contains(index));
        words
            .char_indices()
            .filter(is_left)
            .map(|(_, c)| c)
            .collect()
    }

    #[test]
    fn the_first_line_that_repeats_what_was_sent_is_its_echo() {
        for (sent, words, expected) in [
            (
                &["print('READY')\n"][..],
                "print('READY')\r\nREADY\r\n>>> ",
                "READY\r\n>>> ",
            ),
            (&["PING\n"], "PING\r\nPING\r\n", "PING\r\n"),
            (&["PING\n"], "OK: PING\r\n", "OK: PING\r\n"),
            (&["PING\n"], "PINGED\r\n", "PINGED\r\n"),
            // An echo that has arrived in part.
            (&["print(1)\n"], "pri", ""),
            (&["print(1)\n"], "pro", "pro"),
            // Several lines, each behind a prompt, and what was sent in parts.
            (
                &["for i in a:\n  x(i)\n\n"],
                ">>> for i in a:\r\n...     x(i)\r\n... \r\n1\r\n",
                "... \r\n1\r\n",
            ),
            (
                &["pri", "nt(1)\n"],
                "tick\r\nprint(1)\r\n1\r\n",
                "tick\r\n1\r\n",
            ),
            (&["ls\n"], "me@host:~$ ls\r\na.py\r\n", "a.py\r\n"),
            (&["\x03"], "\r\n>>> ", "\r\n>>> "),
        ] {
            assert_eq!(left(sent, words), expected, "{sent:?} {words:?}");
        }
    }

    #[test]
    fn what_comes_long_after_is_no_echo_and_only_so_much_is_remembered() {
        let far = format!("{}PING\r\n", "tick\r\n".repeat(1000));
        assert_eq!(left(&["PING\n"], &far), far);
        let mut echoes = Echoes::default();
        echoes.sending(&b"x".repeat(100 * LONGEST), 0);
        assert!(echoes.0.len() <= MOST);
        assert!(echoes.0.iter().all(|sent| sent.line.len() <= LONGEST));
    }
}
