//! Fetches files from this computer and from the network, within limits.

use std::{
    fs, io,
    io::Read as _,
    path::Path,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use tokio::sync::oneshot;
use ureq::{
    Agent,
    tls::{Certificate, RootCerts, TlsConfig},
};

use super::{Error, Source};
use crate::os::disk;

/// Reads sources, each within a size limit and, over the network, within a minute.
#[derive(Debug, Clone, Default)]
pub struct Fetcher {
    agent: Arc<OnceLock<Agent>>,
    stays: bool,
    follows: bool,
}

impl Fetcher {
    /// Creates a fetcher that queries only the host of an address: a redirection is an error.
    #[must_use]
    pub fn without_redirections() -> Self {
        Self {
            stays: true,
            ..Self::default()
        }
    }

    /// Sets whether to follow links that lead out of the folder that the user named.
    #[must_use]
    pub const fn following_links(mut self, follows: bool) -> Self {
        self.follows = follows;
        self
    }

    /// Reads a whole file of at most `limit` bytes.
    ///
    /// # Errors
    /// The file does not exist, is longer, or does not arrive in time.
    pub async fn fetch(&self, source: &Source, limit: u64) -> Result<Vec<u8>, Error> {
        let (answer, fetched) = oneshot::channel();
        let (fetcher, place) = (self.clone(), source.clone());
        // A thread of its own, so that a caller that gives up need not wait for a slow server.
        thread::spawn(move || answer.send(fetcher.fetch_now(&place, limit)));
        let lost = |_| unreadable(source, "the transfer ended early");
        fetched.await.map_err(lost)?
    }

    fn fetch_now(&self, source: &Source, limit: u64) -> Result<Vec<u8>, Error> {
        match source {
            Source::Path(path) => read(path, limit).map_err(|error| of_file(source, &error)),
            Source::Below { folder, path } => {
                let path = folder.join(path);
                let leads_out = !self.follows
                    && disk::leads_out(folder, &path).map_err(|error| of_file(source, &error))?;
                match leads_out {
                    true => Err(Error::Link {
                        source: source.clone(),
                    }),
                    false => read(&path, limit).map_err(|error| of_file(source, &error)),
                }
            }
            Source::Url(url) => self
                .get(url, limit)
                .map_err(|error| of_http(source, &error)),
        }
        .and_then(|bytes| match bytes.len() as u64 > limit {
            true => Err(too_long(source, limit)),
            false => Ok(bytes),
        })
    }

    fn get(&self, url: &str, limit: u64) -> Result<Vec<u8>, ureq::Error> {
        let agent = self.agent.get_or_init(|| agent(self.stays));
        // A redirection from https to http would expose the file to tampering in transit.
        let request = agent
            .get(url)
            .config()
            .https_only(url.starts_with("https://"));
        let mut response = request.build().call()?;
        if response.status().is_redirection() {
            return Err(ureq::Error::RedirectFailed);
        }
        response.body_mut().with_config().limit(limit).read_to_vec()
    }
}

/// Reads up to one byte more than the limit.
fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(limit + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn agent(stays: bool) -> Agent {
    let certificates = rustls_native_certs::load_native_certs().certs;
    let trusted = certificates
        .iter()
        .map(|der| Certificate::from_der(der).to_owned());
    let provider = rustls::crypto::ring::default_provider();
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::from(trusted))
        .unversioned_rustls_crypto_provider(Arc::new(provider))
        .build();
    let config = Agent::config_builder();
    let config = match stays {
        true => config.max_redirects(0),
        false => config,
    };
    config
        .timeout_global(Some(TIMEOUT))
        .user_agent(concat!("flylead/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .build()
        .into()
}

fn of_file(source: &Source, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => not_found(source),
        _ => unreadable(source, error),
    }
}

fn of_http(source: &Source, error: &ureq::Error) -> Error {
    match error {
        ureq::Error::StatusCode(404 | 410) => not_found(source),
        ureq::Error::BodyExceedsLimit(limit) => too_long(source, *limit),
        error if is_unreached(error) => unreadable(
            source,
            format!("cannot be reached ({error}): check the network and the address"),
        ),
        error => unreadable(source, error),
    }
}

/// Returns true if no server has answered: there is no network, no such name, or nothing listens.
fn is_unreached(error: &ureq::Error) -> bool {
    matches!(
        error,
        ureq::Error::Io(_)
            | ureq::Error::HostNotFound
            | ureq::Error::ConnectionFailed
            | ureq::Error::Timeout(_)
    )
}

fn not_found(source: &Source) -> Error {
    Error::NotFound {
        source: source.clone(),
    }
}

fn too_long(source: &Source, limit: u64) -> Error {
    Error::TooLong {
        source: source.clone(),
        limit,
    }
}

fn unreadable(source: &Source, why: impl ToString) -> Error {
    Error::Unreadable {
        source: source.clone(),
        why: why.to_string(),
    }
}

/// Time limit of a file, including redirections.
const TIMEOUT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_cannot_be_reached_is_said_to_be_so() {
        let source = Source::Path("index.json".into());
        let said = of_http(&source, &ureq::Error::HostNotFound).to_string();
        assert!(said.contains("cannot be reached"), "{said}");
        let refused = of_http(&source, &ureq::Error::StatusCode(403)).to_string();
        assert!(!refused.contains("cannot be reached"), "{refused}");
    }

    #[tokio::test]
    async fn a_file_of_just_the_limit_is_read_and_one_more_byte_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "12345").unwrap();
        let (fetcher, source) = (Fetcher::default(), Source::Path(path));
        assert_eq!(fetcher.fetch(&source, 5).await.unwrap(), b"12345");
        let refused = fetcher.fetch(&source, 4).await;
        assert_eq!(refused, Err(too_long(&source, 4)));
    }

    #[tokio::test]
    async fn what_is_not_there_is_told_from_what_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let fetcher = Fetcher::default();
        let missing = Source::Path(folder.path().join("none"));
        assert_eq!(fetcher.fetch(&missing, 9).await, Err(not_found(&missing)));
        let directory = Source::Path(folder.path().to_owned());
        let refused = fetcher.fetch(&directory, 9).await;
        assert!(
            matches!(refused, Err(Error::Unreadable { .. })),
            "{refused:?}"
        );
    }
}
