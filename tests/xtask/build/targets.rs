//! Lists cargo's targets in this workspace.

use crate::shell::Shell;
use anyhow::{Context, Result};
use serde_json::Value;

/// One library, program, test, benchmark or example.
#[derive(Debug)]
pub(crate) struct Target {
    /// The package that it belongs to.
    pub(crate) package: String,
    /// Name, as cargo's options take it.
    pub(crate) name: String,
    /// `lib`, `bin`, `test`, `bench`, `example` and a few more.
    pub(crate) kind: String,
    /// The features of its package without which cargo does not build it.
    pub(crate) features: Vec<String>,
}

impl Target {
    /// All targets of the workspace.
    pub(crate) fn list(shell: &Shell) -> Result<Vec<Self>> {
        let metadata =
            shell.read(&mut shell.cargo("metadata --quiet --no-deps --format-version 1"))?;
        let metadata = serde_json::from_str(&metadata).context("cargo metadata is not JSON")?;
        Ok(Self::parse(&metadata))
    }

    fn parse(metadata: &Value) -> Vec<Self> {
        let packages = array(&metadata["packages"]);
        let targets = packages.flat_map(|package| {
            array(&package["targets"]).filter_map(|target| Self::of(package, target))
        });
        targets.collect()
    }

    fn of(package: &Value, target: &Value) -> Option<Self> {
        Some(Self {
            package: package["name"].as_str()?.to_owned(),
            name: target["name"].as_str()?.to_owned(),
            kind: target["kind"][0].as_str()?.to_owned(),
            features: array(&target["required-features"])
                .filter_map(|feature| Some(feature.as_str()?.to_owned()))
                .collect(),
        })
    }
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::Target;
    use serde_json::json;

    #[test]
    fn targets_are_listed_with_their_package_and_kind() {
        let target = json!({"name": "raw_repl", "kind": ["test"], "required-features": ["slow"]});
        let metadata = json!({"packages": [{"name": "flylead-tests", "targets": [target]}]});
        let [target] = &Target::parse(&metadata)[..] else {
            panic!("one target");
        };
        assert_eq!(target.package, "flylead-tests");
        assert_eq!(
            (target.name.as_str(), target.kind.as_str()),
            ("raw_repl", "test")
        );
        assert_eq!(target.features, ["slow"]);
    }
}
