//! Connections of a server, by the names of their sessions.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use flylead_core::zylisp::{Dialect, Interrupted, Server};
use futures_util::future::BoxFuture;

use crate::board::driver::WeakCommander;

/// Connections of a server, regardless of their protocols.
#[derive(Default)]
pub(super) struct Registry(Mutex<HashMap<String, Box<dyn Connection>>>);

/// A connection, as others see it.
trait Connection: Send {
    fn interrupt(&self, session: String, target: Option<String>) -> Found;
}

type Found = BoxFuture<'static, Option<Interrupted>>;

impl<D: Dialect + Send + 'static> Connection for WeakCommander<Server<D>>
where
    Server<D>: Send,
{
    fn interrupt(&self, session: String, target: Option<String>) -> Found {
        let commander = self.upgrade();
        Box::pin(async move {
            let interrupt = move |server: &mut Server<D>, now| {
                server.interrupt(now, &session, target.as_deref())
            };
            commander?.command(interrupt).await.ok()?
        })
    }
}

impl Registry {
    pub(super) fn insert<D: Dialect + Send + 'static>(
        &self,
        name: &str,
        connection: WeakCommander<Server<D>>,
    ) where
        Server<D>: Send,
    {
        self.lock().insert(name.to_owned(), Box::new(connection));
    }

    pub(super) fn remove(&self, name: &str) {
        self.lock().remove(name);
    }

    /// Interrupts the evaluation of a session, and returns what was found; `None` if there is no such session.
    pub(super) fn interrupt(&self, session: String, target: Option<String>) -> Found {
        let connections = self.lock();
        // A cloned session has the name of its connection's own session, followed by a number.
        let own = session.split_once('-').map_or(&*session, |(own, _)| own);
        match connections.get(own) {
            Some(connection) => connection.interrupt(session, target),
            None => Box::pin(async { None }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Box<dyn Connection>>> {
        // A caller that panicked held the lock for one insertion or removal, which is either done or not.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Generator of session names that cannot be guessed.
#[derive(Default)]
pub(super) struct Names {
    secrets: [RandomState; 2],
    count: AtomicU64,
}

impl Names {
    pub(super) fn next(&self) -> String {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let [high, low] = self.secrets.each_ref().map(|secret| secret.hash_one(count));
        format!("{high:016x}{low:016x}")
    }
}
