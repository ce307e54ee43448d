//! A fixed number of places for clients of a server, passed on from idle clients to new ones.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

/// Places of one server. A new client that finds none free gets the place of the client that has been idle longest.
#[derive(Debug)]
pub struct Places {
    shared: Arc<Shared>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Shared {
    taken: Mutex<Vec<Arc<Client>>>,
    freed: Notify,
}

#[derive(Debug)]
struct Client {
    /// True while the server works for the client, which is then never idle.
    is_busy: Arc<AtomicBool>,
    heard: Mutex<Instant>,
    is_out: Notify,
}

/// Place of a client, held until dropped.
#[derive(Debug)]
pub struct Place {
    client: Arc<Client>,
    shared: Arc<Shared>,
}

impl Places {
    /// Creates places for `limit` simultaneous clients.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            shared: Arc::default(),
            limit,
        }
    }

    /// Takes a place for a client, which keeps it while `is_busy` is set.
    pub async fn take(&self, is_busy: Arc<AtomicBool>) -> Place {
        let client = Arc::new(Client {
            is_busy,
            heard: Mutex::new(Instant::now()),
            is_out: Notify::new(),
        });
        loop {
            let freed = self.shared.freed.notified();
            {
                let mut taken = self.shared.locked();
                if taken.len() < self.limit {
                    *client.locked() = Instant::now();
                    taken.push(Arc::clone(&client));
                    drop(taken);
                    let shared = Arc::clone(&self.shared);
                    return Place { client, shared };
                }
                let idle = taken.iter().filter(|it| it.is_idle());
                if let Some(longest) = idle.min_by_key(|it| *it.locked()) {
                    longest.is_out.notify_one();
                }
            }
            // A client may have become idle meanwhile.
            let _ = timeout(LOOK_AGAIN, freed).await;
        }
    }
}

impl Shared {
    fn locked(&self) -> MutexGuard<'_, Vec<Arc<Client>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    fn is_idle(&self) -> bool {
        !self.is_busy.load(Ordering::Relaxed) && self.locked().elapsed() >= GRACE
    }

    fn locked(&self) -> MutexGuard<'_, Instant> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Records that the client sent or took something.
    pub fn touch(&self) {
        *self.client.locked() = Instant::now();
    }

    /// Waits until the place is passed on; the client must then be disconnected. Cancel safe.
    pub async fn given_on(&self) {
        self.client.is_out.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.shared.locked();
        taken.retain(|it| !Arc::ptr_eq(it, &self.client));
        drop(taken);
        self.shared.freed.notify_one();
    }
}

/// Time after its last byte during which a client keeps its place.
const GRACE: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    fn free() -> Arc<AtomicBool> {
        Arc::default()
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_client_gets_the_place_of_the_one_that_was_idle_for_longest() {
        let places = Places::new(3);
        let busy = places.take(Arc::new(AtomicBool::new(true))).await;
        let first = places.take(free()).await;
        let second = places.take(free()).await;
        tokio::time::sleep(10 * GRACE).await;
        first.touch();
        let newcomer = tokio::join!(places.take(free()), async {
            second.given_on().await;
            drop(second);
        });
        let pending = timeout(GRACE, async {
            tokio::join!(first.given_on(), busy.given_on())
        });
        assert!(pending.await.is_err(), "nobody else is disconnected");
        drop((newcomer, first, busy));
        assert!(places.shared.locked().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn busy_clients_keep_their_places_and_the_new_one_waits() {
        let places = Places::new(1);
        let is_busy = Arc::new(AtomicBool::new(true));
        let place = places.take(Arc::clone(&is_busy)).await;
        let waits = timeout(60 * GRACE, places.take(free())).await;
        assert!(waits.is_err());
        is_busy.store(false, Ordering::Relaxed);
        tokio::join!(places.take(free()), async {
            place.given_on().await;
            drop(place);
        });
    }
}
