//! The page, embedded in this binary, for browsers on this computer.

use std::{
    net::{Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, StatusCode, Uri, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};

mod coding;
mod unpacked;

use coding::{Coding, Content};

/// File of the page.
struct File {
    path: &'static str,
    /// Media type.
    kind: &'static str,
    /// Tag that changes with the content, in the header's form.
    tag: &'static str,
    content: Content,
}

/// Files built by `cargo xtask web`; empty if that command has not run.
const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

impl File {
    fn find(path: &str) -> Option<&'static Self> {
        FILES.iter().find(|file| file.path == path)
    }
}

/// Returns true if this binary was built without the page.
pub(crate) fn is_missing() -> bool {
    File::find(INDEX).is_none()
}

/// Names by which this computer may be addressed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// True to accept any address in the network.
    pub(crate) any_address: bool,
    /// Further names by which others know this computer.
    pub(crate) more: Vec<String>,
}

/// Returns the routes for the page's files and for the services beside them.
pub(crate) fn router(names: Names, beside: Router) -> Router {
    beside
        .fallback(get(file))
        .layer(middleware::from_fn_with_state(Arc::new(names), guard))
}

/// Rejects requests of a site whose own name resolves to this computer: it must not reach the page, nor the services
/// beside it.
async fn guard(State(names): State<Arc<Names>>, request: Request, next: Next) -> Response {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    match host.is_some_and(|host| names.include(host)) {
        true => (HEADERS, next.run(request).await).into_response(),
        false => (
            StatusCode::FORBIDDEN,
            "Open this page at the address that flylead serve printed, or allow this name with --host.\n",
        )
            .into_response(),
    }
}

impl Names {
    /// Returns true if a `Host` header contains one of these names.
    pub(crate) fn include(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
            _ => host,
        };
        matches!(name, "localhost" | "127.0.0.1" | "[::1]")
            || self.any_address && is_address(name)
            || self.more.iter().any(|more| more.eq_ignore_ascii_case(name))
    }
}

/// Returns true for an IP address, which cannot be the name of a site.
fn is_address(name: &str) -> bool {
    let without_brackets = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    match without_brackets {
        Some(name) => name.parse::<Ipv6Addr>().is_ok(),
        None => name.parse::<Ipv4Addr>().is_ok(),
    }
}

async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => INDEX,
        path => path,
    };
    match File::find(path) {
        Some(file) => found(file, &headers).await,
        None => (StatusCode::NOT_FOUND, "There is no such file.\n").into_response(),
    }
}

async fn found(file: &'static File, headers: &HeaderMap) -> Response {
    let coding = Coding::choose(&file.content, headers);
    let tag = coding.tag(file.tag);
    let known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let caching = [
        (header::ETAG, tag.as_str()),
        (header::CACHE_CONTROL, freshness(file.path)),
        (header::VARY, "accept-encoding"),
    ];
    if known {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    let kind = [(header::CONTENT_TYPE, file.kind)];
    match (coding, file.content.bytes(coding).await) {
        (_, None) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        (Coding::Identity, Some(bytes)) => (caching, kind, bytes).into_response(),
        (coding, Some(bytes)) => {
            let coding = [(header::CONTENT_ENCODING, coding.name())];
            (caching, kind, coding, bytes).into_response()
        }
    }
}

/// Returns the caching rule for a file. Vite puts a content hash into the names of all files in this folder.
fn freshness(path: &str) -> &'static str {
    match path.starts_with("assets/") {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    }
}

const INDEX: &str = "index.html";

/// Headers of all answers. The browser board shares memory with its worker, which browsers allow only for an isolated
/// page.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-embedder-policy"),
        "require-corp",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // The page's own policy, and the rule that only a header can set: no other site may embed the page in a frame.
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'sha256-T4x56iFx76yGvZ1RPUvZNibD7fnPD9b1XOMQGphe+zc='; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ws: wss: https://micropython.org https://raw.githubusercontent.com https://gitlab.com; worker-src 'self' blob:; frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
];

#[cfg(test)]
pub(crate) mod tests {
    use super::{coding::unpack, *};

    /// 12 MiB of one line repeated, compressed by brotli.
    pub(crate) const LARGE: &[u8] = &[
        203, 255, 255, 63, 248, 157, 7, 182, 179, 149, 134, 241, 140, 205, 164, 126, 179, 6, 41,
        99, 203, 211, 10, 50, 52, 59, 170, 199, 44, 195, 200, 232, 226, 194, 8, 1, 168, 247, 127,
        57, 59, 5, 114, 242, 255, 255, 7, 191, 4, 64, 28, 22, 0, 232, 222, 255, 0,
    ];
    pub(crate) const LARGE_SIZE: usize = 12 << 20;

