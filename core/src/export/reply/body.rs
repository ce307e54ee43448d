//! Collects facts about a body as it arrives.

use alloc::{string::String, vec::Vec};

use crate::export::reply::checksum::Digest;
use crate::export::reply::header::Framing;
use crate::export::reply::restart::Restarts;
use crate::export::reply::stray::Strays;

/// Digest of a body, its first and last bytes, and any restart of a board in the middle of it.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) digest: Digest,
    first: Vec<u8>,
    last: Vec<u8>,
    restarts: Restarts,
    /// Strays of a body whose length is unknown.
    strays: Option<Strays>,
}

impl Body {
    /// Creates a body that begins after this header.
    pub(crate) fn after(framing: Framing) -> Self {
        Self {
            strays: framing.size().is_none().then(Strays::default),
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.digest.add(bytes);
        self.restarts.feed(bytes);
        if let Some(strays) = &mut self.strays {
            strays.feed(bytes);
        }
        let room = FIRST - self.first.len();
        self.first
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        keep_last(&mut self.last, bytes);
    }

    /// Returns the last 4096 bytes, or fewer if the body is shorter.
    pub(crate) fn last(&self) -> &[u8] {
        &self.last
    }

    /// Returns true if a boot banner occurs anywhere in the body.
    pub(crate) fn has_restart(&self) -> bool {
        self.restarts.has_seen()
    }

    /// Returns the line that the board printed when it started in the middle of the body.
    pub(crate) fn restart_line(&self) -> Option<String> {
        self.restarts.line()
    }

    /// Returns the first line that the device did not mean as a row.
    pub(crate) fn stray_line(&self) -> Option<&str> {
        self.strays.as_ref().and_then(Strays::first)
    }

    /// Returns true if its first line, which may continue in the following bytes, is `BEGIN`.
    pub(crate) fn begins_marked(&self, followed_by: &[u8]) -> bool {
        let line = self.first.iter().chain(followed_by);
        let begins = |marker: &[u8]| line.clone().take(marker.len()).eq(marker);
        begins(b"BEGIN\n") || begins(b"BEGIN\r\n")
    }

    /// Returns true if its last line is `END`.
    pub(crate) fn ends_marked(&self) -> bool {
        self.last
            .rsplit(|byte| *byte == b'\n')
            .find(|line| !line.is_empty())
            .is_some_and(is_end)
    }

    /// Returns the last line if it has a different number of columns than the first two: a board that restarts and
    /// continues to print ends a body like that, and so does truncation. A last line without its end may have fewer
    /// columns.
    pub(crate) fn odd_last_line(&self) -> Option<String> {
        let mut first = whole_rows(&self.first).map(separators);
        let known = [first.next()?, first.next()?];
        let (last, is_whole) = match self.last.strip_suffix(b"\n") {
            Some(lines) => (lines, true),
            None => (&self.last[..], false),
        };
        let last = last
            .rsplit(|byte| *byte == b'\n')
            .find(|line| is_row(line))?;
        let columns = separators(last);
        let fits = known.contains(&columns) || !is_whole && known.iter().any(|one| columns < *one);
        (!fits).then(|| String::from_utf8_lossy(without_return(last)).into_owned())
    }
}

pub(crate) fn is_end(line: &[u8]) -> bool {
    without_return(line) == b"END"
}

pub(crate) fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn whole_rows(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_suffix(b"\n"))
        .filter(|line| is_row(line))
}

/// Returns false for remarks after `#`, and for empty lines between parts, both of which loggers write.
fn is_row(line: &[u8]) -> bool {
    !line.starts_with(b"#") && !without_return(line).is_empty()
}

/// Counts the separators of a row outside of quotes.
fn separators(row: &[u8]) -> usize {
    let mut is_quoted = false;
    row.iter()
        .filter(|byte| {
            is_quoted ^= **byte == b'"';
            !is_quoted && matches!(byte, b',' | b';' | b'\t')
        })
        .count()
}

/// Keeps at least the last [`LAST`] bytes, and at most twice as many.
fn keep_last(last: &mut Vec<u8>, bytes: &[u8]) {
    let bytes = &bytes[bytes.len().saturating_sub(LAST)..];
    if last.len() + bytes.len() > 2 * LAST {
        last.drain(..last.len() - (LAST - bytes.len()).min(last.len()));
    }
    last.extend_from_slice(bytes);
}

/// Length of two rows and a heading, in bytes.
const FIRST: usize = 1024;
/// Length that exceeds any row, in bytes.
const LAST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_held_against_the_first_two() {
        let cases: [(&str, Option<&str>); 11] = [
            ("t,v\n0,1\n2,3\n", None),
            ("t,v\n0,1\n2,\nready\n", Some("ready")),
            ("t,v\n0,1\n2,3,4\n", Some("2,3,4")),
            ("t;v\r\n0;1\r\nt=12 h=40\r\n", Some("t=12 h=40")),
            ("t,v\n0,1\n2", None),
            ("t,v\n0,1\none, two, three", Some("one, two, three")),
            ("a title\nt,v\n0,1\n2,3\n", None),
            ("t,v\n0,1\n# the end\n\n", None),
            ("t,v\n0,\"1,5\"\n2,3\n", None),
            ("1\n2\n3\n", None),
            ("t,v\nready\n", None),
        ];
        for (log, odd) in cases {
            let mut body = Body::default();
            body.add(log.as_bytes());
            assert_eq!(body.odd_last_line().as_deref(), odd, "{log:?}");
        }
    }
}
