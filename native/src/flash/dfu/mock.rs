//! Mock of an STM32 in its DFU mode, made from descriptors and from ST AN3156: no chip has ever been behind it.

use std::cell::RefCell;

use dfu_core::{
    DfuIo, DfuProtocol, Error, functional_descriptor::FunctionalDescriptor,
    memory_layout::MemoryLayout,
};

/// Address of the flash.
pub(super) const FLASH: u32 = 0x0800_0000;
const SIZE: usize = 1 << 20;
/// Name of the interface, as a pyboard has it.
const NAME: &str = "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,07*128Kg";
/// Functional descriptor of the same: it can do all but survive the start of the program.
const DESCRIPTOR: [u8; 9] = [9, 0x21, 0x0b, 0xff, 0, 0, 8, 0x1a, 1];

pub(super) struct Mock {
    descriptor: FunctionalDescriptor,
    protocol: DfuProtocol<MemoryLayout>,
    chip: RefCell<Chip>,
}

/// Fault after a number of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The cable is pulled out.
    Gone,
    /// A command fails.
    Refuses,
    /// A byte does not stay.
    Forgets,
}

struct Chip {
    flash: Vec<u8>,
    state: u8,
    status: u8,
    pointer: u32,
    /// Block whose effect the next query starts.
    pending: Option<Vec<u8>>,
    block: u16,
    erased: Vec<u32>,
    started: Option<u32>,
    requests: u32,
    fault: Option<(u32, Fault)>,
}

impl Mock {
    /// Content before the first update.
    pub(super) const OLD: u8 = 0x5a;

    pub(super) fn new() -> Self {
        let descriptor = FunctionalDescriptor::from_bytes(&DESCRIPTOR);
        Self {
            descriptor: descriptor.unwrap().unwrap(),
            protocol: DfuProtocol::new(NAME, (1, 0x1a)).unwrap(),
            chip: RefCell::new(Chip {
                flash: vec![Self::OLD; SIZE],
                state: IDLE,
                status: 0,
                pointer: FLASH,
                pending: None,
                block: 0,
                erased: Vec::new(),
                started: None,
                requests: 0,
                fault: None,
            }),
        }
    }

    pub(super) fn flash(&self, address: u32, length: usize) -> Vec<u8> {
        let at = (address - FLASH) as usize;
        self.chip.borrow().flash[at..at + length].to_vec()
    }

    pub(super) fn erased(&self) -> Vec<u32> {
        self.chip.borrow().erased.clone()
    }

    pub(super) fn started(&self) -> Option<u32> {
        self.chip.borrow().started
    }

    pub(super) fn requests(&self) -> u32 {
        self.chip.borrow().requests
    }

    pub(super) fn fail_after(&self, requests: u32, fault: Fault) {
        let mut chip = self.chip.borrow_mut();
        chip.requests = 0;
        chip.started = None;
        chip.fault = Some((requests, fault));
    }

    /// Plugs it in again, as it was: a chip that keeps its power keeps its state.
    pub(super) fn heal(&self) {
        let mut chip = self.chip.borrow_mut();
        chip.fault = None;
        if chip.started.take().is_some() {
            chip.state = IDLE;
        }
    }
}

impl Chip {
    fn request(&mut self) -> Result<(), Error> {
        self.requests += 1;
        match self.fault {
            Some((after, Fault::Gone)) if self.requests > after => Err(Error::UnknownProtocol),
            Some((after, Fault::Refuses)) if self.requests > after => {
                (self.status, self.state) = (3, ERROR);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Does what it was told with the last block, when its state is queried.
    fn go_on(&mut self) {
        let Some(data) = self.pending.take() else {
            if self.state == BUSY {
                self.state = DOWNLOAD_IDLE;
            }
            return;
        };
        self.state = BUSY;
        let address = |data: &[u8]| u32::from_le_bytes([data[1], data[2], data[3], data[4]]);
        match (self.block, &data[..]) {
            (0, [0x21, ..]) => self.pointer = address(&data),
            (0, [0x41, ..]) => {
                let start = address(&data);
                let at = (start - FLASH) as usize;
                let size = match at {
                    ..0x1_0000 => 0x4000,
                    0x1_0000..0x2_0000 => 0x1_0000,
                    _ => 0x2_0000,
                };
                self.erased.push(start);
                self.flash[at / size * size..][..size].fill(0xff);
            }
            (2.., []) => {
                self.started = Some(self.pointer);
                self.state = MANIFEST;
            }
            (block @ 2.., data) => {
                let at = self.pointer as usize - FLASH as usize + usize::from(block - 2) * PIECE;
                for (cell, byte) in self.flash[at..].iter_mut().zip(data) {
                    *cell &= byte;
                }
                if matches!(self.fault, Some((after, Fault::Forgets)) if self.requests > after) {
                    self.flash[at] ^= 1;
                }
            }
            _ => (self.status, self.state) = (0xf, ERROR),
        }
    }
}

impl DfuIo for Mock {
    type Read = usize;
    type Write = usize;
    type Reset = ();
    type Error = Error;
    type MemoryLayout = MemoryLayout;

    fn read_control(
        &self,
        kind: u8,
        request: u8,
        value: u16,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        assert_eq!(kind, 0xa1);
        let mut chip = self.chip.borrow_mut();
        chip.request()?;
        match request {
            3 => {
                if chip.state != ERROR {
                    chip.go_on();
                }
                let answer = [chip.status, 0, 0, 0, chip.state, 0];
                buffer.copy_from_slice(&answer);
            }
            2 if matches!(chip.state, IDLE | UPLOAD_IDLE) => {
                chip.state = UPLOAD_IDLE;
                let at = chip.pointer as usize - FLASH as usize + usize::from(value - 2) * PIECE;
                buffer.copy_from_slice(&chip.flash[at..at + buffer.len()]);
            }
            _ => return Err(Error::UnknownProtocol),
        }
        Ok(buffer.len())
    }

    fn write_control(
        &self,
        kind: u8,
        request: u8,
        value: u16,
        buffer: &[u8],
    ) -> Result<usize, Error> {
        assert_eq!(kind, 0x21);
        let mut chip = self.chip.borrow_mut();
        chip.request()?;
        match (request, chip.state) {
            (_, ERROR) if request != 4 => {}
            (1, IDLE | DOWNLOAD_IDLE) => {
                chip.pending = Some(buffer.to_vec());
                chip.block = value;
                chip.state = SYNC;
            }
            (4, ERROR) => (chip.status, chip.state) = (0, IDLE),
            (6, _) => {
                chip.pending = None;
                chip.state = IDLE;
            }
            _ => (chip.status, chip.state) = (0xf, ERROR),
        }
        Ok(buffer.len())
    }

    fn usb_reset(self) -> Result<(), Error> {
        Ok(())
    }

    fn protocol(&self) -> &DfuProtocol<MemoryLayout> {
        &self.protocol
    }

    fn functional_descriptor(&self) -> &FunctionalDescriptor {
        &self.descriptor
    }
}

/// Length of a block, as the descriptor says.
const PIECE: usize = 2048;
const IDLE: u8 = 2;
const SYNC: u8 = 3;
const BUSY: u8 = 4;
const DOWNLOAD_IDLE: u8 = 5;
const MANIFEST: u8 = 7;
const UPLOAD_IDLE: u8 = 9;
const ERROR: u8 = 10;
