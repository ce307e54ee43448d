//! Text from bytes that may be split anywhere.

use futures::{Stream, StreamExt, stream};
use js_sys::Reflect;
use web_sys::{TextDecodeOptions, TextDecoder, TextDecoderOptions};

/// Decodes UTF-8 chunk by chunk. Invalid bytes become U+FFFD; a character is never cut in two.
#[derive(Debug)]
pub(crate) struct Decoder {
    decoder: TextDecoder,
    more: TextDecodeOptions,
}

impl Decoder {
    pub(crate) fn new() -> Self {
        let options = TextDecoderOptions::new();
        // A byte order mark is text like any other. web-sys lacks this option, so it is set by name, which a plain
        // object never refuses.
        let _ = Reflect::set(&options, &"ignoreBOM".into(), &true.into());
        let more = TextDecodeOptions::new();
        more.set_stream(true);
        let decoder = TextDecoder::new_with_label_and_options("utf-8", &options);
        let decoder = decoder.expect("every platform of WebAssembly decodes UTF-8");
        Self { decoder, more }
    }

    /// Returns the text that is complete so far; may be empty.
    pub(crate) fn decode(&self, bytes: &[u8]) -> String {
        let text = self
            .decoder
            .decode_with_u8_array_and_options(bytes, &self.more);
        text.unwrap_or_default()
    }

    /// Returns the rest at the end of the text.
    pub(crate) fn finish(&self) -> String {
        self.decoder.decode().unwrap_or_default()
    }
}

/// Converts a stream of bytes to text.
pub fn decode(bytes: impl Stream<Item = Vec<u8>>) -> impl Stream<Item = String> {
    let decoder = Decoder::new();
    let chunks = bytes.map(Some).chain(stream::iter([None]));
    chunks
        .map(move |chunk| chunk.map_or_else(|| decoder.finish(), |bytes| decoder.decode(&bytes)))
        .filter(|text| std::future::ready(!text.is_empty()))
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use futures::FutureExt;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    fn text(chunks: impl Iterator<Item = Vec<u8>>) -> Vec<String> {
        let texts = decode(stream::iter(chunks)).collect();
        texts.now_or_never().unwrap()
    }

    #[wasm_bindgen_test]
    fn text_is_the_same_however_its_bytes_are_split() {
        let bytes = "é€🦀 a\u{fffd}\u{feff}".as_bytes().to_vec();
        let bytes = [&bytes[..], b"\xff\xe2\x82!\xf0\x9f", &[0xa6]].concat();
        let whole = String::from_utf8_lossy(&bytes);
        for size in 1..bytes.len() {
            let chunks = bytes.chunks(size).map(<[u8]>::to_vec);
            assert_eq!(text(chunks).concat(), whole, "in chunks of {size}");
        }
    }

    #[wasm_bindgen_test]
    fn a_character_is_given_when_its_last_byte_comes() {
        let chunks = [b"a\xe2\x82".to_vec(), b"\xac".to_vec()];
        assert_eq!(text(chunks.into_iter()), ["a", "€"]);
    }
}
