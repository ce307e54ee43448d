//! Fetches packages for the page, which may not contact other servers itself: files of the index, and of addresses that
//! the user typed.
//!
//! ```text
//!   page ──POST /packages/file {index: "package/py/aioble/latest.json"}──► index
//!        ──POST /packages/file {address: {url: …, typed: …}}──────────────► the host that was typed, or a forge
//! ```
//!
//! Other sites cannot use it: browsers name the requesting page, and only the one served here gets an answer. The
//! addresses in a package lead to no other hosts than these, and no redirection is followed, so that a package cannot
//! explore the network of the user who installs it.

use std::sync::Arc;

use axum::{
    Router,
    extract::{FromRequestParts, State},
    http::{HeaderMap, StatusCode, Uri, header, request::Parts},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use flylead_native::install::{Error, Fetcher, Source};
use serde::Deserialize;
use serde_json::json;

use crate::serve::http::{self, Content};

/// Index of packages, and the client that fetches them.
struct Packages {
    index: Source,
    fetcher: Fetcher,
}

/// Returns the routes for the page's package requests.
pub(crate) fn router(index: Source) -> Router {
    let packages = Packages {
        index,
        fetcher: Fetcher::without_redirections(),
    };
    Router::new()
        .route("/packages", get(describe))
        .route("/packages/file", post(file))
        .with_state(Arc::new(packages))
}

/// Reports the index; the answer itself tells the page that it need not fetch on its own.
async fn describe(State(packages): State<Arc<Packages>>) -> Response {
    let description = json!({ "index": packages.index.to_string() });
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, description.to_string()).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
enum Asked {
    /// Path in the index.
    Index(String),
    /// Address, and the typed text from which it follows.
    Address { url: String, typed: String },
}

/// Marker of a request by the page that is served here.
struct OwnPage;

impl<S: Send + Sync> FromRequestParts<S> for OwnPage {
    type Rejection = (StatusCode, &'static str);

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let refusal = "Packages are fetched only for the page that is served here.\n";
        match is_own_page(&parts.headers) {
            true => Ok(Self),
            false => Err((StatusCode::FORBIDDEN, refusal)),
        }
    }
}

async fn file(
    State(packages): State<Arc<Packages>>,
    _: OwnPage,
    Content(body): Content<MAX_QUESTION>,
) -> Response {
    let Ok(asked) = serde_json::from_slice(&body) else {
        let refusal =
            "Write {\"index\": PATH} or {\"address\": {\"url\": URL, \"typed\": ADDRESS}}.\n";
        return (StatusCode::BAD_REQUEST, refusal).into_response();
    };
    let source = match asked {
        Asked::Index(path) if is_below(&path) => packages.index.join(&path),
        Asked::Address { url, typed } if may_ask(&url, &typed) => Source::Url(url),
        Asked::Index(name) | Asked::Address { url: name, .. } => {
            let refusal = format!(
                "{name} was not fetched: it is neither in the index nor at a typed address.\n"
            );
            return (StatusCode::FORBIDDEN, refusal).into_response();
        }
    };
    match packages.fetcher.fetch(&source, MAX_FILE).await {
        Ok(bytes) => ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response(),
        Err(error) => (status(&error), format!("{error}\n")).into_response(),
    }
}

fn status(error: &Error) -> StatusCode {
    match error {
        // Not a fault: the page tries each place where a package may be, and browsers log every error status.
        Error::NotFound { .. } => StatusCode::NO_CONTENT,
        Error::TooLong { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        _ => StatusCode::BAD_GATEWAY,
    }
}

/// Returns true if the page served here sent the request. Browsers name the page with every POST.
fn is_own_page(headers: &HeaderMap) -> bool {
    http::is_own_page(headers) == Some(true)
}

/// Returns true if a path names an entry of the index: its components are plain words.
fn is_below(path: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    path.split('/')
        .all(|part| !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_plain))
}

/// Returns true if an address is at the typed host, or at a known host of repositories.
fn may_ask(url: &str, typed: &str) -> bool {
    let host = host(url);
    host.is_some() && (FORGES.map(Some).contains(&host.as_deref()) || host == self::host(typed))
}

/// Returns the host of an address, with its port.
fn host(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    let host = uri.authority()?.as_str().to_ascii_lowercase();
    (is_http && !host.contains('@')).then_some(host)
}

/// Hosts behind `github:` and `gitlab:` (`flylead_native::install::Source`).
const FORGES: [&str; 2] = ["raw.githubusercontent.com", "gitlab.com"];
/// Size limit of a request, in bytes: two addresses.
const MAX_QUESTION: usize = 64 * 1024;
/// Size limit of a file, in bytes.
const MAX_FILE: u64 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_page_is_answered() {
        let ask = |origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, "127.0.0.1:8123".parse().unwrap());
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            is_own_page(&headers)
        };
        assert!(ask(Some("http://127.0.0.1:8123")));
        for origin in [
            None,
            Some("null"),
            Some("http://127.0.0.1:8124"),
            Some("https://evil.example"),
        ] {
            assert!(!ask(origin), "{origin:?}");
        }
    }

    #[test]
    fn nothing_leads_out_of_the_index() {
        for path in ["index.json", "package/6/aioble/0.4.1.json", "file/ab/abcd"] {
            assert!(is_below(path), "{path}");
        }
        for path in [
            "",
            "/etc/passwd",
            "..",
            "a/../b",
            "a//b",
            "a\\b",
            "a?b",
            "a%2fb",
            "a/.b",
            "C:/x",
        ] {
            assert!(!is_below(path), "{path}");
        }
    }

    #[test]
    fn a_package_leads_to_no_host_but_the_one_that_was_typed_and_the_forges() {
        for (url, typed) in [
            ("http://host:81/a.py", "http://HOST:81/x/package.json"),
            (
                "https://raw.githubusercontent.com/a/b/HEAD/c.py",
                "github:a/b",
            ),
            ("https://gitlab.com/a/b/-/raw/HEAD/c.py", "gitlab:a/b"),
        ] {
            assert!(may_ask(url, typed), "{url}");
        }
        for (url, typed) in [
            ("http://192.168.1.1/reset", "http://host/package.json"),
            ("http://host:82/a", "http://host:81/package.json"),
            ("http://host@evil/a", "http://host/package.json"),
            ("http://me@host/a", "http://me@host/package.json"),
            ("file:///etc/passwd", "file:///etc"),
            ("/etc/passwd", "/etc"),
            ("", ""),
        ] {
            assert!(!may_ask(url, typed), "{url}");
        }
    }
}
