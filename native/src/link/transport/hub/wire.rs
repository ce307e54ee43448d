//! Messages between a hub and the commands that use its boards.
//!
//! A frame is its kind (one byte), the length of its content (four bytes, little-endian) and its content: bytes of the
//! board, or JSON.

use std::io;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::link::turn::{Ask, BoardUse, News};

/// Message of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FromClient {
    /// The first frame of a connection.
    Hello(Hello),
    /// Bytes for the board.
    Bytes(Vec<u8>),
    /// Leave the board as it is; a client that closes without this counts as vanished.
    Leave,
    /// The first and only frame of a connection: list the boards.
    List,
}

/// Message of a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FromHub {
    /// The board belongs to this hub.
    Opened,
    /// The board does not belong to this hub.
    NotMine,
    /// Bytes from the board.
    Bytes(Vec<u8>),
    /// News about the turn.
    News(News),
    /// One of the hub's boards.
    Board(BoardUse),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) version: u32,
    /// Addresses of the board, as requested and as its port's path; any of them may match.
    pub(crate) addresses: Vec<String>,
    pub(crate) ask: Ask,
}

pub(crate) const VERSION: u32 = 1;

impl FromClient {
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Hello(hello) => frame(0, &json(hello)),
            Self::Bytes(bytes) => frame(1, bytes),
            Self::Leave => frame(2, &[]),
            Self::List => frame(3, &[]),
        }
    }

    pub(crate) fn decode((kind, content): (u8, Vec<u8>)) -> io::Result<Self> {
        match kind {
            0 => Ok(Self::Hello(parse(&content)?)),
            1 => Ok(Self::Bytes(content)),
            2 => Ok(Self::Leave),
            3 => Ok(Self::List),
            _ => Err(unknown()),
        }
    }
}

impl FromHub {
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Opened => frame(0, &[]),
            Self::Bytes(bytes) => frame(1, bytes),
            Self::NotMine => frame(2, &[]),
            Self::News(news) => frame(3, &json(news)),
            Self::Board(board) => frame(4, &json(board)),
        }
    }

    pub(crate) fn decode((kind, content): (u8, Vec<u8>)) -> io::Result<Self> {
        match kind {
            0 => Ok(Self::Opened),
            1 => Ok(Self::Bytes(content)),
            2 => Ok(Self::NotMine),
            3 => Ok(Self::News(parse(&content)?)),
            4 => Ok(Self::Board(parse(&content)?)),
            _ => Err(unknown()),
        }
    }
}

/// Decoder of frames from bytes that arrive in pieces.
#[derive(Debug, Default)]
pub(crate) struct Frames(Vec<u8>);

impl Frames {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Returns the next frame's kind and content, once it is complete.
    ///
    /// # Errors
    /// The frame exceeds the size limit.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u8, Vec<u8>)>> {
        let Some((head, rest)) = self.0.split_at_checked(HEAD) else {
            return Ok(None);
        };
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > LONGEST {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a frame is too long",
            ));
        }
        let Some(content) = rest.get(..length) else {
            return Ok(None);
        };
        let frame = (head[0], content.to_vec());
        self.0.drain(..HEAD + length);
        Ok(Some(frame))
    }
}

fn frame(kind: u8, content: &[u8]) -> Vec<u8> {
    // No content is longer than `LONGEST`.
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let mut frame = Vec::with_capacity(HEAD + content.len());
    frame.push(kind);
    frame.extend(length.to_le_bytes());
    frame.extend_from_slice(content);
    frame
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

fn parse<T: DeserializeOwned>(content: &[u8]) -> io::Result<T> {
    serde_json::from_slice(content).map_err(io::Error::from)
}

fn unknown() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "a frame is of an unknown kind; are flylead and its server the same version?",
    )
}

const HEAD: usize = 5;
/// Size limit of a frame's content, in bytes.
pub(crate) const LONGEST: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_they_are_written_however_they_are_split() {
        let ask = Ask::turn("flylead run");
        let hello = Hello {
            version: VERSION,
            addresses: vec!["/dev/ttyACM0".into()],
            ask,
        };
        let sent = [
            FromClient::Hello(hello),
            FromClient::Bytes(vec![0, 255, 3]),
            FromClient::Leave,
            FromClient::List,
        ];
        let bytes: Vec<u8> = sent.iter().flat_map(FromClient::encode).collect();
        for size in [1, 7, bytes.len()] {
            let (mut frames, mut read) = (Frames::default(), Vec::new());
            for piece in bytes.chunks(size) {
                frames.push(piece);
                while let Some(frame) = frames.next().unwrap() {
                    read.push(FromClient::decode(frame).unwrap());
                }
            }
            assert_eq!(read, sent);
        }
    }

    #[test]
    fn what_is_no_frame_is_refused_and_not_waited_for() {
        let mut frames = Frames::default();
        frames.push(b"GET / HTTP/1.1\r\n");
        assert!(frames.next().is_err());
        assert!(FromClient::decode((9, Vec::new())).is_err());
        assert!(FromClient::decode((0, b"{}".to_vec())).is_err());
        assert!(FromHub::decode((3, b"[]".to_vec())).is_err());
    }
}
