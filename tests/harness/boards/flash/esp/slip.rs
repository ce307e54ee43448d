//! SLIP frames (RFC 1055).

const END: u8 = 0xc0;
const ESC: u8 = 0xdb;
const ESC_END: u8 = 0xdc;
const ESC_ESC: u8 = 0xdd;

/// Takes frames out of the bytes that come.
#[derive(Debug, Default)]
pub(super) struct Frames {
    frame: Vec<u8>,
    is_escaped: bool,
}

impl Frames {
    /// Takes a byte; returns the frame that it ends.
    pub(super) fn push(&mut self, byte: u8) -> Option<Vec<u8>> {
        let plain = match (byte, self.is_escaped) {
            (END, _) => {
                self.is_escaped = false;
                let frame = std::mem::take(&mut self.frame);
                return (!frame.is_empty()).then_some(frame);
            }
            (ESC, false) => {
                self.is_escaped = true;
                return None;
            }
            (ESC_END, true) => END,
            (ESC_ESC, true) => ESC,
            (byte, _) => byte,
        };
        self.is_escaped = false;
        self.frame.push(plain);
        None
    }
}

/// Puts bytes into a frame.
pub(super) fn framed(bytes: &[u8]) -> Vec<u8> {
    let mut frame = vec![END];
    for byte in bytes {
        match *byte {
            END => frame.extend([ESC, ESC_END]),
            ESC => frame.extend([ESC, ESC_ESC]),
            byte => frame.push(byte),
        }
    }
    frame.push(END);
    frame
}
