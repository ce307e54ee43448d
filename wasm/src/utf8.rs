//! Text from bytes that may be split anywhere.

/// Decodes UTF-8 chunk by chunk. What is no UTF-8 becomes U+FFFD; a character is never cut in two.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    /// The beginning of a character whose rest has not come yet: at most three bytes.
    begun: Vec<u8>,
}

impl Utf8 {
    /// The text that is complete now; may be empty.
    pub(crate) fn decode(&mut self, bytes: &[u8]) -> String {
        let mut bytes = [&self.begun, bytes].concat();
        self.begun = bytes.split_off(bytes.len() - begun_len(&bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What is left when no more comes.
    pub(crate) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.begun)).into_owned()
    }
}

/// How many bytes at the end begin a character without finishing it.
fn begun_len(bytes: &[u8]) -> usize {
    let chunk = bytes
        .utf8_chunks()
        .last()
        .map_or(&[][..], |chunk| chunk.invalid());
    let unfinished = str::from_utf8(chunk).is_err_and(|error| error.error_len().is_none());
    if unfinished { chunk.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn text_is_the_same_however_its_bytes_are_split() {
        let bytes = "é€🦀 a\u{fffd}".as_bytes().to_vec();
        let bytes = [&bytes[..], b"\xff\xe2\x82!\xf0\x9f", &[0xa6]].concat();
        let whole = String::from_utf8_lossy(&bytes);
        for size in 1..bytes.len() {
            let mut utf8 = Utf8::default();
            let mut text: String = bytes.chunks(size).map(|chunk| utf8.decode(chunk)).collect();
            text += &utf8.finish();
            assert_eq!(text, whole, "in chunks of {size}");
        }
    }

    #[test]
    fn a_character_is_given_when_its_last_byte_comes() {
        let mut utf8 = Utf8::default();
        assert_eq!(utf8.decode(b"a\xe2\x82"), "a");
        assert_eq!(utf8.decode(b"\xac"), "€");
        assert_eq!(utf8.finish(), "");
    }
}
