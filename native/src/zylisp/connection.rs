//! One client, and the work for its connection that only a driver can do.

use std::{
    sync::Arc,
    task::{Wake, Waker},
    time::Duration,
};

use flylead_core::zylisp::{Dialect, InterruptElsewhere, Load, Server, ServerEvent};
use tokio::{sync::watch, time};

use super::{
    files,
    shared::{Shared, stopped},
};
use crate::{
    board::driver::{Commander, Driver, DriverOptions, Events, WeakCommander},
    link::Link,
};

/// Serves a client until one side ends the connection.
///
/// Everything that can be created at once is created before the future, which lives as long as the client: a thousand
/// of these futures stay small.
pub(super) fn serve<D: Dialect + Send + 'static>(
    link: Link,
    machine: Server<D>,
    name: String,
    shared: Arc<Shared>,
    stopping: watch::Receiver<bool>,
) -> impl Future<Output = ()> + Send
where
    Server<D>: Send,
{
    let options = DriverOptions {
        write_timeout: Some(shared.config.write_timeout),
    };
    let (commander, mut events) = Driver::spawn_with(link, machine, options).split();
    let waker = Waker::from(Arc::new(Awake(commander.downgrade())));
    // There is space for a first command.
    commander.try_command(move |server, _| server.set_waker(waker));
    shared.registry.insert(&name, commander.downgrade());
    async move {
        work(&commander, &mut events, &shared, stopping).await;
        shared.registry.remove(&name);
        drop(commander);
        events.end().await;
    }
}

async fn work<D: Dialect + Send + 'static>(
    commander: &Commander<Server<D>>,
    events: &mut Events<Server<D>>,
    shared: &Arc<Shared>,
    mut stopping: watch::Receiver<bool>,
) where
    Server<D>: Send,
{
    loop {
        tokio::select! {
            event = events.next() => {
                let Some(event) = event else {
                    return;
                };
                if !Box::pin(happened(event, commander, shared)).await {
                    return;
                }
            }
            () = stopped(&mut stopping) => {
                return Box::pin(drain(commander, shared.config.drain)).await;
            }
        }
    }
}

/// Handles an event that only a driver can handle. Returns true if the connection continues.
async fn happened<D: Dialect + Send + 'static>(
    event: ServerEvent,
    commander: &Commander<Server<D>>,
    shared: &Arc<Shared>,
) -> bool
where
    Server<D>: Send,
{
    match event {
        ServerEvent::Load(load) => {
            let Load { session, path, .. } = *load;
            let config = &shared.config;
            let source = files::load(config.roots.clone(), path, config.message_limit).await;
            let loaded = move |server: &mut Server<D>, now| server.loaded(now, &session, source);
            commander.command(loaded).await.is_ok()
        }
        ServerEvent::InterruptElsewhere(elsewhere) => {
            let InterruptElsewhere {
                id,
                session,
                target,
                ..
            } = *elsewhere;
            // Two connections that interrupt each other must not wait for each other.
            let found = shared.registry.interrupt(session, target);
            let commander = commander.clone();
            tokio::spawn(async move {
                let found = found.await;
                let interrupted = move |server: &mut Server<D>, _| {
                    server.interrupted(id, found);
                };
                // The client that asked may have left.
                let _ = commander.command(interrupted).await;
            });
            true
        }
        ServerEvent::Ended { .. } => false,
    }
}

/// Gives running evaluations this much time to end, and interrupts them then. Answers until then are sent.
async fn drain<D: Dialect + Send + 'static>(commander: &Commander<Server<D>>, drain: Duration)
where
    Server<D>: Send,
{
    let until = time::Instant::now() + drain;
    let idle = |server: &mut Server<D>, _| server.is_idle();
    while time::Instant::now() < until && commander.command(idle).await == Ok(false) {
        time::sleep(LOOK_AGAIN).await;
    }
    let interrupt = |server: &mut Server<D>, now| server.interrupt_all(now);
    let until = time::Instant::now() + INTERRUPT_TIMEOUT;
    if commander.command(interrupt).await.is_ok() {
        while time::Instant::now() < until && commander.command(idle).await == Ok(false) {
            time::sleep(LOOK_AGAIN).await;
        }
    }
}

/// Waker that lets the connection continue once its evaluator has what it waited for.
struct Awake<D: Dialect>(WeakCommander<Server<D>>);

impl<D: Dialect + Send + 'static> Wake for Awake<D>
where
    Server<D>: Send,
{
    fn wake(self: Arc<Self>) {
        if let Some(commander) = self.0.upgrade() {
            let awake = |server: &mut Server<D>, now| server.awake(now);
            // Without space, another command is about to be carried out, and checks the evaluators too.
            let _ = commander.try_command(awake);
        }
    }
}

/// Interval between checks for pending answers when the server stops.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Time limit of an interrupt when the server stops.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(1);
