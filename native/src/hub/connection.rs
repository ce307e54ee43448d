//! The link to a board: open, being opened, or away.

use std::{
    future::{Future, pending},
    io,
    pin::Pin,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf},
    time::Instant,
};

use crate::link::{self, Address, Link, LinkControls, OpenError, Place};

pub(super) type Opening = Pin<Box<dyn Future<Output = Result<(Place, Link), OpenError>> + Send>>;

pub(super) enum Connection {
    Opening(Opening),
    /// Waiting until the next attempt.
    Away(Instant),
    Open {
        reader: ReadHalf<Link>,
        writer: WriteHalf<Link>,
        controls: Option<LinkControls>,
    },
}

/// Current knowledge of the board.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) place: Option<Place>,
    /// Reason for the board's absence, if it is absent.
    pub(super) fault: Option<String>,
}

impl Connection {
    pub(super) fn opening(address: &Address, before: Option<Place>) -> Self {
        let address = address.clone();
        Self::Opening(Box::pin(async move {
            link::open_where_it_is(&address, before.as_ref()).await
        }))
    }

    pub(super) fn open(link: Link) -> Self {
        let controls = link.controls();
        let (reader, writer) = tokio::io::split(link);
        Self::Open {
            reader,
            writer,
            controls,
        }
    }

    pub(super) const fn is_open(&self) -> bool {
        matches!(self, Self::Open { .. })
    }

    pub(super) const fn controls(&self) -> Option<&LinkControls> {
        match self {
            Self::Open { controls, .. } => controls.as_ref(),
            Self::Opening(_) | Self::Away(_) => None,
        }
    }

    pub(super) fn parts(&mut self) -> Parts<'_> {
        match self {
            Self::Opening(opening) => (Some(opening), None, None),
            Self::Away(_) => (None, None, None),
            Self::Open { reader, writer, .. } => (None, Some(reader), Some(writer)),
        }
    }
}

pub(super) fn baud(address: &Address) -> u32 {
    let (Address::Serial { baud, .. } | Address::Rfc2217 { baud, .. }) = address else {
        return Address::DEFAULT_BAUD;
    };
    baud.unwrap_or(Address::DEFAULT_BAUD)
}

pub(super) type Parts<'a> = (
    Option<&'a mut Opening>,
    Option<&'a mut ReadHalf<Link>>,
    Option<&'a mut WriteHalf<Link>>,
);

pub(super) async fn or_never<T>(future: Option<&mut (impl Future<Output = T> + Unpin)>) -> T {
    match future {
        Some(future) => future.await,
        None => pending().await,
    }
}

pub(super) async fn read(reader: Option<&mut ReadHalf<Link>>) -> io::Result<Vec<u8>> {
    let Some(reader) = reader else {
        return pending().await;
    };
    let mut bytes = Vec::with_capacity(CHUNK);
    reader.read_buf(&mut bytes).await?;
    Ok(bytes)
}

pub(super) async fn write(writer: Option<&mut WriteHalf<Link>>, bytes: &[u8]) -> io::Result<usize> {
    match writer {
        Some(writer) => writer.write(bytes).await,
        None => pending().await,
    }
}

/// Size limit of one read from a board, in bytes.
const CHUNK: usize = 16 * 1024;
