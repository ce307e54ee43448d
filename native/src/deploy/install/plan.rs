//! Plans the files of an installation.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{
    Error, ShortHash, Source,
    manifest::Manifest,
    request::{as_file, is_code, is_path, is_word, split_version},
    source::is_inside,
};

/// Sources and target of packages.
#[derive(Debug, Clone)]
pub struct Options {
    /// Index for looking up names and hashes, if any.
    pub index: Option<Source>,
    /// Directory on the board.
    pub target: String,
    /// Version of compiled files that the board runs; `None` for sources only.
    pub mpy: Option<u8>,
}

impl Options {
    fn on_board(&self, path: &str) -> String {
        match self.target.as_str() {
            "" => path.to_owned(),
            target => format!("{}/{path}", target.trim_end_matches('/')),
        }
    }
}

/// File of an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path on the board.
    pub path: String,
    /// Source of the file.
    pub source: Source,
    /// Prefix of its SHA-256, if the package gives one.
    pub hash: Option<ShortHash>,
}

/// Package.json that the plan still needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Name of the package.
    pub name: String,
    /// Possible sources, best first.
    pub sources: Vec<Source>,
    version: Option<String>,
}

/// Plan of an installation: give it the manifests that it wants, and it lists all files.
///
/// Each package is processed once, however many others depend on it, so cycles end. Where versions differ, a requested
/// one takes precedence over one required by a dependency.
#[derive(Debug)]
pub struct Plan {
    options: Options,
    wanted: VecDeque<Wanted>,
    seen: HashSet<String>,
    files: Vec<File>,
    by_path: HashMap<String, usize>,
}

impl Plan {
    /// Creates an empty plan.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            wanted: VecDeque::new(),
            seen: HashSet::new(),
            files: Vec::new(),
            by_path: HashMap::new(),
        }
    }

    /// Adds a request: `NAME[@VERSION]` from the index, or the path or address of a package or file.
    ///
    /// # Errors
    /// The request is not a name, path or address that a package can have.
    pub fn add(&mut self, request: &str) -> Result<(), Error> {
        let (name, version) = split_version(request);
        match Source::remote(&as_file(name), version)? {
            Some(source) => self.add_source(name, source, version),
            None if is_path(name) => {
                // A package is a folder that contains its package.json.
                let source = match as_file(name) == name {
                    true => Source::Path(name.into()),
                    false => Source::Path(name.trim_end_matches('/').into()).join("package.json"),
                };
                self.add_source(name, source, None)
            }
            None => self.add_name(name, version),
        }
    }

    /// Returns the next package.json to read, if any is missing.
    pub fn next_wanted(&mut self) -> Option<Wanted> {
        self.wanted.pop_front()
    }

    /// Adds the files and dependencies of a package whose package.json was at `source`.
    ///
    /// # Errors
    /// The file is not a valid package.json, or names an illegal path or address.
    pub fn add_manifest(
        &mut self,
        wanted: &Wanted,
        source: &Source,
        json: &[u8],
    ) -> Result<(), Error> {
        let manifest = Manifest::parse(source, json)?;
        for (path, hash) in &manifest.hashes {
            let hash = ShortHash::new(hash).ok_or_else(|| Error::BadManifest {
                source: source.clone(),
                why: format!("{hash:?} is not a hash"),
            })?;
            let file = self.in_index(&hash, &wanted.name)?;
            self.add_file(path, file, Some(hash))?;
        }
        for (path, address) in &manifest.urls {
            let file = source.of_file(address, wanted.version.as_deref())?;
            self.add_file(path, file, None)?;
        }
        manifest
            .deps
            .iter()
            .try_for_each(|(name, version)| self.add_dependency(name, version))
    }

    /// Returns all files, in the order they were named.
    #[must_use]
    pub fn into_files(self) -> Vec<File> {
        self.files
    }

    /// Adds a dependency. A package may depend on names and addresses, never on paths of this computer.
    fn add_dependency(&mut self, name: &str, version: &str) -> Result<(), Error> {
        let version = Some(version).filter(|version| !version.is_empty());
        match Source::remote(&as_file(name), version)? {
            Some(source) => self.add_source(name, source, version),
            None => self.add_name(name, version),
        }
    }

    fn add_source(
        &mut self,
        name: &str,
        source: Source,
        version: Option<&str>,
    ) -> Result<(), Error> {
        if is_code(name) {
            let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
            return self.add_file(file, source, None);
        }
        self.want(source.to_string(), name, vec![source], version)
    }

    fn add_name(&mut self, name: &str, version: Option<&str>) -> Result<(), Error> {
        let version = version.unwrap_or("latest");
        if !is_word(name) || !is_word(version) {
            return Err(Error::BadName {
                name: format!("{name}@{version}"),
            });
        }
        let index = self.index(name)?;
        let flavors = self.options.mpy.map(|mpy| mpy.to_string()).into_iter();
        let sources = flavors
            .chain(["py".to_owned()])
            .map(|flavor| index.join(&format!("package/{flavor}/{name}/{version}.json")));
        let sources = sources.collect();
        self.want(name.to_owned(), name, sources, Some(version))
    }

    fn want(
        &mut self,
        key: String,
        name: &str,
        sources: Vec<Source>,
        version: Option<&str>,
    ) -> Result<(), Error> {
        if !self.seen.insert(key) {
            return Ok(());
        }
        if self.seen.len() > MAX_PACKAGES {
            return Err(Error::TooMany {
                limit: MAX_PACKAGES,
            });
        }
        self.wanted.push_back(Wanted {
            name: name.to_owned(),
            sources,
            version: version.map(ToOwned::to_owned),
        });
        Ok(())
    }

    fn add_file(
        &mut self,
        path: &str,
        source: Source,
        hash: Option<ShortHash>,
    ) -> Result<(), Error> {
        if !is_inside(path) {
            return Err(Error::Outside {
                path: path.to_owned(),
            });
        }
        let path = self.options.on_board(path);
        let file = File { path, source, hash };
        if let Some(&index) = self.by_path.get(&file.path) {
            return match self.files[index] == file {
                true => Ok(()),
                false => Err(Error::Conflict { path: file.path }),
            };
        }
        if self.files.len() == MAX_FILES {
            return Err(Error::TooMany { limit: MAX_FILES });
        }
        self.by_path.insert(file.path.clone(), self.files.len());
        self.files.push(file);
        Ok(())
    }

    fn in_index(&self, hash: &ShortHash, name: &str) -> Result<Source, Error> {
        let hash = hash.as_str();
        Ok(self
            .index(name)?
            .join(&format!("file/{}/{hash}", &hash[..2])))
    }

    fn index(&self, name: &str) -> Result<&Source, Error> {
        let missing = || Error::NoIndex {
            name: name.to_owned(),
        };
        self.options.index.as_ref().ok_or_else(missing)
    }
}

