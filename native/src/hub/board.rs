//! A board that a hub owns, for tools that request a turn at it.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::{
    connection::{State, baud},
    member::{Closed, Member, Request, pair},
    owner::Owner,
    status::{Activity, Status},
};
use crate::link::{
    Address, Place,
    turn::{Ask, BoardUse},
};

/// Board that a [`Hub`](super::Hub) owns. Clones share the board.
#[derive(Debug, Clone)]
pub struct SharedBoard {
    address: Address,
    requests: mpsc::Sender<Request>,
    next_id: Arc<AtomicU64>,
    state: Arc<Mutex<State>>,
}

impl SharedBoard {
    /// Starts to own a board.
    pub(super) fn start(address: Address, idle_limit: Duration) -> Self {
        let (requests, inbox) = mpsc::channel(REQUESTS_LIMIT);
        let state = Arc::new(Mutex::new(State::default()));
        let owner = Owner::new(address.clone(), Arc::clone(&state), inbox, idle_limit);
        tokio::spawn(owner.run());
        Self {
            address,
            requests,
            next_id: Arc::default(),
            state,
        }
    }

    /// Joins the tools of the board.
    ///
    /// # Errors
    /// The hub has ended.
    pub async fn attach(&self, ask: Ask) -> Result<Member, Closed> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (member, seat) = pair(id, ask, self.requests.clone());
        let request = Request::Seat(id, seat);
        self.requests.send(request).await.map_err(|_| Closed)?;
        Ok(member)
    }

    /// Returns the board's current status.
    ///
    /// # Errors
    /// The hub has ended.
    pub async fn status(&self) -> Result<Status, Closed> {
        let (tell, told) = oneshot::channel();
        let request = Request::Status(tell);
        self.requests.send(request).await.map_err(|_| Closed)?;
        told.await.map_err(|_| Closed)
    }

    /// Returns the board with its current use; a board whose task does not answer within a second is described without.
    pub async fn described(&self) -> BoardUse {
        let status = timeout(STATUS_TIMEOUT, self.status()).await;
        let status = status.ok().and_then(Result::ok).unwrap_or(Status {
            activity: Activity::Unknown,
            holder: None,
            waiting: Vec::new(),
        });
        BoardUse {
            address: self.address.to_string(),
            port: self.place().map(|place| place.path),
            fault: self.fault(),
            activity: status.activity,
            holder: status.holder,
            waiting: status.waiting,
        }
    }

    /// Returns true if any client uses the board besides its hub.
    pub(super) fn is_used(&self) -> bool {
        self.requests.strong_count() > 1
    }

    /// Returns the address as it was given to the hub.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Returns the speed of the serial line, in bits per second.
    pub(super) fn baud(&self) -> u32 {
        baud(&self.address)
    }

    /// Returns the board's place, once found.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        self.locked().place.clone()
    }

    /// Returns the reason for the board's absence, if it is absent.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.locked().fault.clone()
    }

    /// Returns true if the board has this address.
    pub(super) fn is_at(&self, address: &str) -> bool {
        let state = self.locked();
        let place = state.place.as_ref();
        self.address.to_string() == address
            || place.is_some_and(|place| place.path == address || place.has_id(address))
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Limit of queued requests from tools.
const REQUESTS_LIMIT: usize = 64;
/// Time that a board's task has to report its status.
const STATUS_TIMEOUT: Duration = Duration::from_secs(1);
