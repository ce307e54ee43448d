//! The request that a device answers: an extension of the protocol by this crate.

use core::{fmt, str};

use crate::export::RunId;
use crate::export::reply::checksum::setting;

/// Statement of a device about the request that its log answers: `RUN=run001` or `RUN=run001 REQ=7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    /// The run whose log follows.
    pub run_id: RunId,
    /// Number of the request; 0 for a request without one. A device that sends it reads `req=` in a request.
    pub request: Option<u32>,
}

impl fmt::Display for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RUN={}", self.run_id)?;
        self.request
            .map_or(Ok(()), |request| write!(f, " REQ={request}"))
    }
}

/// Statement of a line before a header about the run whose log follows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// `RUN=name`: a definite statement.
    Sure(Naming),
    /// `Received: EXPORT run_id=name`: a request that the device has read, perhaps long before it answers.
    Hint(RunId),
}

impl Name {
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        match setting(line) {
            Some((name, run)) if name.eq_ignore_ascii_case(b"RUN") => sure(run).map(Self::Sure),
            _ => {
                let at = memchr::memmem::find(line, HINT)?;
                // A request may end in its number.
                let said = line[at + HINT.len()..].trim_ascii();
                let end = memchr::memmem::find(said, b" req=").unwrap_or(said.len());
                run_of(&said[..end]).map(Self::Hint)
            }
        }
    }
}

/// Reads `run001`, or `run001 REQ=7`.
fn sure(said: &[u8]) -> Option<Naming> {
    let end = said.iter().position(u8::is_ascii_whitespace);
    let (run, rest) = said.split_at(end.unwrap_or(said.len()));
    let request = match rest.trim_ascii() {
        b"" => None,
        rest => match setting(rest)? {
            (name, number) if name.eq_ignore_ascii_case(b"REQ") => Some(number_of(number)?),
            _ => return None,
        },
    };
    Some(Naming {
        run_id: run_of(run)?,
        request,
    })
}

pub(crate) fn run_of(name: &[u8]) -> Option<RunId> {
    RunId::new(str::from_utf8(name.trim_ascii()).ok()?).ok()
}

/// Reads 1 to 9 ASCII digits.
pub(crate) fn number_of(digits: &[u8]) -> Option<u32> {
    let is_number = (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    is_number
        .then(|| str::from_utf8(digits).ok()?.parse().ok())
        .flatten()
}

const HINT: &[u8] = b"EXPORT run_id=";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_run_surely_or_perhaps() {
        let run = |name| RunId::new(name).expect("a good name");
        let sure = |name, request| {
            let run_id = run(name);
            Some(Name::Sure(Naming { run_id, request }))
        };
        for (line, name) in [
            ("RUN=run1\r", sure("run1", None)),
            ("run: run1", sure("run1", None)),
            ("RUN=run1 REQ=7\r", sure("run1", Some(7))),
            ("run: run1 req: 0", sure("run1", Some(0))),
            ("EXPORT run_id=a", Some(Name::Hint(run("a")))),
            ("Received: EXPORT run_id=a\r", Some(Name::Hint(run("a")))),
            (
                "Received: EXPORT run_id=a req=7",
                Some(Name::Hint(run("a"))),
            ),
            ("RUN=", None),
            ("RUN=run1 REQ=x", None),
            ("RUN=run1 REQ=-1", None),
            ("RUN=run 1", None),
            ("RUNNING=yes", None),
            ("SIZE=5", None),
        ] {
            assert_eq!(Name::read(line.as_bytes()), name, "{line}");
        }
    }
}
