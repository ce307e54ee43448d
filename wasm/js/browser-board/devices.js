// What is typed and what is shown, as files of the interpreter: so a program reads and writes bytes by the thousand
// without a value of JavaScript for each.

export const KEYBOARD = "/dev/keyboard";
export const SCREEN = "/dev/screen";

/** Below it are Emscripten's own (emscripten/src/lib/libfs.js, `createDevice.major`). */
const MAJOR = 200;

/** WASI's (preview 1), for a call to be made again: before that MicroPython raises what is pending (`MP_HAL_RETRY_SYSCALL`). */
const EINTR = 27;

/** `read` fills some of the bytes that it is given and says how many, none for a while; `write` takes a part of the memory. */
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

/** The memory, which begins where its buffer does. */
function unsigned(memory) {
  return new Uint8Array(memory.buffer);
}
