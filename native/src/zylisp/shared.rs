//! State shared by all connections of a server, and the signal to stop.

use std::sync::Arc;

use flylead_core::zylisp::{self as core, EvaluatorFactory, lang::Budget};
use tokio::sync::{Semaphore, watch};

use super::{
    config::ServerConfig,
    pool::Pool,
    registry::{Names, Registry},
};

/// State shared by all connections of a server.
pub(super) struct Shared {
    pub(super) config: ServerConfig,
    pub(super) registry: Registry,
    /// Configuration for every connection's machine.
    pub(super) machines: Arc<core::ServerConfig>,
    pub(super) places: Arc<Semaphore>,
    pub(super) names: Names,
    budget: Budget,
    /// Notified when clients come and go, and when their requests have ended.
    pub(super) activity: watch::Sender<()>,
    pub(super) evaluator: EvaluatorFactory,
}

impl Shared {
    pub(super) fn new(config: ServerConfig, transports: Vec<String>) -> Self {
        let (activity, _) = watch::channel(());
        let budget = Budget::new(config.total_memory);
        let evaluator = match &config.evaluator {
            Some(evaluator) => Arc::clone(evaluator),
            None => Pool::start(activity.clone()).factory(config.language.clone(), &budget),
        };
        Self {
            places: Arc::new(Semaphore::new(config.connections)),
            registry: Registry::default(),
            names: Names::default(),
            machines: Arc::new(machine_config(&config, transports, &budget)),
            budget,
            activity,
            evaluator,
            config,
        }
    }

    /// Returns true if there is memory for one more client.
    pub(super) fn has_memory(&self) -> bool {
        self.budget.used() + CLIENT_MEMORY <= self.budget.limit()
    }
}

/// Builds the configuration for every connection's machine.
fn machine_config(
    config: &ServerConfig,
    transports: Vec<String>,
    budget: &Budget,
) -> core::ServerConfig {
    let mut machine = core::ServerConfig::default();
    machine.encoding = config.encoding;
    machine.token.clone_from(&config.token);
    machine.message_limit = config.message_limit;
    machine.message_timeout = config.message_timeout;
    machine.page = config.page;
    machine.budget = budget.clone();
    machine.limits = config.limits.clone();
    machine.transports = transports;
    machine.evaluator.clone_from(&config.evaluator_name);
    machine
}

/// Waits until the server stops.
pub(super) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A dropped server has stopped, too.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

/// Minimum memory of a client, in bytes.
const CLIENT_MEMORY: usize = 128 << 10;
