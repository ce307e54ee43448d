//! Storage of the page's files in the binary, and their codings on the wire.

use std::io;

use axum::{
    body::Bytes,
    http::{HeaderMap, header},
};

use super::unpacked::UNPACKED;

/// Storage of a file in the binary.
#[allow(dead_code, reason = "a build without the page has no files")]
pub(super) enum Content {
    /// Content that does not compress.
    Plain(&'static [u8]),
    /// Content compressed by `web/vite.config.js` with brotli, which gives the smallest size.
    Packed(&'static [u8]),
}

impl Content {
    /// Returns the bytes for the wire; never `None` as long as the binary is intact.
    pub(super) async fn bytes(&self, coding: Coding) -> Option<Bytes> {
        match (self, coding) {
            (Self::Plain(content), _) => Some(Bytes::from_static(content)),
            (Self::Packed(brotli), Coding::Brotli) => Some(Bytes::from_static(brotli)),
            (Self::Packed(brotli), Coding::Gzip | Coding::Identity) => {
                UNPACKED.get(brotli, coding).await
            }
        }
    }
}

/// Decompresses brotli data, and compresses it in another coding.
pub(super) fn unpack(brotli: &[u8], coding: Coding) -> io::Result<Vec<u8>> {
    let mut content = brotli_decompressor::Decompressor::new(brotli, BUFFER);
    let mut bytes = Vec::new();
    match coding {
        Coding::Brotli => bytes.extend(brotli),
        Coding::Gzip => {
            let fast = flate2::Compression::fast();
            let mut packed = flate2::read::GzEncoder::new(content, fast);
            io::Read::read_to_end(&mut packed, &mut bytes)?;
        }
        Coding::Identity => {
            io::Read::read_to_end(&mut content, &mut bytes)?;
        }
    }
    bytes.shrink_to_fit();
    Ok(bytes)
}

/// Coding of a file on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Coding {
    /// Brotli; browsers accept it over TLS and from their own computer.
    Brotli,
    Gzip,
    Identity,
}

impl Coding {
    /// Chooses the smallest coding that the client accepts (RFC 9110, section 12.5.3).
    pub(super) fn choose(content: &Content, headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(header::ACCEPT_ENCODING);
        let takes = |coding: &Self| {
            accepted
                .iter()
                .filter_map(|value| value.to_str().ok())
                .flat_map(|value| value.split(','))
                .any(|item| takes(item, coding.name()))
        };
        match content {
            Content::Plain(_) => Self::Identity,
            Content::Packed(_) => [Self::Brotli, Self::Gzip]
                .into_iter()
                .find(takes)
                .unwrap_or(Self::Identity),
        }
    }

    /// Returns the name registered with IANA.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
            Self::Identity => "identity",
        }
    }

    /// Returns a distinct tag for each coding, because caches must keep them apart.
    pub(super) fn tag(self, tag: &str) -> String {
        match self {
            Self::Identity => tag.to_owned(),
            Self::Brotli | Self::Gzip => format!("{}-{}\"", tag.trim_end_matches('"'), self.name()),
        }
    }
}

/// Returns true if an item such as `gzip;q=0.5` accepts `gzip`. A weight of zero refuses it.
fn takes(item: &str, coding: &str) -> bool {
    let (name, weight) = item.split_once(';').unwrap_or((item, ""));
    let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
    name.trim().eq_ignore_ascii_case(coding)
        && weight.parse::<f32>().is_ok_and(|weight| weight > 0.0)
}

/// Size of the buffer, in bytes.
const BUFFER: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_in_the_smallest_coding_that_the_client_takes() {
        let packed = Content::Packed(b"b");
        let cases = [
            ("gzip, deflate, br, zstd", Coding::Brotli),
            ("gzip", Coding::Gzip),
            ("br;q=0, GZIP;q=0.5", Coding::Gzip),
            ("gzip; q=1.0", Coding::Gzip),
            ("br; q=1.0", Coding::Brotli),
            ("gzip;q=0", Coding::Identity),
            ("gzip;q=x", Coding::Identity),
            ("brotli, zip", Coding::Identity),
            ("", Coding::Identity),
        ];
        for (accepted, coding) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, accepted.parse().unwrap());
            assert_eq!(Coding::choose(&packed, &headers), coding, "{accepted}");
            let plain = Coding::choose(&Content::Plain(b"p"), &headers);
            assert_eq!(plain, Coding::Identity);
        }
    }
}
