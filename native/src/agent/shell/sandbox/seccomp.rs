//! System calls that are forbidden to commands.
//!
//! There are two programs, because a program has one error for all refused calls: `EPERM`, and `ENOSYS` for calls that
//! libraries replace by older ones if a kernel lacks them.

use std::{collections::BTreeMap, env};

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Is,
    SeccompCondition, SeccompFilter, SeccompRule,
};

/// Sockets that commands may create. `socketpair` is always allowed: both of its ends belong to the
/// command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
    /// No sockets.
    None,
    /// Sockets to the network, but not to programs of this computer.
    Internet,
    /// Also `AF_UNIX`, if they lead only to the command's own processes.
    Own,
}

/// Permissions towards processes that a command has not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// Other processes are invisible to the command.
    Unseen,
    /// Other processes are visible, and nothing else protects their limits and their priority.
    Seen,
}

/// Compiles both programs.
pub(super) fn programs(sockets: Sockets, others: Others) -> Result<[BpfProgram; 2], String> {
    let mut refused = Refused::default();
    refused.calls(&REFUSED);
    refused.new_namespaces();
    refused.set_id_modes();
    refused.terminal_input();
    refused.sockets(sockets);
    if others == Others::Seen {
        refused.other_processes();
    }
    let mut missing = Refused::default();
    missing.calls(&MISSING);
    let program = |refused: Refused, errno: i32| refused.program(errno);
    let programs = program(refused, libc::EPERM)
        .and_then(|refused| Ok([refused, program(missing, libc::ENOSYS)?]));
    programs.map_err(|error| format!("seccomp: {error}"))
}

/// Encodes a program as the kernel and bubblewrap read it.
pub(super) fn bytes(program: &BpfProgram) -> Vec<u8> {
    let instruction = |it: &seccompiler::sock_filter| {
        let mut bytes = it.code.to_ne_bytes().to_vec();
        bytes.extend([it.jt, it.jf]);
        bytes.extend(it.k.to_ne_bytes());
        bytes
    };
    program.iter().flat_map(instruction).collect()
}

/// Refused calls. With rules, a call is refused if one of them holds; without rules, always.
#[derive(Default)]
struct Refused {
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    error: Option<BackendError>,
}

impl Refused {
    fn calls(&mut self, calls: &[i64]) {
        for &call in calls {
            self.rules.insert(call, Vec::new());
        }
    }

    /// Refuses a call if all conditions hold, each with the number of an argument, the comparison and the value.
    fn when(&mut self, call: i64, conditions: &[(u8, Is, u64)]) {
        let conditions = conditions.iter().map(|(argument, is, value)| {
            SeccompCondition::new(*argument, Width::Dword, is.clone(), *value)
        });
        let rule = conditions
            .collect::<Result<_, _>>()
            .and_then(SeccompRule::new);
        match rule {
            Ok(rule) => self.rules.entry(call).or_default().push(rule),
            Err(error) => self.error = Some(error),
        }
    }

    /// Like [`when`](Self::when), with the further condition that an argument has this bit set.
    fn when_bit(&mut self, call: i64, argument: u8, bit: u64, others: &[(u8, Is, u64)]) {
        let has = (argument, Is::MaskedEq(bit), bit);
        self.when(call, &[&[has], others].concat());
    }

    /// Refuses new namespaces, in which a process has all capabilities, and thus access to most of the kernel's attack
    /// surface.
    fn new_namespaces(&mut self) {
        for flag in NAMESPACES {
            let flag = u64::from(flag.cast_unsigned());
            self.when_bit(libc::SYS_clone, 0, flag, &[]);
            self.when_bit(libc::SYS_unshare, 0, flag, &[]);
        }
    }

    /// Refuses set-id modes: a program with its owner's rights, left in the workspace, could be run by another user
    /// outside of the sandbox. systemd.exec(5) calls this `RestrictSUIDSGID=`.
    fn set_id_modes(&mut self) {
        for bit in [libc::S_ISUID, libc::S_ISGID].map(u64::from) {
            for (call, argument) in MODES {
                self.when_bit(call, argument, bit, &[]);
            }
            let creates = u64::from(libc::O_CREAT.cast_unsigned());
            for (call, argument) in OPENS {
                let creates = (argument - 1, Is::MaskedEq(creates), creates);
                self.when_bit(call, argument, bit, &[creates]);
            }
        }
    }