    /// Serves a page of one large file and one small one.
    pub(crate) fn large_and_small() -> Router {
        static FILE: File = File {
            path: "large.js",
            kind: "text/javascript",
            tag: "\"0\"",
            content: Content::Packed(LARGE),
        };
        let large = |headers: HeaderMap| async move { found(&FILE, &headers).await };
        let beside = Router::new()
            .route("/large.js", get(large))
            .route("/small", get(async || "small"));
        router(Names::default(), beside)
    }

    #[test]
    fn only_this_computers_names_are_answered() {
        for host in [
            "localhost",
            "localhost:8123",
            "127.0.0.1:1",
            "[::1]:8123",
            "[::1]",
        ] {
            assert!(Names::default().include(host), "{host}");
        }
        for host in [
            "",
            "evil.example:8123",
            "127.0.0.1.evil.example",
            "localhost:80@evil",
            "127.0.0.1:x",
        ] {
            assert!(!Names::default().include(host), "{host}");
        }
    }

    #[test]
    fn addresses_and_other_names_are_answered_when_they_are_let() {
        let names = Names {
            any_address: true,
            more: vec!["bench.local".to_owned()],
        };
        for host in [
            "192.168.1.7:8123",
            "[fe80::1]:8123",
            "Bench.local:8123",
            "localhost",
        ] {
            assert!(names.include(host), "{host}");
        }
        for host in [
            "evil.example",
            "192.168.1.7.evil.example:8123",
            "[evil]",
            "bench.local.evil",
        ] {
            assert!(!names.include(host), "{host}");
        }
    }

    /// Returns the first lines of the server's answer.
    async fn ask(host: &str) -> String {
        ask_by("GET", host).await
    }

    async fn ask_by(method: &str, host: &str) -> String {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async {
            axum::serve(listener, router(Names::default(), Router::new())).await
        });
        let mut client = tokio::net::TcpStream::connect(address).await.unwrap();
        let request =
            format!("{method} /none HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        server.abort();
        answer.to_lowercase()
    }

    #[tokio::test]
    async fn files_are_for_reading() {
        for method in ["PUT", "POST", "DELETE", "NONE"] {
            let answer = ask_by(method, "127.0.0.1").await;
            assert!(answer.starts_with("http/1.1 405 "), "{method}: {answer}");
        }
    }

    #[tokio::test]
    async fn a_name_that_only_leads_here_is_refused() {
        let answer = ask("rebound.example:8123").await;
        assert!(answer.starts_with("http/1.1 403 "), "{answer}");
    }

    #[tokio::test]
    async fn every_answer_isolates_the_page() {
        let answer = ask("127.0.0.1").await;
        assert!(answer.starts_with("http/1.1 404 "), "{answer}");
        assert!(
            answer.contains("cross-origin-opener-policy: same-origin\r\n"),
            "{answer}"
        );
        assert!(
            answer.contains("cross-origin-embedder-policy: require-corp\r\n"),
            "{answer}"
        );
    }

    #[test]
    fn the_header_has_the_policy_of_the_page() {
        let index = include_str!("../../../../../web/index.html");
        let policy = HEADERS[4].1.strip_suffix("; frame-ancestors 'none'");
        assert!(policy.is_some_and(|policy| index.contains(policy)));
    }

    #[test]
    fn whatever_the_coding_it_is_the_same_file() {
        for file in FILES {
            let (Content::Plain(kept) | Content::Packed(kept)) = file.content;
            let mut hasher = std::hash::DefaultHasher::new();
            std::hash::Hash::hash(kept, &mut hasher);
            let tag = format!("\"{:016x}\"", std::hash::Hasher::finish(&hasher));
            assert_eq!(tag, file.tag, "{}", file.path);
            assert_ne!(Coding::Gzip.tag(file.tag), Coding::Brotli.tag(file.tag));
            if let Content::Packed(brotli) = file.content {
                let whole = unpack(brotli, Coding::Identity).unwrap();
                let gzip = unpack(brotli, Coding::Gzip).unwrap();
                let mut unpacked = Vec::new();
                std::io::Read::read_to_end(
                    &mut flate2::read::GzDecoder::new(&gzip[..]),
                    &mut unpacked,
                )
                .unwrap();
                assert!(unpacked == whole, "{}", file.path);
            }
        }
    }

    #[test]
    fn what_has_a_hash_in_its_name_is_kept_for_ever() {
        assert!(freshness("assets/index-Cx9f.js").contains("immutable"));
        assert_eq!(freshness("index.html"), "no-cache");
    }
}
