//! Ports that may be opened besides those that the system lists.

use globset::{GlobBuilder, GlobMatcher};

/// Patterns such as `/dev/rfcomm*`. A `*` does not match a slash, and `..` never matches.
#[derive(Debug, Clone, Default)]
pub(crate) struct AllowedPorts(Vec<GlobMatcher>);

impl AllowedPorts {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, globset::Error> {
        let matcher = |pattern: &String| {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build()?;
            Ok(glob.compile_matcher())
        };
        patterns
            .iter()
            .map(matcher)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub(super) fn allow(&self, port: &str) -> bool {
        let climbs = port.split(['/', '\\']).any(|part| part == "..");
        !climbs && self.0.iter().any(|pattern| pattern.is_match(port))
    }

    pub(super) fn patterns(&self) -> Vec<String> {
        self.0
            .iter()
            .map(|pattern| pattern.glob().glob().to_owned())
            .collect()
    }
}
