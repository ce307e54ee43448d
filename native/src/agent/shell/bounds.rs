//! Limits of the computer's resources for a command.

use std::fmt;

/// Resource that a command exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bound {
    /// Memory of all processes together.
    Memory,
    /// Processes and threads.
    Processes,
    /// Space on the disk.
    Space,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "too much memory",
            Self::Processes => "too many processes",
            Self::Space => "too much space on the disk",
        })
    }
}

/// Limits of a command in a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of memory that all of its processes together write to.
    pub memory: u64,
    /// Number of simultaneous processes and threads.
    pub processes: u64,
    /// Size limit of a file, in bytes.
    pub file: u64,
    /// Size limit of all files in its view of the workspace, in bytes.
    pub view: u64,
}

impl Default for Bounds {
    /// Allows half of the computer's memory, but at least 1 GiB.
    fn default() -> Self {
        Self {
            memory: (memory() / 2).max(GIB),
            processes: 4096,
            file: 4 * GIB,
            view: 8 * GIB,
        }
    }
}

/// Resources in use at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Usage {
    pub(super) memory: u64,
    pub(super) processes: u64,
    pub(super) view: u64,
}

impl Bounds {
    pub(super) fn exceeded_by(&self, usage: Usage) -> Option<Bound> {
        match usage {
            Usage { processes, .. } if processes > self.processes => Some(Bound::Processes),
            Usage { view, .. } if view > self.view => Some(Bound::Space),
            Usage { memory, .. } if memory > self.memory => Some(Bound::Memory),
            _ => None,
        }
    }
}

#[cfg(target_os = "linux")]
fn memory() -> u64 {
    let system = rustix::system::sysinfo();
    let unit = u64::from(system.mem_unit.max(1));
    (system.totalram as u64).saturating_mul(unit)
}

#[cfg(not(target_os = "linux"))]
const fn memory() -> u64 {
    0
}

const GIB: u64 = 1 << 30;
