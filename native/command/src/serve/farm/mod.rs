//! A page of all boards of the hub: the activity of each, who has it, and who waits for it.
//!
//! The page is apart from the workbench, which need not load it. Its files say nothing of any board, so they are for
//! everybody who reaches the server; the list of the boards needs the token.

use axum::{
    Router,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use flylead_native::{
    hub::{Hub, SharedBoard},
    link::names::Names,
};
use serde_json::{Value, json};

use crate::board::ports::uses::used;

/// Path of the page; `serve` announces it.
pub(super) const PATH: &str = "/farm";

/// Returns the routes of the page's files.
pub(super) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let file =
        |kind: &'static str, text: &'static str| get(move || async move { file(kind, text) });
    Router::new()
        .route(
            PATH,
            file("text/html; charset=utf-8", include_str!("page.html")),
        )
        .route(
            "/farm/page.js",
            file("text/javascript", include_str!("page.js")),
        )
        .route(
            "/farm/style.css",
            file("text/css", include_str!("style.css")),
        )
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, text).into_response()
}

/// Returns the boards with the names that this user gave them, the activity of each, and its tools.
pub(super) async fn list(hub: &Hub) -> Value {
    // If the names cannot be read, boards are listed by their addresses.
    let names = Names::load().unwrap_or_default();
    let mut list = Vec::new();
    for board in hub.boards() {
        list.push(described(&board, &names).await);
    }
    list.into()
}

async fn described(board: &SharedBoard, names: &Names) -> Value {
    let now = board.described().await;
    json!({
        "board": now.address,
        "name": names.at(board.address()),
        "port": now.port,
        "fault": now.fault,
        "activity": now.activity,
        "holder": now.holder.as_ref().map(used),
        "waiting": now.waiting.iter().map(used).collect::<Value>(),
    })
}
