//! Parses a package.json.

use flylead_core::to_hexadecimal;
use serde::Deserialize;
use serde_json::Value;

use super::{Error, Source};

/// The parts of a package.json that an installation needs.
#[derive(Debug, Deserialize)]
pub(super) struct Manifest {
    /// Paths below the target, and the hashes of their files in the index.
    #[serde(default)]
    pub(super) hashes: Vec<(String, String)>,
    /// Paths below the target, and addresses of their files.
    #[serde(default)]
    pub(super) urls: Vec<(String, String)>,
    /// Required packages and their versions.
    #[serde(default)]
    pub(super) deps: Vec<(String, String)>,
}

impl Manifest {
    pub(super) fn parse(source: &Source, json: &[u8]) -> Result<Self, Error> {
        let bad = |why| Error::BadManifest {
            source: source.clone(),
            why,
        };
        let value: Value = serde_json::from_slice(json).map_err(|error| bad(error.to_string()))?;
        // Serde would take the items of an array for the fields, in their order.
        if !value.is_object() {
            return Err(bad("it is not a JSON object".into()));
        }
        Self::deserialize(value).map_err(|error| bad(error.to_string()))
    }
}

/// Prefix of a file's SHA-256, in lower-case hexadecimal: at least 8 digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortHash(String);

impl ShortHash {
    /// Parses a hash; `None` if the text is not a valid one.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let is_digit = |char| matches!(char, '0'..='9' | 'a'..='f');
        let is_hash = (MIN_DIGITS..=MAX_DIGITS).contains(&text.len()) && text.chars().all(is_digit);
        is_hash.then(|| Self(text.to_owned()))
    }

    /// Returns true if a SHA-256 has this prefix.
    #[must_use]
    pub fn matches(&self, sha256: &[u8; 32]) -> bool {
        to_hexadecimal(sha256).starts_with(&self.0)
    }

    /// Returns the digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Minimum number of digits, as used by today's indexes.
const MIN_DIGITS: usize = 8;

const MAX_DIGITS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_hash_is_the_beginning_of_a_long_one() {
        let long = [0xab; 32];
        assert!(ShortHash::new("abababab").unwrap().matches(&long));
        assert!(!ShortHash::new("abababac").unwrap().matches(&long));
        assert!(ShortHash::new(&"ab".repeat(32)).unwrap().matches(&long));
    }

    #[test]
    fn what_is_no_hash_matches_nothing() {
        for text in [
            "",
            "ab",
            "ABABABAB",
            "../../../x",
            "abababag",
            &"a".repeat(65),
        ] {
            assert_eq!(ShortHash::new(text), None, "{text}");
        }
    }

    #[test]
    fn an_array_is_no_manifest() {
        let source = Source::Path("package.json".into());
        let hashes = br#"[[["a.py", "0123456789"]]]"#;
        for json in [b"[]".as_slice(), hashes, b"1", b"null"] {
            let refused = Manifest::parse(&source, json);
            assert!(
                matches!(refused, Err(Error::BadManifest { .. })),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn every_part_of_a_manifest_may_be_missing() {
        let source = Source::Path("package.json".into());
        let parse = |json: &str| Manifest::parse(&source, json.as_bytes());
        assert!(
            parse("{\"version\": \"1\", \"v\": 1}")
                .unwrap()
                .urls
                .is_empty()
        );
        for json in ["", "[]x", "{\"urls\": [[\"a\"]]}", "{\"hashes\": 1}"] {
            assert!(parse(json).is_err(), "{json}");
        }
    }
}
