//! Modules that are compiled on their way to the board.

use std::{collections::HashMap, fmt, io, sync::Arc, time::SystemTime};

/// Compiles a source, which tracebacks call by the path that is given: its code, or nothing where the board is to have the
/// source. It may wait.
pub type Compile = Arc<dyn Fn(&str, &[u8]) -> Option<Vec<u8>> + Send + Sync>;

/// What sources were compiled to, while they stay as they are.
#[derive(Default)]
pub(super) struct Compiled {
    compile: Option<Compile>,
    /// By the path that the code has on the board.
    kept: HashMap<String, Kept>,
    /// How many bytes of code are kept.
    bytes: usize,
}

struct Kept {
    size: u64,
    saved: SystemTime,
    /// `None` where the board has the source.
    code: Option<Vec<u8>>,
}

/// A source, as it is now.
pub(super) struct Source<'a> {
    pub(super) path: &'a str,
    pub(super) size: u64,
    pub(super) saved: SystemTime,
}

impl Compiled {
    pub(super) fn by(compile: Compile) -> Self {
        Self {
            compile: Some(compile),
            ..Self::default()
        }
    }

    /// Whether it is a source that is compiled.
    pub(super) fn takes(&self, path: &str, size: u32) -> bool {
        self.compile.is_some() && path.ends_with(".py") && size <= LONGEST_SOURCE
    }

    /// The code of this path, if one was compiled.
    pub(super) fn get(&self, path: &str) -> Option<&[u8]> {
        self.kept.get(path)?.code.as_deref()
    }

    /// The code of a source, which is read and compiled unless that was done before.
    pub(super) fn code_of(
        &mut self,
        source: &Source<'_>,
        read: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> io::Result<Option<&[u8]>> {
        let Some(compile) = &self.compile else {
            return Ok(None);
        };
        let path = format!("{}.mpy", source.path.trim_end_matches(".py"));
        let is_known = self
            .kept
            .get(&path)
            .is_some_and(|kept| kept.size == source.size && kept.saved == source.saved);
        if !is_known {
            let code = compile(source.path, &read()?);
            self.keep(path.clone(), source, code);
        }
        Ok(self.get(&path))
    }

    fn keep(&mut self, path: String, source: &Source<'_>, code: Option<Vec<u8>>) {
        self.bytes += code.as_ref().map_or(0, Vec::len);
        if self.bytes > LIMIT || self.kept.len() >= MOST {
            self.kept.clear();
            self.bytes = code.as_ref().map_or(0, Vec::len);
        }
        let (size, saved) = (source.size, source.saved);
        let before = self.kept.insert(path, Kept { size, saved, code });
        let code = before.and_then(|before| before.code);
        self.bytes -= code.map_or(0, |code| code.len());
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled")
            .field("compiles", &self.compile.is_some())
            .field("kept", &self.kept.len())
            .finish_non_exhaustive()
    }
}

/// In bytes: longer sources are sent as they are.
const LONGEST_SOURCE: u32 = 1 << 20;
/// In bytes: of code that is kept.
const LIMIT: usize = 64 << 20;
/// How many modules are kept.
const MOST: usize = 10_000;

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };

    use super::*;

    #[test]
    fn a_source_is_compiled_once_and_again_when_it_was_saved() {
        let times = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&times);
        let mut compiled = Compiled::by(Arc::new(move |_, source| {
            counted.fetch_add(1, Ordering::Relaxed);
            (source != b"bad").then(|| source.to_ascii_uppercase())
        }));
        let mut code_of = |text: &[u8], second| {
            let source = Source {
                path: "/a.py",
                size: text.len() as u64,
                saved: SystemTime::UNIX_EPOCH + Duration::from_secs(second),
            };
            let code = compiled.code_of(&source, || Ok(text.to_vec())).unwrap();
            let code = code.map(<[u8]>::to_vec);
            assert_eq!(code.as_deref(), compiled.get("/a.mpy"));
            code
        };
        assert_eq!(code_of(b"one", 1).unwrap(), b"ONE");
        assert_eq!(code_of(b"one", 1).unwrap(), b"ONE");
        assert_eq!(times.load(Ordering::Relaxed), 1);
        assert_eq!(code_of(b"two", 2).unwrap(), b"TWO");
        // What is no program is the board's to refuse, and is not tried again either.
        assert_eq!(code_of(b"bad", 3), None);
        assert_eq!(code_of(b"bad", 3), None);
        assert_eq!(times.load(Ordering::Relaxed), 3);
    }
}
