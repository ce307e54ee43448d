//! Commands of the boot ROM, and of the program that hosts put into the chip's memory in its place, the stub.

use std::collections::BTreeMap;

use flylead_core::to_hexadecimal;
use md5::{Digest as _, Md5};

use super::{
    EspKind,
    flash::Flash,
    slip::{Frames, framed},
};

/// A chip that takes commands.
#[derive(Debug)]
pub(super) struct Chip {
    kind: EspKind,
    frames: Frames,
    registers: BTreeMap<u32, u32>,
    flash: Flash,
    is_stub: bool,
    stubs: usize,
    reading: Option<Reading>,
    is_off: bool,
}

/// Flash content on its way to the host, which confirms each block with the number of bytes that it has.
#[derive(Debug)]
struct Reading {
    bytes: Vec<u8>,
    sent: usize,
    block: usize,
    in_flight: usize,
}

/// Answer to a command: a value and data, or the number of an error.
type Answer = Result<(u32, Vec<u8>), u8>;

impl Chip {
    pub(super) fn new(kind: EspKind, flash: Vec<u8>) -> Self {
        let registers = BTreeMap::from([
            (CHIP_MAGIC, kind.magic()),
            // Divides a clock of 40 MHz to 115,200 baud.
            (kind.clock_divider(), 40_000_000 / 115_200),
            (kind.address_fuses(), 0x0a0b_0c0d),
            (kind.address_fuses() + 4, 0x2462),
        ]);
        Self {
            kind,
            frames: Frames::default(),
            registers,
            flash: Flash::new(flash),
            is_stub: false,
            stubs: 0,
            reading: None,
            is_off: false,
        }
    }

    /// Gives the chip another address of its own, of which this is the low half.
    pub(super) fn set_address(&mut self, low: u32) {
        self.registers.insert(self.kind.address_fuses(), low);
    }

    pub(super) fn flash(&self) -> &[u8] {
        self.flash.bytes()
    }

    /// Returns the content of the flash, which no longer changes.
    pub(super) fn turn_off(&mut self) -> Vec<u8> {
        self.is_off = true;
        self.flash().to_vec()
    }

    pub(super) fn written(&self) -> usize {
        self.flash.written
    }

    pub(super) fn stubs(&self) -> usize {
        self.stubs
    }

    /// Takes bytes of the line; returns the answers.
    pub(super) fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut said = Vec::new();
        if self.is_off {
            return said;
        }
        for byte in bytes {
            if let Some(frame) = self.frames.push(*byte) {
                said.extend(self.obey(&frame));
            }
        }
        said
    }

    fn obey(&mut self, frame: &[u8]) -> Vec<u8> {
        if let (Some(reading), &[a, b, c, d]) = (&mut self.reading, frame) {
            return reading.go_on(u32::from_le_bytes([a, b, c, d]) as usize);
        }
        let [0, command, low, high, checksum, _, _, _, data @ ..] = frame else {
            return Vec::new();
        };
        if data.len() != usize::from(u16::from_le_bytes([*low, *high])) {
            return Vec::new();
        }
        let was_stub = self.is_stub;
        let answer = match *command {
            DATA_OF_MEMORY | DATA_OF_FLASH | DEFLATED_DATA if sum(data) != Some(*checksum) => {
                Err(WRONG_CHECKSUM)
            }
            command => self.answer(command, data),
        };
        let mut said = framed(&response(*command, &answer, was_stub));
        if *command == SYNC {
            said = said.repeat(8);
        }
        if *command == END_MEMORY {
            said.extend(framed(b"OHAI"));
        }
        if let (READ_FLASH, Ok(_), Some(reading)) = (*command, &answer, &mut self.reading) {
            said.extend(reading.go_on(0));
        }
        said
    }

    fn answer(&mut self, command: u8, data: &[u8]) -> Answer {
        let word = |number: usize| {
            let bytes = data.get(number * 4..number * 4 + 4);
            let bytes = bytes.ok_or(INVALID)?;
            Ok::<_, u8>(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        };
        let size = |number: usize| word(number).map(|word| word as usize);
        let nothing = (0, Vec::new());
        let done = |is_done: bool| match is_done {
            true => Ok((0, Vec::new())),
            false => Err(FAILED),
        };
        match command {
            // The stub's value is 0, which tells a host that the ROM is not the one that answers.
            SYNC if self.is_stub => Ok(nothing),
            SYNC => Ok((0x2012_0707, Vec::new())),
            READ_REGISTER => Ok((self.registers.get(&word(0)?).copied().unwrap_or(0), vec![])),
            WRITE_REGISTER => {
                self.set(word(0)?, word(1)?);
                Ok(nothing)
            }
            BEGIN_MEMORY | DATA_OF_MEMORY | ATTACH | PARAMETERS | BAUD => Ok(nothing),
            END_MEMORY => {
                self.is_stub = true;
                self.stubs += 1;
                Ok(nothing)
            }
            BEGIN_FLASH | BEGIN_DEFLATED => {
                let is_deflated = command == BEGIN_DEFLATED;
                done(self.flash.begin(size(3)?, size(0)?, is_deflated))
            }
            DATA_OF_FLASH | DEFLATED_DATA => done(self.flash.write(&data[16..])),
            END_FLASH | END_DEFLATED => {
                // 0 restarts the chip, which comes back in its ROM as long as its pin says so.
                self.is_stub &= word(0)? != 0;
                Ok(nothing)
            }
            MD5 => {
                let md5 = self.flash.md5(size(0)?, size(1)?).ok_or(FAILED)?;
                Ok(match self.is_stub {
                    true => (0, md5.to_vec()),
                    false => (0, to_hexadecimal(&md5).into_bytes()),
                })
            }
            SECURITY => self.security(),
            ERASE if self.is_stub => {
                self.flash.erase_all();
                Ok(nothing)
            }
            READ_FLASH if self.is_stub => {
                let bytes = self.flash.part(size(0)?, size(1)?).ok_or(FAILED)?;
                self.reading = Some(Reading {
                    bytes: bytes.to_vec(),
                    sent: 0,
                    block: size(2)?.max(1),
                    in_flight: size(3)?,
                });
                Ok(nothing)
            }
            ERASE_REGION if self.is_stub => done(self.flash.erase(size(0)?, size(1)?)),
            RUN if self.is_stub => {
                self.is_stub = false;
                Ok(nothing)
            }
            _ => Err(INVALID),
        }
    }

    /// Flags, the count of encryptions, the purposes of seven keys, the chip's number, and a version.
    fn security(&self) -> Answer {
        let number = self.kind.number().ok_or(INVALID)?;
        let mut info = vec![0; 12];
        info.extend(number.to_le_bytes());
        info.extend(0_u32.to_le_bytes());
        Ok((0, info))
    }

    /// Sets a register; the one that starts a command of the flash chip has the answer at once.
    fn set(&mut self, register: u32, value: u32) {
        let (command, answer) = self.kind.flash_registers();
        if register == command && value & (1 << 18) != 0 {
            let size = self.flash.bytes().len().trailing_zeros();
            self.registers.insert(answer, FLASH_MAKER | size << 16);
            return;
        }
        self.registers.insert(register, value);
    }
}

