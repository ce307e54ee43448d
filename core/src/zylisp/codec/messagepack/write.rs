//! Writes messages.

use alloc::vec::Vec;

use serde_json::{Number, Value as Json};

use super::super::Message;

pub(in super::super) fn encode(message: &Message, out: &mut Vec<u8>) {
    match serde_json::to_value(message) {
        Ok(tree) => write(&tree, out),
        // Strings, numbers and lists cannot fail to become a tree; an empty map is still a message.
        Err(_) => out.push(0x80),
    }
}

fn write(value: &Json, out: &mut Vec<u8>) {
    match value {
        Json::Null => out.push(0xc0),
        Json::Bool(truth) => out.push(0xc2 + u8::from(*truth)),
        Json::Number(number) => write_number(number, out),
        Json::String(text) => write_text(text, out),
        Json::Array(elements) => {
            write_length([0x90, 0x10, 0xdc, 0xdd], elements.len(), out);
            elements.iter().for_each(|element| write(element, out));
        }
        Json::Object(map) => {
            write_length([0x80, 0x10, 0xde, 0xdf], map.len(), out);
            for (key, value) in map {
                write_text(key, out);
                write(value, out);
            }
        }
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    match u8::try_from(text.len()) {
        Ok(length @ 32..) => out.extend_from_slice(&[0xd9, length]),
        _ => write_length([0xa0, 0x20, 0xda, 0xdb], text.len(), out),
    }
    out.extend_from_slice(text.as_bytes());
}

/// Writes a length in the marker `small` if it is below `below`; otherwise in two bytes after the marker `two`, or in
/// four bytes after `four`.
fn write_length([small, below, two, four]: [u8; 4], length: usize, out: &mut Vec<u8>) {
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(length), _) if length < below => out.push(small | length),
        (_, Ok(length)) => {
            out.push(two);
            out.extend_from_slice(&length.to_be_bytes());
        }
        _ => {
            out.push(four);
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            out.extend_from_slice(&length.to_be_bytes());
        }
    }
}

fn write_number(number: &Number, out: &mut Vec<u8>) {
    if let Some(number) = number.as_u64() {
        write_unsigned(number, out);
    } else if let Some(number) = number.as_i64() {
        write_negative(number, out);
    } else if let Some(number) = number.as_f64() {
        out.push(0xcb);
        out.extend_from_slice(&number.to_be_bytes());
    }
}

fn write_unsigned(number: u64, out: &mut Vec<u8>) {
    let bytes = number.to_be_bytes();
    let (marker, width) = match number {
        0..0x80 => return out.push(bytes[7]),
        0x80..0x100 => (0xcc, 1),
        0x100..0x1_0000 => (0xcd, 2),
        0x1_0000..0x1_0000_0000 => (0xce, 4),
        _ => (0xcf, 8),
    };
    out.push(marker);
    out.extend_from_slice(&bytes[8 - width..]);
}

fn write_negative(number: i64, out: &mut Vec<u8>) {
    let bytes = number.to_be_bytes();
    let (marker, width) = match number {
        -0x20.. => return out.push(bytes[7]),
        -0x80.. => (0xd0, 1),
        -0x8000.. => (0xd1, 2),
        -0x8000_0000.. => (0xd2, 4),
        _ => (0xd3, 8),
    };
    out.push(marker);
    out.extend_from_slice(&bytes[8 - width..]);
}
