/** Files of firmware with nothing in them that would run, as tests/harness/boards/flash/esp/image.rs makes them. */

/** Addresses of the boot loaders by the numbers of the chips. */
const BOOT = { 0: 0x1000, 5: 0, 9: 0 };
const TABLE = 0x8000;
const PROGRAM = 0x1_0000;

/** Image with one segment for the chip of a number. */
export function espProgram(number, segment) {
  const head = Buffer.from([0xe9, 1, 2, 0x20, 0, 0, 0, 0x40, 0xee, 0, 0, 0, number, ...Array(11).fill(0), 0x20, 0, 0x40, 0x3f]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(segment.length);
  const body = Buffer.concat([head, length, segment]);
  const end = Buffer.alloc(16 - (body.length % 16));
  end[end.length - 1] = segment.reduce((sum, byte) => sum ^ byte, 0xef);
  return Buffer.concat([body, end]);
}

/** Image of a whole flash, from the boot loader on, and the address `at` which it goes. */
export function espImage(number, program) {
  const at = BOOT[number];
  const image = Buffer.alloc(PROGRAM - at, 0xff);
  espProgram(number, Buffer.from("boot loader")).copy(image);
  [[1, 0x9000], [0, PROGRAM]].forEach(([kind, address], index) => {
    const entry = Buffer.alloc(32);
    entry.writeUInt16LE(0x50aa);
    entry[2] = kind;
    entry.writeUInt32LE(address, 4);
    entry.writeUInt32LE(0x1000, 8);
    entry.copy(image, TABLE - at + 32 * index);
  });
  return { at, bytes: Buffer.concat([image, espProgram(number, program)]) };
}

export const FAMILIES = { RP2040: 0xe48bff56, RP2350: 0xe48bff59 };

/** UF2 file with this content for the chips of a family (https://github.com/microsoft/uf2). */
export function uf2(family, content) {
  const count = Math.ceil(content.length / 256);
  const blocks = Array.from({ length: count }, (_, number) => {
    const block = Buffer.alloc(512);
    [0x0a324655, 0x9e5d5157, 0x2000, 0x1000_0000 + 256 * number, 256, number, count, family].forEach((word, at) => block.writeUInt32LE(word, 4 * at));
    block.fill(0xff, 32, 32 + 256);
    content.copy(block, 32, 256 * number, 256 * (number + 1));
    block.writeUInt32LE(0x0ab16f30, 508);
    return block;
  });
  return Buffer.concat(blocks);
}