    /// Refuses terminal input: `TIOCSTI` types for the user, `TIOCLINUX` pastes, `TIOCSETD` loads another driver for
    /// the line.
    fn terminal_input(&mut self) {
        for request in [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSETD] {
            // The kernel uses the lower half of the argument, and so does the comparison.
            self.when(libc::SYS_ioctl, &[(1, Is::Eq, request)]);
        }
    }

    fn sockets(&mut self, allowed: Sockets) {
        let families = match allowed {
            Sockets::None => return self.calls(&[libc::SYS_socket]),
            Sockets::Internet => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK][..],
            Sockets::Own => &[
                libc::AF_INET,
                libc::AF_INET6,
                libc::AF_NETLINK,
                libc::AF_UNIX,
            ],
        };
        let number = |number: i32| u64::from(number.cast_unsigned());
        let no_other: Vec<_> = families
            .iter()
            .map(|family| (0, Is::Ne, number(*family)))
            .collect();
        self.when(libc::SYS_socket, &no_other);
        // Of netlink, only the protocol that lists addresses, which getaddrinfo(3) queries.
        let netlink = (0, Is::Eq, number(libc::AF_NETLINK));
        let no_route = (2, Is::Ne, number(libc::NETLINK_ROUTE));
        self.when(libc::SYS_socket, &[netlink, no_route]);
    }

    /// Refuses to change limits and priorities of processes other than the caller, which is 0.
    fn other_processes(&mut self) {
        for call in [
            libc::SYS_prlimit64,
            libc::SYS_sched_setaffinity,
            libc::SYS_sched_setattr,
            libc::SYS_sched_setparam,
            libc::SYS_sched_setscheduler,
            libc::SYS_migrate_pages,
            libc::SYS_move_pages,
        ] {
            self.when(call, &[(0, Is::Ne, 0)]);
        }
        for call in [libc::SYS_setpriority, libc::SYS_ioprio_set] {
            self.when(call, &[(1, Is::Ne, 0)]);
        }
    }

    fn program(mut self, errno: i32) -> Result<BpfProgram, BackendError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        // Kernels with the x32 interface have a second number with this bit for each call.
        if cfg!(target_arch = "x86_64") {
            let again: Vec<_> = self
                .rules
                .iter()
                .map(|(call, rules)| (call | X32, rules.clone()))
                .collect();
            self.rules.extend(again);
        }
        let denial = SeccompAction::Errno(errno.cast_unsigned());
        let architecture = env::consts::ARCH.try_into()?;
        SeccompFilter::new(self.rules, SeccompAction::Allow, denial, architecture)?.try_into()
    }
}

const X32: i64 = 0x4000_0000;

/// Call that exists since Linux 6.6, with the same number on every architecture.
const FCHMODAT2: i64 = 452;

/// Calls for other processes' memory, mounts and roots, other namespaces, keys, programs in the kernel, and frequently
/// exploited parts of the kernel.
const REFUSED: [i64; 27] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_syslog,
];

/// Calls whose arguments are in memory, where a filter cannot look, or that bypass filters.
const MISSING: [i64; 5] = [
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Calls with a mode, and the index of that argument.
#[cfg(target_arch = "x86_64")]
const MODES: [(i64, u8); 7] = [
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_creat, 1),
    (libc::SYS_mknod, 1),
    (libc::SYS_mknodat, 2),
];
#[cfg(not(target_arch = "x86_64"))]
const MODES: [(i64, u8); 4] = [
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
];

/// Calls with a mode after their flags, and the index of the flags.
#[cfg(target_arch = "x86_64")]
const OPENS: [(i64, u8); 2] = [(libc::SYS_open, 2), (libc::SYS_openat, 3)];
#[cfg(not(target_arch = "x86_64"))]
const OPENS: [(i64, u8); 1] = [(libc::SYS_openat, 3)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_one_that_the_kernel_takes() {
        for sockets in [Sockets::None, Sockets::Internet, Sockets::Own] {
            for others in [Others::Unseen, Others::Seen] {
                let programs = programs(sockets, others).unwrap();
                for program in &programs {
                    // linux/bpf_common.h: BPF_MAXINSNS.
                    assert!(program.len() < 4096 && bytes(program).len() == program.len() * 8);
                }
                let applied = std::thread::spawn(move || {
                    programs
                        .iter()
                        .all(|it| seccompiler::apply_filter(it).is_ok())
                });
                assert!(applied.join().unwrap());
            }
        }
    }
}
