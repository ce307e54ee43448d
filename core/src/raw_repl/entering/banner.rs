//! Recognizes the output of a board when its mode changes (MicroPython v1.29 `shared/runtime/pyexec.c`,
//! `pyexec_raw_repl` and `pyexec_friendly_repl`).

use alloc::vec::Vec;
use core::mem;

/// Banner of a board that enters raw mode.
pub(in crate::raw_repl) const RAW_BANNER: &[u8] = b"raw REPL; CTRL-B to exit";
/// The last line that a board prints when it starts, and the prompt.
const FRIENDLY_BANNER: &[u8] = b"Type \"help()\" for more information.\r\n>>> ";
/// Limit of an announcement of a reset, with its line ends, in bytes.
const REBOOT_LIMIT: usize = 128;

/// Searches a stream for the raw banner and its `>`: the only proof that a board is in raw mode.
///
/// Boards differ in the number of carriage returns between the two, so any number of line ends is accepted.
#[derive(Debug, Default)]
pub(crate) struct RawBanner {
    matched: usize,
    /// Number of line ends after the text.
    ends: usize,
}

impl RawBanner {
    /// Number of the last bytes that may begin a banner.
    pub(crate) const fn begun(&self) -> usize {
        self.matched + self.ends
    }

    /// Takes one byte; returns true for the `>` that ends the banner.
    pub(crate) fn push(&mut self, byte: u8) -> bool {
        let text_is_whole = self.matched == RAW_BANNER.len();
        if text_is_whole && byte == b'>' {
            *self = Self::default();
            return true;
        }
        if text_is_whole && is_line_end(byte) {
            self.ends += 1;
        } else {
            self.ends = 0;
            self.matched = advance(
                RAW_BANNER,
                if text_is_whole { 0 } else { self.matched },
                byte,
            );
        }
        false
    }

    /// Returns the text before the banner at the end of `text`, without the line ends around it.
    pub(in crate::raw_repl) fn strip(text: &[u8]) -> &[u8] {
        let text = text.strip_suffix(b">").unwrap_or(text);
        let text = trim_line_ends_after(text);
        trim_line_ends_after(text.strip_suffix(RAW_BANNER).unwrap_or(text))
    }
}

/// Looks for the end of the friendly banner, which a board prints after a hardware reset.
#[derive(Debug, Default)]
pub(in crate::raw_repl) struct FriendlyBanner {
    matched: usize,
}

impl FriendlyBanner {
    /// Takes one byte; returns true for the banner's last.
    pub(in crate::raw_repl) fn push(&mut self, byte: u8) -> bool {
        self.matched = advance(FRIENDLY_BANNER, self.matched, byte);
        self.matched == FRIENDLY_BANNER.len() && mem::take(&mut self.matched) > 0
    }

    /// Returns the number of bytes up to and including the banner's end, if it ends in `bytes`.
    pub(in crate::raw_repl) fn find_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut index = 0;
        while index < bytes.len() {
            if self.matched == 0 {
                // Nearly all output takes this path, at memory speed.
                index += memchr::memchr(FRIENDLY_BANNER[0], &bytes[index..])?;
            }
            index += 1;
            if self.push(bytes[index - 1]) {
                return Some(index);
            }
        }
        None
    }
}

/// Searches a stream for a text.
#[derive(Debug)]
pub(crate) struct Find {
    /// Text, whose first byte does not occur again inside it.
    text: &'static [u8],
    matched: usize,
}

impl Find {
    pub(crate) const fn new(text: &'static [u8]) -> Self {
        Self { text, matched: 0 }
    }

    /// Takes one byte; returns true for the text's last.
    pub(crate) fn push(&mut self, byte: u8) -> bool {
        self.matched = advance(self.text, self.matched, byte);
        self.matched == self.text.len() && mem::take(&mut self.matched) > 0
    }
}

/// Pattern of a reset right after a program's last field: `MPY: soft reboot`, on old boards without
/// the prefix, on some after `MPY: sync filesystems`.
#[derive(Debug, Default)]
pub(in crate::raw_repl) struct Reboot {
    seen: Vec<u8>,
}

/// Possible continuations of the bytes so far.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::raw_repl) enum RebootMatch {
    Unsure,
    Yes,
    No,
}

