//! The server for clients that speak HTTP.

use std::{io, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{AUTHORIZATION, HOST, WWW_AUTHENTICATE},
    },
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;

use crate::{
    mcp::server::Server,
    serve::{http, page::Names},
};

/// Guard that decides which pages may send requests.
#[derive(Debug)]
struct Guard {
    token: String,
    names: Names,
}

/// Serves `/mcp` to clients that send this token and address the server by one of these names. Requests of web pages
/// are refused.
pub(crate) async fn serve_http(
    server: Server,
    listener: TcpListener,
    token: String,
    names: Names,
) -> io::Result<()> {
    let config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        // The names are checked here: rmcp has no option for "any address".
        .disable_allowed_hosts()
        .with_max_request_body_bytes(LONGEST_REQUEST);
    let service = StreamableHttpService::new(
        move || Ok(server.for_session()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let guard = Arc::new(Guard { token, names });
    let router = Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn_with_state(guard, check));
    http::serve(listener, router).await
}

impl Guard {
    /// Returns true for this server's token. The scheme's name is case-insensitive (RFC 9110, section 11.1).
    fn is_bearer(&self, authorization: &[u8]) -> bool {
        let scheme = b"Bearer ";
        authorization.len() > scheme.len()
            && authorization[..scheme.len()].eq_ignore_ascii_case(scheme)
            && bool::from(authorization[scheme.len()..].ct_eq(self.token.as_bytes()))
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        let header = |name| headers.get(name).map_or(&b""[..], HeaderValue::as_bytes);
        if !self.is_bearer(header(AUTHORIZATION)) {
            return Err((StatusCode::UNAUTHORIZED, NO_TOKEN));
        }
        let host = str::from_utf8(header(HOST)).unwrap_or_default();
        match self.names.include(host) {
            true => Ok(()),
            false => Err((StatusCode::FORBIDDEN, OTHER_NAME)),
        }
    }
}

/// Returns the response to a refused request. A missing token is reported as in RFC 6750, section 3.
fn refused((status, why): (StatusCode, &'static str)) -> Response {
    let mut response = (status, why).into_response();
    if status == StatusCode::UNAUTHORIZED {
        let challenge = HeaderValue::from_static("Bearer realm=\"flylead mcp\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    response
}

/// Refuses requests that the guard does not allow, and passes others on once their content is complete.
async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    if let Err(refusal) = guard.check(request.headers()) {
        return refused(refusal);
    }
    let (parts, body) = request.into_parts();
    match http::content(body, LONGEST_REQUEST).await {
        Ok(bytes) => {
            next.run(Request::from_parts(parts, Body::from(bytes)))
                .await
        }
        Err(status) => status.into_response(),
    }
}

const NO_TOKEN: &str = "a bearer token is required; flylead mcp printed it at startup\n";
const OTHER_NAME: &str =
    "use the address that flylead mcp printed, or start it with --allow-remote --host NAME\n";
/// Limit of a request, in bytes: a file of 1 MiB in base64, and the message around it.
const LONGEST_REQUEST: usize = 4 * 1024 * 1024;