impl Reading {
    /// Sends what may be on its way when the host has this many bytes, and the digest when it has all.
    fn go_on(&mut self, taken: usize) -> Vec<u8> {
        let mut said = Vec::new();
        while self.sent < self.bytes.len() && self.sent.saturating_sub(taken) < self.in_flight {
            let end = (self.sent + self.block).min(self.bytes.len());
            said.extend(framed(&self.bytes[self.sent..end]));
            self.sent = end;
        }
        if taken == self.bytes.len() {
            said.extend(framed(&Md5::digest(&self.bytes)));
        }
        said
    }
}

impl EspKind {
    /// Register of the fuses with the chip's network address.
    const fn address_fuses(self) -> u32 {
        match self {
            Self::Esp32 => 0x3ff5_a004,
            Self::Esp32C3 => 0x6000_8844,
            Self::Esp32S3 => 0x6000_7044,
        }
    }

    const fn magic(self) -> u32 {
        match self {
            Self::Esp32 => 0x00f0_1d83,
            Self::Esp32C3 => 0x1b31_506f,
            Self::Esp32S3 => 0x0000_0009,
        }
    }

    /// Number that the ROM says, if it says one.
    const fn number(self) -> Option<u32> {
        match self {
            Self::Esp32 => None,
            Self::Esp32C3 => Some(5),
            Self::Esp32S3 => Some(9),
        }
    }

    /// Register of commands to the flash chip, and that of its answers.
    const fn flash_registers(self) -> (u32, u32) {
        match self {
            Self::Esp32 => (0x3ff4_2000, 0x3ff4_2080),
            Self::Esp32C3 | Self::Esp32S3 => (0x6000_2000, 0x6000_2058),
        }
    }

    const fn clock_divider(self) -> u32 {
        match self {
            Self::Esp32 => 0x3ff4_0014,
            Self::Esp32C3 | Self::Esp32S3 => 0x6000_0014,
        }
    }
}

/// Checksum of a block, which begins after its size, its number and two empty words.
fn sum(data: &[u8]) -> Option<u8> {
    let block = data.get(16..)?;
    Some(block.iter().fold(0xef, |sum, byte| sum ^ byte))
}

fn response(command: u8, answer: &Answer, is_stub: bool) -> Vec<u8> {
    let (value, mut data) = answer.clone().unwrap_or_default();
    data.extend(match answer {
        Ok(_) => [0, 0],
        Err(error) => [1, *error],
    });
    if !is_stub {
        data.extend([0, 0]);
    }
    let length = u16::try_from(data.len()).expect("answers are short");
    let mut response = vec![1, command];
    response.extend(length.to_le_bytes());
    response.extend(value.to_le_bytes());
    response.extend(data);
    response
}

const CHIP_MAGIC: u32 = 0x4000_1000;
/// Flash chip of Winbond, whose third byte is the number of bits of its addresses.
const FLASH_MAKER: u32 = 0x40ef;

const BEGIN_FLASH: u8 = 0x02;
const DATA_OF_FLASH: u8 = 0x03;
const END_FLASH: u8 = 0x04;
const BEGIN_MEMORY: u8 = 0x05;
const END_MEMORY: u8 = 0x06;
const DATA_OF_MEMORY: u8 = 0x07;
const SYNC: u8 = 0x08;
const WRITE_REGISTER: u8 = 0x09;
const READ_REGISTER: u8 = 0x0a;
const PARAMETERS: u8 = 0x0b;
const ATTACH: u8 = 0x0d;
const BAUD: u8 = 0x0f;
const BEGIN_DEFLATED: u8 = 0x10;
const DEFLATED_DATA: u8 = 0x11;
const END_DEFLATED: u8 = 0x12;
const MD5: u8 = 0x13;
const SECURITY: u8 = 0x14;
const ERASE: u8 = 0xd0;
const ERASE_REGION: u8 = 0xd1;
const READ_FLASH: u8 = 0xd2;
const RUN: u8 = 0xd3;

const INVALID: u8 = 0x05;
const FAILED: u8 = 0x06;
const WRONG_CHECKSUM: u8 = 0x07;
