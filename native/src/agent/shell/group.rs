//! The processes of one command, however they are grouped.

use std::{
    io,
    process::{Child, Command},
};

#[cfg(target_os = "linux")]
use super::sandbox::{Kind, Namespace, Temporary};
use super::{
    Mounts, Sandbox,
    bounds::{Bounds, Usage},
    tree::{Killed, Tree},
};

/// All processes of a command.
pub(super) enum Group {
    /// Processes found by their parents.
    Tree(Tree),
    /// Processes in a sandbox, with a folder that is removed with them.
    #[cfg(target_os = "linux")]
    Confined(
        Tree,
        #[expect(dead_code, reason = "it goes when it is dropped")] Temporary,
    ),
    /// Processes in a namespace of their own, which ends with the first of them.
    #[cfg(target_os = "linux")]
    Namespace(Namespace),
}

impl Group {
    /// Starts a command without a sandbox. `prepare` sets its folder, its outputs and its environment.
    pub(super) fn free(
        mut command: Command,
        prepare: impl FnOnce(&mut Command) -> io::Result<()>,
    ) -> io::Result<(Child, Self)> {
        prepare(&mut command)?;
        let tree = Tree::watch();
        Ok((command.spawn()?, Self::Tree(tree)))
    }

    /// Starts a command in a sandbox, from this thread, which stays confined. The command begins when `ready` returns.
    #[cfg(target_os = "linux")]
    pub(super) fn confined(
        mut command: Command,
        (prepare, ready): (
            impl FnOnce(&mut Command) -> io::Result<()>,
            impl FnOnce() -> io::Result<()>,
        ),
        (sandbox, mounts): (&Sandbox, &Mounts),
        bounds: Bounds,
    ) -> io::Result<(Child, Self)> {
        match &sandbox.kind {
            Kind::Bubblewrap(bubblewrap) => {
                let (child, namespace) =
                    bubblewrap.spawn(&command, (prepare, ready), mounts, bounds)?;
                Ok((child, Self::Namespace(namespace)))
            }
            Kind::Landlock(landlock) => {
                prepare(&mut command)?;
                ready()?;
                let tree = Tree::watch();
                let (child, temporary) = landlock.spawn(&mut command, mounts, bounds)?;
                Ok((child, Self::Confined(tree, temporary)))
            }
        }
    }

    /// Fails to build: this system has no sandbox.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn confined(
        _: Command,
        _: (
            impl FnOnce(&mut Command) -> io::Result<()>,
            impl FnOnce() -> io::Result<()>,
        ),
        (sandbox, _): (&Sandbox, &Mounts),
        _: Bounds,
    ) -> io::Result<(Child, Self)> {
        match sandbox.kind {}
    }

    /// Returns the processes' total use of resources, if known; or only their number, if it exceeds `enough`.
    pub(super) fn usage(&self, enough: u64) -> Usage {
        match self {
            #[cfg(target_os = "linux")]
            Self::Namespace(namespace) => namespace.usage(enough),
            _ => Usage::default(),
        }
    }

    /// Ends all processes.
    pub(super) fn kill(&mut self, child: &mut Child, has_ended: bool) -> Killed {
        match self {
            Self::Tree(tree) => tree.kill(child, has_ended),
            #[cfg(target_os = "linux")]
            Self::Confined(tree, _) => tree.kill(child, has_ended),
            #[cfg(target_os = "linux")]
            Self::Namespace(namespace) => namespace.kill(child),
        }
    }

    /// Returns true if the command was started at all. It must be called after all processes have ended.
    pub(super) fn has_started(&mut self) -> bool {
        match self {
            #[cfg(target_os = "linux")]
            Self::Namespace(namespace) => namespace.has_started(),
            _ => true,
        }
    }
}
