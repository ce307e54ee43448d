//! Texts to find and their replacements, in the body of an `EDIT_FILE`.
//!
//! ```text
//! <<<<<<< SEARCH
//! old lines
//! =======
//! new lines
//! >>>>>>> REPLACE
//! ```

use alloc::{string::String, vec::Vec};

use super::fault::Reason;
use crate::agent::command::Replacement;

/// Returns true if a body contains texts to find.
pub(super) fn begins(body: &str) -> bool {
    let first = body.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(is_beginning)
}

/// Reads the texts of a body.
pub(super) fn read(body: &str) -> Result<Vec<Replacement>, Reason> {
    let mut all = Vec::new();
    let mut part = Part::Outside;
    for line in body.split_inclusive('\n') {
        let text = line.trim_end();
        part = match part {
            Part::Outside if text.is_empty() => Part::Outside,
            Part::Outside if is_beginning(text) => Part::Find(String::new()),
            Part::Find(find) if is_middle(text) => Part::Replace(find, String::new()),
            Part::Replace(find, replace) if is_end(text) => {
                if find.trim().is_empty() {
                    return Err(Reason::Replacement {
                        why: "the text to find is empty",
                    });
                }
                all.push(Replacement { find, replace });
                Part::Outside
            }
            Part::Find(_) if is_beginning(text) || is_end(text) => {
                return Err(Reason::Replacement {
                    why: "a SEARCH text has no ======= line",
                });
            }
            Part::Replace(..) if is_beginning(text) || is_middle(text) => {
                return Err(Reason::Replacement {
                    why: "a text contains one of the marker lines",
                });
            }
            Part::Find(find) => Part::Find(find + line),
            Part::Replace(find, replace) => Part::Replace(find, replace + line),
            Part::Outside => {
                return Err(Reason::Replacement {
                    why: "there is text outside the SEARCH and REPLACE texts",
                });
            }
        };
    }
    match part {
        Part::Outside => Ok(all),
        Part::Find(_) | Part::Replace(..) => Err(Reason::Replacement {
            why: "the last REPLACE text is not closed",
        }),
    }
}

enum Part {
    Outside,
    Find(String),
    Replace(String, String),
}

fn is_beginning(line: &str) -> bool {
    line.strip_prefix("<<<<<<<")
        .is_some_and(|label| matches!(label.trim(), "" | "SEARCH" | "ORIGINAL"))
}

fn is_middle(line: &str) -> bool {
    line == "======="
}

fn is_end(line: &str) -> bool {
    line.strip_prefix(">>>>>>>")
        .is_some_and(|label| matches!(label.trim(), "" | "REPLACE" | "UPDATED"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_texts_are_read_and_what_is_not_whole_is_refused() {
        let body = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\nc\n=======\n>>>>>>> REPLACE\n";
        let found = read(body).unwrap();
        assert_eq!(
            (found[0].find.as_str(), found[0].replace.as_str()),
            ("a\n", "b\n")
        );
        assert_eq!(
            (found[1].find.as_str(), found[1].replace.as_str()),
            ("c\n", "")
        );
        for body in [
            "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
            "<<<<<<< SEARCH\na\n=======\nb\n",
            "<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n",
            "<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n",
            "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nc\n",
        ] {
            assert!(read(body).is_err(), "{body}");
        }
        assert!(!begins("a <<<<<<< SEARCH\n"));
    }
}
