//! Bodies that track whether the server or its client is being waited for.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

use super::{Doing, Work};

/// Body of a request or of an answer.
pub(super) struct Watched {
    body: Body,
    /// Work of the server, for a request's body: the server waits for its client.
    asked: Option<Work>,
    /// Guard of an answer's body: the answer is in progress until this is dropped.
    _doing: Option<Doing>,
}

impl Watched {
    pub(super) fn asked(body: Body, work: Work) -> Self {
        Self {
            body,
            asked: Some(work),
            _doing: None,
        }
    }

    pub(super) fn answered(body: Body, doing: Doing) -> Self {
        Self {
            body,
            asked: None,
            _doing: Some(doing),
        }
    }
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Some(work) = &self.asked {
            work.waits_for_client(polled.is_pending());
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
