//! The thread that runs the tasks of all boards of this process.

use std::{
    process,
    sync::{Mutex, PoisonError},
};

use pyo3::{exceptions::PyRuntimeError, prelude::*};
use tokio::runtime::{Builder, Handle, Runtime};

/// Runtime of one process: threads are not inherited when a process forks.
struct Owned {
    process: u32,
    runtime: &'static Runtime,
}

static RUNTIME: Mutex<Option<Owned>> = Mutex::new(None);

/// Returns the runtime's handle, starting the runtime if necessary.
pub(crate) fn handle() -> PyResult<Handle> {
    let mut owned = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(owned) = owned
        .as_ref()
        .filter(|owned| owned.process == process::id())
    {
        return Ok(owned.runtime.handle().clone());
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("flylead")
        .enable_all()
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
    // The runtime is never dropped: its thread works as long as the process, and the copy in a fork has no thread to
    // end.
    let runtime: &'static Runtime = Box::leak(Box::new(runtime));
    *owned = Some(Owned {
        process: process::id(),
        runtime,
    });
    Ok(runtime.handle().clone())
}
