// Input and output as device files of the interpreter, so that a program reads and writes thousands of bytes without a
// JavaScript value for each.

export const KEYBOARD = "/dev/keyboard";
export const SCREEN = "/dev/screen";

/** Lower numbers are Emscripten's own (emscripten/src/lib/libfs.js, `createDevice.major`). */
const MAJOR = 200;

/**
 * WASI's code (preview 1) for a call that has to be repeated: before the next attempt MicroPython raises pending
 * exceptions (`MP_HAL_RETRY_SYSCALL`).
 */
const EINTR = 27;

/**
 * Creates the devices. `read` fills some of the given bytes and returns their number, or nothing if there are none for
 * now; `write` takes a part of the memory.
 */
export function makeDevices(fs, { read, write }) {
  make(fs, KEYBOARD, fs.makedev(MAJOR, 0), {
    read: (_, memory, at, count) => {
      const done = read(unsigned(memory).subarray(at, at + count));
      if (done === 0) throw new fs.ErrnoError(EINTR);
      return done;
    },
  });
  make(fs, SCREEN, fs.makedev(MAJOR, 1), {
    write: (_, memory, at, count) => {
      write(unsigned(memory), at, at + count);
      return count;
    },
  });
}

function make(fs, path, number, operations) {
  const open = (stream) => void (stream.seekable = false);
  fs.registerDevice(number, { open, ...operations });
  fs.mkdev(path, number);
}

/** Returns the memory from the start of its buffer. */
function unsigned(memory) {
  return new Uint8Array(memory.buffer);
}
