//! Tests to run.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use flylead_native::testing::{FileError, Remark, Selection, Test, TestFile, find};

use super::{Exit, Failure, name};

/// Test files, with their selected tests.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) files: Vec<TestFile>,
    /// Files that cannot be run.
    pub(super) broken: Vec<(PathBuf, FileError)>,
    /// Code that looks like a test and does not run.
    pub(super) remarks: Vec<(PathBuf, Remark)>,
    /// Number of deselected tests.
    pub(super) deselected: usize,
}

/// Expressions of `-k` and `-m`, which both have to hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Selected<'a> {
    pub(super) names: Option<&'a Selection>,
    pub(super) marks: Option<&'a Selection>,
}

impl Selected<'_> {
    fn takes(&self, path: &Path, test: &Test) -> bool {
        let full = || format!("{}::{}", name(path), test.name());
        let marks = test
            .request
            .as_ref()
            .map_or(&[][..], |request| &request.marks);
        self.names.is_none_or(|names| names.takes(&full()))
            && self.marks.is_none_or(|wanted| wanted.takes_marks(marks))
    }
}

impl Collected {
    pub(super) fn new(
        paths: &[String],
        pythonpath: &[PathBuf],
        select: Selected<'_>,
    ) -> Result<Self, Failure> {
        let mut collected = Self::default();
        let mut seen = BTreeSet::new();
        let roots: Vec<_> = [PathBuf::new()]
            .into_iter()
            .chain(pythonpath.iter().cloned())
            .collect();
        let here = [".".to_owned()];
        for path in if paths.is_empty() { &here } else { paths } {
            let (path, wanted) = match path.split_once("::") {
                Some((path, wanted)) => (Path::new(path), Some(wanted)),
                None => (Path::new(path), None),
            };
            for file in files_at(path)? {
                let key = (file.clone(), wanted.map(str::to_owned));
                if seen.insert(key) {
                    collected.add(&file, &roots, wanted, select)?;
                }
            }
        }
        Ok(collected)
    }

    fn add(
        &mut self,
        path: &Path,
        roots: &[PathBuf],
        wanted: Option<&str>,
        select: Selected<'_>,
    ) -> Result<(), Failure> {
        let mut file = match TestFile::read(path, roots) {
            Ok(file) => file,
            Err(error) => {
                self.broken.push((path.to_owned(), error));
                return Ok(());
            }
        };
        if wanted.is_none() {
            let remarks = file.remarks.iter().cloned();
            self.remarks
                .extend(remarks.map(|remark| (path.to_owned(), remark)));
        }
        if let Some(wanted) = wanted {
            file.tests.retain(|test| is_wanted(test, wanted));
            if file.tests.is_empty() {
                let message = format!("there is no {wanted} in {}", path.display());
                return Err(Failure::new(Exit::TestsUsage, message));
            }
        }
        let all = file.tests.len();
        file.tests.retain(|test| select.takes(path, test));
        self.deselected += all - file.tests.len();
        if !file.tests.is_empty() {
            self.files.push(file);
        }
        Ok(())
    }

    /// Returns the number of tests.
    pub(super) fn count(&self) -> usize {
        self.files.iter().map(|file| file.tests.len()).sum()
    }
}

/// Returns true if `test_a`, `TestB` for all of its tests, or `TestB::test_c` selects the test.
fn is_wanted(test: &Test, wanted: &str) -> bool {
    let name = test.name();
    let rest = name.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || rest.starts_with('['))
}

fn files_at(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fault = |error| Failure::new(Exit::TestsUsage, format!("{}: {error}", path.display()));
    let files = match path.metadata().map_err(fault)?.is_dir() {
        true => find(path).map_err(fault)?,
        false => vec![path.to_owned()],
    };
    // As people write them: without the `./` of the current folder.
    let short = |path: PathBuf| path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
    Ok(files.into_iter().map(short).collect())
}
