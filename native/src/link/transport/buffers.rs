//! Buffers of a link that frames the bytes of another one, in both directions.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncWrite, ReadBuf};

/// Writes all unsent bytes.
pub(crate) fn poll_send(
    mut stream: impl AsyncWrite + Unpin,
    unsent: &mut VecDeque<u8>,
    context: &mut Context<'_>,
) -> Poll<io::Result<()>> {
    while !unsent.is_empty() {
        let (piece, _) = unsent.as_slices();
        let written = ready!(Pin::new(&mut stream).poll_write(context, piece))?;
        if written == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        unsent.drain(..written);
    }
    Poll::Ready(Ok(()))
}

/// Hands over as many unread bytes as fit into the buffer.
pub(crate) fn read(unread: &mut VecDeque<u8>, buffer: &mut ReadBuf<'_>) {
    let (piece, _) = unread.as_slices();
    let length = piece.len().min(buffer.remaining());
    buffer.put_slice(&piece[..length]);
    unread.drain(..length);
}