impl Reboot {
    pub(in crate::raw_repl) fn push(&mut self, byte: u8) -> RebootMatch {
        self.seen.push(byte);
        let found = self.look();
        if found == RebootMatch::Unsure && self.seen.len() >= REBOOT_LIMIT {
            return RebootMatch::No;
        }
        found
    }

    fn look(&self) -> RebootMatch {
        let text = trim_line_ends(&self.seen);
        let text = skip_or_wait(text, b"MPY: sync filesystems");
        match text.map(|text| skip_or_wait(trim_line_ends(text), b"MPY: ")) {
            None | Some(None) => RebootMatch::Unsure,
            Some(Some(text)) if text == b"soft reboot" => RebootMatch::Yes,
            Some(Some(text)) if b"soft reboot".starts_with(text) => RebootMatch::Unsure,
            Some(Some(_)) => RebootMatch::No,
        }
    }

    /// Returns the bytes so far.
    pub(in crate::raw_repl) fn seen(&self) -> &[u8] {
        &self.seen
    }

    /// Takes out the bytes seen so far.
    pub(in crate::raw_repl) fn take_seen(&mut self) -> Vec<u8> {
        mem::take(&mut self.seen)
    }

    pub(in crate::raw_repl) const fn is_untouched(&self) -> bool {
        self.seen.is_empty()
    }
}

/// Returns the text after `prefix`; the text itself if it does not start with `prefix`, or `None` while that is
/// undecided.
fn skip_or_wait<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    match text.strip_prefix(prefix) {
        Some(rest) => Some(rest),
        None if prefix.starts_with(text) => None,
        None => Some(text),
    }
}

fn trim_line_ends(text: &[u8]) -> &[u8] {
    let start = text
        .iter()
        .position(|&byte| !is_line_end(byte))
        .unwrap_or(text.len());
    &text[start..]
}

fn trim_line_ends_after(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| !is_line_end(byte));
    &text[..end.map_or(0, |end| end + 1)]
}

const fn is_line_end(byte: u8) -> bool {
    byte == b'\r' || byte == b'\n'
}

/// Performs one step of matching `pattern`. The first byte of either banner does not occur again inside it, so a
/// mismatch starts over.
fn advance(pattern: &[u8], matched: usize, byte: u8) -> usize {
    if pattern[matched] == byte {
        matched + 1
    } else {
        usize::from(pattern[0] == byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enters(stream: &[u8]) -> usize {
        let mut banner = RawBanner::default();
        stream.iter().filter(|&&byte| banner.push(byte)).count()
    }

    #[test]
    fn a_banner_is_found_whatever_its_line_ends() {
        assert_eq!(enters(b"\r\nraw REPL; CTRL-B to exit\r\n>"), 1);
        assert_eq!(enters(b"raw REPL; CTRL-B to exit\r\r\n>"), 1);
        assert_eq!(enters(b"rraw raw REPL; CTRL-B to exit\n>"), 1);
    }

    #[test]
    fn a_banner_without_its_prompt_is_none() {
        assert_eq!(enters(b"raw REPL; CTRL-B to exit and so on\r\n>"), 0);
        assert_eq!(enters(b">>> "), 0);
    }

    #[test]
    fn two_banners_are_two() {
        assert_eq!(
            enters(b"raw REPL; CTRL-B to exit\r\n>raw REPL; CTRL-B to exit\r\n>"),
            2
        );
    }

    #[test]
    fn the_friendly_banner_is_found_across_pieces() {
        let mut banner = FriendlyBanner::default();
        assert_eq!(
            banner.find_end(b"ets Jul 29 Type \"help()\" for more"),
            None
        );
        assert_eq!(banner.find_end(b" information.\r\n>>> x"), Some(19));
    }

    #[test]
    fn every_kind_of_reboot_is_recognized() {
        for (text, expected) in [
            (&b"MPY: soft reboot"[..], RebootMatch::Yes),
            (b"soft reboot", RebootMatch::Yes),
            (
                b"\r\nMPY: sync filesystems\r\nMPY: soft reboot",
                RebootMatch::Yes,
            ),
            (b"MPY: so", RebootMatch::Unsure),
            (b"x", RebootMatch::No),
            (b"MPY: other", RebootMatch::No),
        ] {
            let mut reboot = Reboot::default();
            let last = text
                .iter()
                .map(|&byte| reboot.push(byte))
                .find(|m| *m != RebootMatch::Unsure);
            assert_eq!(last.unwrap_or(RebootMatch::Unsure), expected, "{text:?}");
        }
    }
}
