//! Serves requests in one exchange with a board whose capabilities are unknown.
//!
//! Querying a board's capabilities takes longer than most boards take for a list or a small file. Therefore such a
//! request goes as one program for modern boards, with the content in it. A program that reaches its end was suitable:
//! its answer has a checksum, and so has its content. In any other case, the capabilities are queried, and
//! the request is carried out in the ordinary way, including parts that were already done.

mod look;
mod read;
mod write;

use alloc::{boxed::Box, format, string::String, vec::Vec};

use super::{Job, transfer::Delivery};
use crate::board::{Config, Error, NewEntry, Request};

/// Returns the first line of a program, with these modules beside `builtins` as `b` and `uos` as `o`.
///
/// Their names are those that no file of the board's user shadows: otherwise, boards search their file systems for an
/// `os.py` first, which takes longer than the rest of a program (MicroPython v1.28, `py/objmodule.c`,
/// `mp_module_get_builtin`).
fn imports(modules: &str) -> String {
    format!("import builtins as b,uos as o,{modules}\n")
}

/// Returns the beginning of a program that looks at the entries it names, and at no others.
///
/// The program ends there if the current directory is one that a killed `mpremote mount` left behind; the probe unmounts
/// it. That file system tells its own directory without its peer (mpremote v1.29 `transport_serial.py`, `RemoteFS.getcwd`).
fn beginning(modules: &str) -> String {
    imports(modules) + "'x'[o.getcwd()[:7]=='/remote']\n"
}

/// Returns true for a path that may lead into such a directory from another one.
fn may_be_remote(path: &str) -> bool {
    path.split('/').any(|part| part == "remote")
}

/// Limit of the content in a program, in bytes: it must fit into a small board's memory more than once.
pub const CONTENT_LIMIT: usize = 4096;

/// Returns the program for a request that one exchange can serve.
pub(in crate::board) fn job(request: &Request, config: &Config) -> Option<Box<dyn Job>> {
    let text_link = config.text_link;
    match request {
        Request::List { path, .. }
        | Request::Stat { path }
        | Request::Read { path }
        | Request::ReadStream { path }
        | Request::Write { path, .. }
            if may_be_remote(path) =>
        {
            None
        }
        Request::List { path, times } => Some(look::list(path, *times)),
        Request::Stat { path } => Some(look::stat(path)),
        Request::Read { path } if !text_link => Some(read::read(path, Delivery::at_the_end())),
        Request::ReadStream { path } if !text_link => {
            Some(read::read(path, Delivery::as_it_comes()))
        }
        Request::Write { path, data } => {
            write::write(&[], &[(path.as_str(), data.as_slice())], config)
        }
        Request::WriteTree { entries } => {
            let (mut directories, mut files) = (Vec::new(), Vec::new());
            for entry in entries {
                match entry {
                    NewEntry::File { path, .. } | NewEntry::Directory { path }
                        if may_be_remote(path) =>
                    {
                        return None;
                    }
                    NewEntry::File { path, data } => files.push((path.as_str(), data.as_slice())),
                    NewEntry::Directory { path } => directories.push(path.as_str()),
                    NewEntry::Overwrite { .. } => return None,
                }
            }
            write::write(&directories, &files, config)
        }
        _ => None,
    }
}

/// Returns true if an error is the answer, rather than a sign that the board cannot run such a program.
pub(in crate::board) fn is_answer(request: &Request, error: &Error) -> bool {
    match error {
        Error::Restarted | Error::Cancelled | Error::Stalled => true,
        Error::NotFound => matches!(request, Request::Stat { .. }),
        Error::IsDirectory => matches!(request, Request::Write { .. } | Request::WriteTree { .. }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_mpremote_may_have_left_is_for_the_ordinary_way() {
        for (path, is_quick) in [
            ("", true),
            ("/remote", false),
            ("remote/a.py", false),
            ("../remote/", false),
            ("/flash/remote.py", true),
        ] {
            let path = String::from(path);
            let requests = [
                Request::Stat { path: path.clone() },
                Request::Write {
                    path: path.clone(),
                    data: Vec::new(),
                },
                Request::WriteTree {
                    entries: Vec::from([NewEntry::File {
                        path: path.clone(),
                        data: Vec::new(),
                    }]),
                },
                Request::List { path, times: false },
            ];
            for request in requests {
                let job = job(&request, &Config::default());
                assert_eq!(job.is_some(), is_quick, "{request:?}");
            }
        }
    }

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
            (Vec::from([folder.clone(), file(1)]), true),
            (Vec::from([folder]), false),
            (Vec::new(), false),
        ] {
            let request = Request::WriteTree { entries };
            assert_eq!(job(&request, &Config::default()).is_some(), is_quick);
        }
    }
}
