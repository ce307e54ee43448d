//! Pages of a chip's flash, which are erased as a whole.

use std::ops::Range;

use dfu_core::DfuProtocol;

use super::DfuError;
use crate::flash::DfuPart;

/// Pages of a flash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pages: Vec<Range<u32>>,
}

impl Layout {
    /// Reads the layout that the chip describes in the name of its interface, such as
    /// `@Internal Flash  /0x08000000/04*016Kg,01*064Kg,07*128Kg`.
    pub(super) fn of<M: AsRef<[u32]>>(protocol: &DfuProtocol<M>) -> Result<Self, DfuError> {
        let DfuProtocol::Dfuse {
            address,
            memory_layout,
        } = protocol
        else {
            return Err(DfuError::NotStm32);
        };
        let mut start = *address;
        let mut pages = Vec::new();
        for size in memory_layout.as_ref() {
            let end = start.checked_add(*size).ok_or(DfuError::NotStm32)?;
            pages.push(start..end);
            start = end;
        }
        Ok(Self { pages })
    }

    /// Returns the addresses of the pages that parts of a file replace, each once.
    ///
    /// # Errors
    /// A part begins or ends outside of the flash.
    pub(super) fn replaced(&self, parts: &[DfuPart]) -> Result<Vec<u32>, DfuError> {
        let flash = self.pages.first().map_or(0, |page| page.start)
            ..self.pages.last().map_or(0, |page| page.end);
        let ends = parts
            .iter()
            .map(|part| part.address..part.address + part.place.len() as u32);
        let ends: Vec<_> = ends.collect();
        if let Some(beyond) = ends
            .iter()
            .find(|part| part.start < flash.start || part.end > flash.end)
        {
            return Err(DfuError::Beyond {
                start: beyond.start,
                end: beyond.end,
                flash,
            });
        }
        let is_replaced = |page: &&Range<u32>| {
            let touches = |part: &Range<u32>| part.start < page.end && page.start < part.end;
            ends.iter().any(touches)
        };
        let replaced = self.pages.iter().filter(is_replaced);
        Ok(replaced.map(|page| page.start).collect())
    }
}
