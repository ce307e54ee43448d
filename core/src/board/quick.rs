//! The first request on a board, in one exchange.
//!
//! The board's capabilities are not known then, and probing takes longer than most boards take for a list or a small file. So
//! such a request goes as one program that modern boards run, with the content in it. When it comes to its end it was right:
//! its answer has sums, and the content was compared by its hash. Whatever else it comes to, the board is asked what it can
//! do, and the request is done as any other; a part of it that was done already is done again.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};

use super::{
    Answer, Error, NewEntry, Progress, Request, TransferMethod, Written,
    answer::parse_entries,
    job::{Job, JobContext, Step},
    literal, query,
    transfer::{hash, temporary_name},
};
use crate::raw_repl::Outcome;

/// Content of this many bytes goes in a program, at most: it must fit into a small board's memory more than once.
const CONTENT_LIMIT: usize = 4096;
const LIST: &str = include_str!("python/list.py");
const WRITE: &str = include_str!("python/write.py");
/// The remains of a killed `mpremote mount` make each `import` wait for an answer; the probe removes them.
const GUARD: &str = "if 'RemoteFS' in globals():raise ValueError\n";
/// Number of bytes of a hash that are compared.
const SHORT_HASH: usize = 8;

/// Writes small files by one program.
#[derive(Debug)]
pub(super) struct QuickWrite {
    program: String,
    written: Written,
    entries: usize,
    is_done: bool,
}

/// A request's one program, if it is such a request.
pub(super) fn job(request: &Request) -> Option<Box<dyn Job>> {
    match request {
        Request::List { path } => Some(query::saying(
            &[("_path", path)],
            &[GUARD, LIST],
            parse_entries,
        )),
        Request::Write { path, data } => write([(path.as_str(), data.as_slice())].into()),
        Request::WriteTree { entries } => {
            let files = entries.iter().map(|entry| match entry {
                NewEntry::File { path, data } => Some((path.as_str(), data.as_slice())),
                NewEntry::Overwrite { .. } | NewEntry::Directory { .. } => None,
            });
            write(files.collect::<Option<Vec<_>>>()?)
        }
        _ => None,
    }
}

fn write(files: Vec<(&str, &[u8])>) -> Option<Box<dyn Job>> {
    let bytes: usize = files.iter().map(|(_, data)| data.len()).sum();
    if bytes > CONTENT_LIMIT || files.is_empty() {
        return None;
    }
    let mut method = TransferMethod::Literal;
    let mut calls = String::new();
    for (path, data) in &files {
        let mut content = literal::bytes(data);
        let packed = BASE64.encode(data);
        if packed.len() + "a(b'')".len() < content.len() {
            method = TransferMethod::Base64;
            content = format!("a(b'{packed}')");
        }
        let short = literal::bytes(&hash(path, data)[..SHORT_HASH]);
        let [path, part] = [path, &*temporary_name(path, data, "part")].map(literal::text);
        calls.push_str(&format!("put({path},{part},{short},{content})\n"));
    }
    let import = match method {
        TransferMethod::Base64 => "from binascii import a2b_base64 as a\n",
        _ => "",
    };
    let program = [GUARD, import, WRITE, &calls].concat();
    let written = Written {
        bytes: bytes as u64,
        on_wire: program.len() as u64,
        method,
    };
    Some(Box::new(QuickWrite {
        program,
        written,
        entries: files.len(),
        is_done: false,
    }))
}

impl Job for QuickWrite {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        Step::Run(self.program.clone())
    }

    fn on_stdout(&mut self, _bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        Step::Ignore
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        Step::Done(match Error::from_outcome(&outcome) {
            Some(error) => Err(error),
            None => {
                self.is_done = true;
                Ok(Answer::Written(self.written))
            }
        })
    }

    fn progress(&self) -> Option<Progress> {
        self.is_done.then_some(Progress {
            done: self.written.bytes,
            total: Some(self.written.bytes),
            entries: self.entries,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_alone_go_in_a_program() {
        let file = |size: usize| NewEntry::File {
            path: "a".into(),
            data: alloc::vec![b'x'; size],
        };
        let folder = NewEntry::Directory { path: "d".into() };
        for (entries, is_quick) in [
            (Vec::from([file(CONTENT_LIMIT)]), true),
            (Vec::from([file(0), file(9)]), true),
            (Vec::from([file(CONTENT_LIMIT + 1)]), false),
            (Vec::from([file(CONTENT_LIMIT), file(1)]), false),
            (Vec::from([folder, file(1)]), false),
            (Vec::new(), false),
        ] {
            let request = Request::WriteTree { entries };
            assert_eq!(job(&request).is_some(), is_quick);
        }
    }
}
