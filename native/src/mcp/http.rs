//! The server for clients that speak HTTP.

use std::{io, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{StatusCode, header::AUTHORIZATION},
    middleware::{self, Next},
    response::Response,
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;

use super::Server;

/// Serves `/mcp` to clients that send this token. Requests of web pages, and those for another host than this computer,
/// are refused.
pub(crate) async fn serve_http(
    server: Server,
    listener: TcpListener,
    token: String,
) -> io::Result<()> {
    let mut config = StreamableHttpServerConfig::default().enforce_origin_validation();
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        config.allowed_hosts.push(address.ip().to_string());
    }
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let router =
        Router::new()
            .route_service("/mcp", service)
            .layer(middleware::from_fn_with_state(
                Arc::<str>::from(token),
                check_token,
            ));
    axum::serve(listener, router).await
}

async fn check_token(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let expected = format!("Bearer {token}");
    let sent = request
        .headers()
        .get(AUTHORIZATION)
        .map_or(&b""[..], |value| value.as_bytes());
    if bool::from(sent.ct_eq(expected.as_bytes())) {
        return next.run(request).await;
    }
    let mut refusal = Response::new(Body::from(
        "a bearer token is needed; flylead mcp printed it on its start\n",
    ));
    *refusal.status_mut() = StatusCode::UNAUTHORIZED;
    refusal
}
