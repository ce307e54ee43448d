//! How the page's files are kept in the binary, and in which coding they go over the wire.

use std::io::Read as _;

use axum::{
    body::Bytes,
    http::{HeaderMap, header},
};

/// How the binary holds a file.
#[allow(dead_code, reason = "a build without the page has no files")]
pub(super) enum Content {
    /// What no compression makes smaller.
    Plain(&'static [u8]),
    /// As `web/vite.config.js` compressed it: by gzip, which every browser takes, brotli only over TLS and on its own computer.
    Packed(&'static [u8]),
}

impl Content {
    /// What goes over the wire; `None` never, as long as the binary is whole.
    pub(super) fn bytes(&self, coding: Coding) -> Option<Bytes> {
        match (self, coding) {
            (Self::Plain(content), _) => Some(Bytes::from_static(content)),
            (Self::Packed(gzip), Coding::Gzip) => Some(Bytes::from_static(gzip)),
            (Self::Packed(gzip), Coding::Identity) => {
                let mut content = Vec::new();
                flate2::read::GzDecoder::new(*gzip)
                    .read_to_end(&mut content)
                    .ok()?;
                Some(content.into())
            }
        }
    }
}

/// How a file goes over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    Identity,
}

impl Coding {
    /// The smallest that the client takes (RFC 9110, section 12.5.3).
    pub(super) fn choose(content: &Content, headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(header::ACCEPT_ENCODING);
        let takes_gzip = accepted
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|item| takes(item, Self::Gzip.name()));
        match content {
            Content::Packed(_) if takes_gzip => Self::Gzip,
            Content::Packed(_) | Content::Plain(_) => Self::Identity,
        }
    }

    /// As it is registered with IANA.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Identity => "identity",
        }
    }

    /// What comes in another coding is another thing to keep.
    pub(super) fn tag(self, tag: &str) -> String {
        match self {
            Self::Identity => tag.to_owned(),
            Self::Gzip => format!("{}-{}\"", tag.trim_end_matches('"'), self.name()),
        }
    }
}

/// Whether `gzip;q=0.5` takes `gzip`. A weight of nothing refuses it.
fn takes(item: &str, coding: &str) -> bool {
    let (name, weight) = item.split_once(';').unwrap_or((item, ""));
    let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
    name.trim().eq_ignore_ascii_case(coding)
        && weight.parse::<f32>().is_ok_and(|weight| weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_in_the_smallest_coding_that_the_client_takes() {
        let packed = Content::Packed(b"g");
        let cases = [
            ("gzip, deflate, br, zstd", Coding::Gzip),
            ("gzip", Coding::Gzip),
            ("br;q=0, GZIP;q=0.5", Coding::Gzip),
            ("gzip; q=1.0", Coding::Gzip),
            ("gzip;q=0", Coding::Identity),
            ("gzip;q=x", Coding::Identity),
            ("br, zip", Coding::Identity),
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
