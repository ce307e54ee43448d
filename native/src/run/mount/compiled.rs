//! Compiles modules on their way to the board.

use std::{collections::HashMap, fmt, sync::Arc};

use sha2::{Digest as _, Sha256};

/// Compiler of a source, which tracebacks call by the given path; returns its code, or `None` if the board is to get
/// the source. It may block.
pub type Compile = Arc<dyn Fn(&str, &[u8]) -> Option<Vec<u8>> + Send + Sync>;

/// Cache of compiled sources, by their content.
#[derive(Default)]
pub(super) struct Compiled {
    compile: Option<Compile>,
    /// Cached code, by its path on the board.
    kept: HashMap<String, Kept>,
    /// Size of the cached code, in bytes.
    bytes: usize,
}

struct Kept {
    /// Hash of the source: a file may be saved twice within the resolution of its timestamp.
    hash: [u8; 32],
    /// Compiled code; `None` if the board gets the source.
    code: Option<Vec<u8>>,
}

impl Compiled {
    pub(super) fn by(compile: Compile) -> Self {
        Self {
            compile: Some(compile),
            ..Self::default()
        }
    }

    /// Returns true for a source that should be compiled.
    pub(super) fn takes(&self, path: &str, size: u32) -> bool {
        self.compile.is_some() && path.ends_with(".py") && size <= LONGEST_SOURCE
    }

    /// Returns the code at this path, if it was compiled.
    pub(super) fn get(&self, path: &str) -> Option<&[u8]> {
        self.kept.get(path)?.code.as_deref()
    }

    /// Returns the code of the source at this path, compiling it unless it is cached.
    pub(super) fn code_of(&mut self, path: &str, source: &[u8]) -> Option<&[u8]> {
        let compile = self.compile.as_ref()?;
        let hash = Sha256::digest(source).into();
        let at = format!("{}.mpy", path.trim_end_matches(".py"));
        if self.kept.get(&at).is_none_or(|kept| kept.hash != hash) {
            let code = compile(path, source);
            self.keep(at.clone(), Kept { hash, code });
        }
        self.get(&at)
    }

    fn keep(&mut self, path: String, new: Kept) {
        let length = |kept: &Kept| kept.code.as_ref().map_or(0, Vec::len);
        self.bytes += length(&new);
        if self.bytes > LIMIT || self.kept.len() >= MOST {
            self.kept.clear();
            self.bytes = length(&new);
        }
        let before = self.kept.insert(path, new);
        self.bytes -= before.as_ref().map_or(0, length);
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

/// Size limit of a source, in bytes: longer ones are sent as they are.
pub(super) const LONGEST_SOURCE: u32 = 1 << 20;
/// Size limit of the cached code, in bytes.
const LIMIT: usize = 64 << 20;
/// Limit of cached modules.
const MOST: usize = 10_000;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_source_is_compiled_once_and_again_when_it_has_changed() {
        let times = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&times);
        let mut compiled = Compiled::by(Arc::new(move |_, source| {
            counted.fetch_add(1, Ordering::Relaxed);
            (source != b"bad").then(|| source.to_ascii_uppercase())
        }));
        let mut code_of = |text: &[u8]| {
            let code = compiled.code_of("/a.py", text).map(<[u8]>::to_vec);
            assert_eq!(code.as_deref(), compiled.get("/a.mpy"));
            code
        };
        assert_eq!(code_of(b"one").unwrap(), b"ONE");
        assert_eq!(code_of(b"one").unwrap(), b"ONE");
        assert_eq!(times.load(Ordering::Relaxed), 1);
        assert_eq!(code_of(b"two").unwrap(), b"TWO");
        // The board refuses an invalid program, and compiling it is not tried again either.
        assert_eq!(code_of(b"bad"), None);
        assert_eq!(code_of(b"bad"), None);
        assert_eq!(times.load(Ordering::Relaxed), 3);
    }
}