/// Limit of packages per installation.
const MAX_PACKAGES: usize = 100;

/// Limit of files per installation.
const MAX_FILES: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(mpy: Option<u8>) -> Plan {
        Plan::new(Options {
            index: Some(Source::Path("index".into())),
            target: "/lib".into(),
            mpy,
        })
    }

    fn here(folder: &str, path: &str) -> Source {
        Source::Path(folder.into()).join(path)
    }

    /// Gives the plan the next package.json that it wants.
    fn give(plan: &mut Plan, json: &str) -> Result<String, Error> {
        let wanted = plan.next_wanted().expect("it wants one");
        let source = wanted.sources[0].clone();
        plan.add_manifest(&wanted, &source, json.as_bytes())?;
        Ok(source.to_string())
    }

    #[test]
    fn a_name_is_looked_up_for_the_boards_compiled_files_and_then_for_sources() {
        let mut plan = plan(Some(6));
        plan.add("aioble@0.4.1").unwrap();
        plan.add("time").unwrap();
        assert_eq!(
            plan.next_wanted().unwrap().sources,
            [
                here("index", "package/6/aioble/0.4.1.json"),
                here("index", "package/py/aioble/0.4.1.json")
            ]
        );
        assert_eq!(
            plan.next_wanted().unwrap().sources[0],
            here("index", "package/6/time/latest.json")
        );
    }

    #[test]
    fn the_files_of_a_package_are_in_the_index_or_beside_it() {
        let mut plan = plan(None);
        plan.add("./pkg").unwrap();
        let json = r#"{"hashes": [["a/b.py", "0123456789"]], "urls": [["c.py", "src/c.py"]]}"#;
        assert_eq!(give(&mut plan, json).unwrap(), "./pkg/package.json");
        let files = plan.into_files();
        assert_eq!(files[0].path, "/lib/a/b.py");
        assert_eq!(files[0].source, here("index", "file/01/0123456789"));
        assert_eq!(files[0].hash, ShortHash::new("0123456789"));
        assert_eq!(
            (files[1].path.as_str(), &files[1].source),
            ("/lib/c.py", &here("./pkg", "src/c.py"))
        );
    }

    #[test]
    fn single_files_need_no_package() {
        let mut plan = plan(None);
        plan.add("http://host/x/one.py").unwrap();
        plan.add("github:a/b/two.mpy@v2").unwrap();
        plan.add("three.py").unwrap();
        assert_eq!(plan.next_wanted(), None);
        let files = plan.into_files();
        let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["/lib/one.py", "/lib/two.mpy", "/lib/three.py"]);
        assert_eq!(
            files[1].source.to_string(),
            "https://raw.githubusercontent.com/a/b/v2/two.mpy"
        );
    }

    #[test]
    fn the_target_is_any_directory_of_the_board() {
        for (target, path) in [("", "x.py"), ("/", "/x.py"), ("a/b/", "a/b/x.py")] {
            let mut plan = plan(None);
            plan.options.target = target.into();
            plan.add("./x.py").unwrap();
            assert_eq!(plan.into_files()[0].path, path);
        }
    }

    #[test]
    fn packages_that_depend_on_each_other_are_looked_at_once() {
        let mut plan = plan(None);
        plan.add("a").unwrap();
        give(&mut plan, r#"{"deps": [["b", "latest"], ["a", "1"]]}"#).unwrap();
        give(&mut plan, r#"{"deps": [["a", "latest"], ["b", ""]]}"#).unwrap();
        assert_eq!(plan.next_wanted(), None);
    }

    #[test]
    fn a_chain_of_packages_without_end_is_given_up() {
        let mut plan = plan(None);
        plan.add("a0").unwrap();
        let refused = (1..).find_map(|number| {
            give(&mut plan, &format!(r#"{{"deps": [["a{number}", ""]]}}"#)).err()
        });
        assert_eq!(
            refused,
            Some(Error::TooMany {
                limit: MAX_PACKAGES
            })
        );
    }

    #[test]
    fn no_package_writes_outside_of_the_target() {
        for path in [
            "../boot.py",
            "/boot.py",
            "a/../../boot.py",
            "",
            "a//b",
            "a\\b",
            ".",
        ] {
            let mut plan = plan(None);
            plan.add("a").unwrap();
            let json = serde_json::json!({ "urls": [[path, "a.py"]] }).to_string();
            assert_eq!(
                give(&mut plan, &json),
                Err(Error::Outside { path: path.into() })
            );
        }
    }

    #[test]
    fn a_package_depends_on_no_path_of_this_computer() {
        for name in ["../x", "/etc", "./x", "a/../b", "x.py/..", ""] {
            let mut plan = plan(None);
            plan.add("a").unwrap();
            let json = serde_json::json!({ "deps": [[name, "latest"]] }).to_string();
            assert!(
                matches!(give(&mut plan, &json), Err(Error::BadName { .. })),
                "{name}"
            );
        }
    }

    #[test]
    fn two_packages_may_share_a_file_but_not_fight_for_one() {
        let mut plan = plan(None);
        plan.add("a").unwrap();
        plan.add("b").unwrap();
        plan.add("c").unwrap();
        give(&mut plan, r#"{"hashes": [["x.py", "00000000"]]}"#).unwrap();
        give(&mut plan, r#"{"hashes": [["x.py", "00000000"]]}"#).unwrap();
        let refused = give(&mut plan, r#"{"hashes": [["x.py", "00000001"]]}"#);
        assert_eq!(
            refused,
            Err(Error::Conflict {
                path: "/lib/x.py".into()
            })
        );
    }

    #[test]
    fn a_hash_that_is_no_hash_never_becomes_a_path() {
        let mut plan = plan(None);
        plan.add("a").unwrap();
        let refused = give(&mut plan, r#"{"hashes": [["x.py", "../../secret"]]}"#);
        assert!(matches!(refused, Err(Error::BadManifest { .. })));
    }

    #[test]
    fn without_an_index_names_are_refused_and_addresses_are_not() {
        let mut plan = Plan::new(Options {
            index: None,
            target: "/lib".into(),
            mpy: None,
        });
        assert_eq!(
            plan.add("aioble"),
            Err(Error::NoIndex {
                name: "aioble".into()
            })
        );
        assert_eq!(plan.add("http://host/x@y/"), Ok(()));
        assert_eq!(
            plan.next_wanted().unwrap().sources[0].to_string(),
            "http://host/x@y/package.json"
        );
    }

    #[test]
    fn what_is_neither_a_name_nor_an_address_is_refused() {
        for request in ["", "@1", "a b", "a@", "a@../x", "a@.x"] {
            assert!(
                matches!(plan(None).add(request), Err(Error::BadName { .. })),
                "{request}"
            );
        }
    }
}
