//! Copies local files to a board, for all commands, tools and tests.
//!
//! ```text
//!   a folder ──Source::read──► Tree ──┐
//!                                     ├─Plan::new──► Plan ──apply──► the board
//!   the board ──tree_there───► Tree ──┘
//! ```
//!
//! Some files stay on this computer unless [`Rules`] say otherwise: version control, caches, secrets, and those that
//! git ignores. No link leads out of a source.

mod apply;
#[cfg(feature = "backup")]
pub mod backup;
pub mod check;
mod fault;
mod folder;
mod home;
pub mod install;
mod item;
mod plan;
pub mod romfs;
mod send;
pub mod states;
mod tree;

pub use apply::{Done, apply, send_changed};
pub use fault::Fault;
pub use folder::{Kind, Local, Rules, entries};
pub use item::{Content, Item, directories, files, with_parents};
pub use plan::{Entry, Node, Plan, Step, Tree};
pub use send::{Listener, Sizes, is_about_one, send};
pub use tree::{Skipped, Source, tree_there};

/// Joins a name to a directory of the board.
#[must_use]
pub fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory if directory.ends_with('/') => format!("{directory}{name}"),
        directory => format!("{directory}/{name}"),
    }
}

/// Returns a path of the board as an absolute one, without `.` and `..`.
#[must_use]
pub fn absolute(cwd: &str, path: &str) -> String {
    let from_root = match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{cwd}/{path}"),
    };
    let mut names = Vec::new();
    for name in from_root.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_with_one_slash() {
        for (directory, path) in [
            ("", "a"),
            ("/", "/a"),
            ("lib", "lib/a"),
            ("/lib/", "/lib/a"),
        ] {
            assert_eq!(join(directory, "a"), path);
        }
    }

    #[test]
    fn a_path_is_the_same_however_it_is_written() {
        for (path, whole) in [
            ("", "/flash"),
            (".", "/flash"),
            ("lib//x/..", "/flash/lib"),
            ("../flash/", "/flash"),
            ("/", "/"),
            ("/..", "/"),
            ("/sd/.", "/sd"),
        ] {
            assert_eq!(absolute("/flash", path), whole, "{path}");
        }
    }
}
