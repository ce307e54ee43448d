//! The server for clients that speak HTTP.

use std::{io, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{AUTHORIZATION, HOST},
    },
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;

use super::Server;
use crate::{http, page::Names};

/// Who may ask.
#[derive(Debug)]
struct Guard {
    token: String,
    names: Names,
}

/// Serves `/mcp` to clients that send this token and ask by one of these names. Requests of web pages are refused.
pub(crate) async fn serve_http(
    server: Server,
    listener: TcpListener,
    token: String,
    names: Names,
) -> io::Result<()> {
    let config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        // The names are checked here: rmcp knows no way to say "any address".
        .disable_allowed_hosts()
        .with_max_request_body_bytes(LONGEST_REQUEST);
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
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
    fn check(&self, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        let header = |name| headers.get(name).map_or(&b""[..], HeaderValue::as_bytes);
        let expected = format!("Bearer {}", self.token);
        if !bool::from(header(AUTHORIZATION).ct_eq(expected.as_bytes())) {
            return Err((StatusCode::UNAUTHORIZED, NO_TOKEN));
        }
        let host = str::from_utf8(header(HOST)).unwrap_or_default();
        match self.names.include(host) {
            true => Ok(()),
            false => Err((StatusCode::FORBIDDEN, OTHER_NAME)),
        }
    }
}

/// Lets nobody in who is not to, and nobody wait for the rest of a request.
async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    if let Err(refusal) = guard.check(request.headers()) {
        return refusal.into_response();
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

const NO_TOKEN: &str = "a bearer token is needed; flylead mcp printed it on its start\n";
const OTHER_NAME: &str =
    "ask by the address that flylead mcp printed, or start it with --allow-remote --host NAME\n";
/// A file of 1 MiB in base64, and what is around it; in bytes.
const LONGEST_REQUEST: usize = 4 * 1024 * 1024;
