//! Checks, before anything is built, that versions agree and that registries accept the manifests.

use super::VERSION;
use crate::shell::Shell;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::{env, fs};

/// Checks the tag, the change log, the packages' versions and the crates' manifests.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    let log = fs::read_to_string(shell.path("CHANGELOG.md"))?;
    ensure!(
        log.contains(&format!("\n## {VERSION} ")),
        "CHANGELOG.md has no entry {VERSION}"
    );
    if env::var("GITHUB_REF_TYPE").is_ok_and(|kind| kind == "tag") {
        let tag = env::var("GITHUB_REF_NAME")?;
        ensure!(
            tag == format!("v{VERSION}"),
            "the tag is {tag}, and the version {VERSION}"
        );
        ensure!(
            !log.contains(&format!("\n## {VERSION} – unreleased")),
            "CHANGELOG.md calls {VERSION} unreleased; write the date of the release instead"
        );
    }
    for package in ["wasm/package.json", "web/vscode/package.json"] {
        let manifest: Value = serde_json::from_str(&fs::read_to_string(shell.path(package))?)?;
        ensure!(
            manifest["version"] == VERSION,
            "{package} has another version than {VERSION}"
        );
    }
    manifests(shell)
}

/// Checks the manifests of the crates that are published.
pub(crate) fn manifests(shell: &Shell) -> Result<()> {
    let metadata = shell.read(&mut shell.cargo("metadata --quiet --no-deps --format-version 1"))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata is not JSON")?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let published: Vec<_> = packages
        .filter(|package| package["publish"].is_null())
        .collect();
    let names: Vec<_> = published
        .iter()
        .map(|package| text(package, "name"))
        .collect();
    ensure!(
        names.len() == CRATES.len() && CRATES.iter().all(|name| names.contains(name)),
        "published are {names:?}, not {CRATES:?}"
    );
    let faults: Vec<_> = published
        .iter()
        .flat_map(|package| faults(package))
        .collect();
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// Fields of a manifest that crates.io or its readers need, and that are missing.
fn faults(package: &Value) -> Vec<String> {
    let name = text(package, "name");
    let mut faults: Vec<_> = NEEDED
        .iter()
        .filter(|field| text(package, field).is_empty())
        .map(|field| format!("{name} has no {field}"))
        .collect();
    if package["metadata"]["docs"]["rs"].is_null() {
        faults.push(format!("{name} has no [package.metadata.docs.rs]"));
    }
    if list(package, "categories") == 0 {
        faults.push(format!("{name} has no categories"));
    }
    if !(1..=5).contains(&list(package, "keywords")) {
        faults.push(format!("{name} needs one to five keywords"));
    }
    faults
}

fn text<'a>(package: &'a Value, field: &str) -> &'a str {
    package[field].as_str().unwrap_or_default()
}

fn list(package: &Value, field: &str) -> usize {
    package[field].as_array().map_or(0, Vec::len)
}

const NEEDED: [&str; 6] = [
    "license",
    "repository",
    "homepage",
    "documentation",
    "description",
    "readme",
];
/// The crates that are published, in an order in which each finds those it needs.
pub(crate) const CRATES: [&str; 4] = ["zylisp-lang", "flylead-core", "flylead-native", "flylead"];

#[cfg(test)]
mod tests {
    use super::faults;
    use serde_json::json;

    #[test]
    fn a_manifest_without_a_field_is_refused_by_the_name_of_the_field() {
        let whole = json!({
            "name": "a", "license": "MIT", "repository": "r", "homepage": "h", "documentation": "d", "description": "d",
            "readme": "README.md", "keywords": ["k"], "categories": ["c"], "metadata": { "docs": { "rs": {} } },
        });
        assert!(faults(&whole).is_empty());
        for (field, fault) in [
            ("license", "a has no license"),
            ("metadata", "a has no [package.metadata.docs.rs]"),
            ("categories", "a has no categories"),
            ("keywords", "a needs one to five keywords"),
        ] {
            let mut part = whole.clone();
            part[field] = json!(null);
            assert_eq!(faults(&part), [fault]);
        }
    }
}
