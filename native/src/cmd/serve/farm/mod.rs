//! A page of all boards of the hub: the activity of each, who has it, and who waits for it.
//!
//! The page is apart from the workbench, which need not load it. Its files say nothing of any board, so they are for
//! everybody who reaches the server; the list of the boards needs the token.

use std::time::Duration;

use axum::{
    Router,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use flylead::{
    hub::{Activity, Hub, SharedBoard},
    link::{names::Names, turn::Use},
};
use serde_json::{Value, json};
use tokio::time::timeout;

/// Path of the page, which `serve` announces.
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
    let status = timeout(PATIENCE, board.status()).await;
    let status = status.ok().and_then(Result::ok);
    let activity = status.as_ref().map(|status| word(status.activity));
    let holder = status.as_ref().and_then(|status| status.holder.as_ref());
    let waiting = status.iter().flat_map(|status| &status.waiting);
    json!({
        "board": board.address().to_string(),
        "name": names.at(board.address()),
        "port": board.place().map(|place| place.path),
        "fault": board.fault(),
        "activity": activity.unwrap_or("unknown"),
        "holder": holder.map(used),
        "waiting": waiting.map(used).collect::<Value>(),
    })
}

fn used(by: &Use) -> Value {
    json!({ "who": by.who, "seconds": by.since.as_secs() })
}

const fn word(activity: Activity) -> &'static str {
    match activity {
        Activity::Away => "away",
        Activity::Prompt => "prompt",
        Activity::Line => "line",
        Activity::Exchange => "exchange",
        Activity::Program => "program",
        Activity::Returning => "returning",
        _ => "unknown",
    }
}

/// Time that a board's task has to answer.
const PATIENCE: Duration = Duration::from_secs(1);
