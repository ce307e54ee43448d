// Memory of an imitated machine. MicroPython's WebAssembly port collects garbage only between statements at the prompt, as it cannot
// see the registers of WebAssembly (`gc_collect` in its main.c), and asks before it adds to its heap instead
// (`gc_get_max_new_split`). So garbage stays, and what counts against the machine's memory are the bytes of objects that are still in
// use, which are counted here as py/gc.c marks them (MicroPython 1.29). An object that only a register refers to is not counted.

/** Bytes of a block, and of a word. */
const [BLOCK, WORD] = [16, 4];
/** Kinds of blocks in the allocation table, two bits each (py/gc.c). */
const [FREE, HEAD, TAIL] = [0, 1, 2];
/** Place of `gc_last_used_block` behind the blocks' start, in words. */
const LAST_BLOCK = 3;
/** Smallest addition to the heap, in bytes: marking takes a millisecond, and a full memory would mark for each object. */
const LEAST = 16 * 1024;
/** More parts than there are in the largest heap. */
const MOST_PARTS = 1 << 16;

/** The objects in use, in the memory of an interpreter. */
export class LiveMemory {
  #exports;
  /** Address of the first part of the heap, and the number of words before the start of its blocks. */
  #first;
  #pool;
  #words = new Uint32Array();
  #bytes = new Uint8Array();
  #marked = new Uint8Array();

  /** `exports` are those of the interpreter's WebAssembly. */
  constructor(exports) {
    this.#exports = exports;
    this.#renew();
    this.#findHeap();
  }

  /** Returns the number of bytes in use; 0 if the heap is not built as expected. */
  used() {
    if (this.#first === undefined) return 0;
    this.#renew();
    const parts = this.#parts();
    const [from, to] = [parts[0].start, parts.at(-1).end];
    const pending = [];
    const note = (at, end) => {
      const [words, marked] = [this.#words, this.#marked];
      for (let word = at / WORD; word < end / WORD; word++) {
        const pointer = words[word];
        if (pointer < from || pointer >= to || pointer % BLOCK !== 0 || marked[pointer / BLOCK] === 1) continue;
        const part = partAt(parts, pointer);
        if (part === undefined || this.#kind(part, pointer) !== HEAD) continue;
        marked[pointer / BLOCK] = 1;
        pending.push(part, pointer);
      }
    };
    this.#marked.fill(0);
    // The stack comes first, and grows towards 0; the interpreter's data follow, and then the heap.
    note(this.#exports.emscripten_stack_get_current() & -WORD, parts[0].table & -WORD);
    let used = 0;
    while (pending.length > 0) {
      const start = pending.pop();
      const part = pending.pop();
      let end = start + BLOCK;
      while (end < part.end && this.#kind(part, end) === TAIL) end += BLOCK;
      used += end - start;
      note(start, end);
    }
    return used;
  }

  /**
   * Fills what is free with objects of a block that nothing refers to, so that the interpreter asks before it takes more; its next
   * collection frees them. Only while nothing runs.
   */
  fill() {
    if (this.#first === undefined) return;
    this.#renew();
    for (const part of this.#parts()) {
      for (let at = part.start; at < part.end; at += BLOCK) if (this.#kind(part, at) === FREE) this.#take(part, at);
      // The interpreter looks no further than the last block that it has given away.
      this.#words[part.last] = (part.end - part.start) / BLOCK - 1;
    }
  }

  #take({ table, start }, pointer) {
    const block = (pointer - start) / BLOCK;
    this.#bytes[table + (block >> 2)] |= HEAD << (2 * (block & 3));
  }

  /** Takes the memory as it is: one that has grown has a new buffer. */
  #renew() {
    const { buffer } = this.#exports.memory;
    if (this.#words.buffer === buffer) return;
    this.#words = new Uint32Array(buffer);
    this.#bytes = new Uint8Array(buffer);
    this.#marked = new Uint8Array(buffer.byteLength / BLOCK);
  }

  /**
   * Finds the first `mp_state_mem_area_t` in the interpreter's data: the next one, the allocation table and its length, one or two
   * tables more, and the blocks' start and end, four for each byte of the table.
   */
  #findHeap() {
    const words = this.#words;
    const data = this.#exports.emscripten_stack_get_base();
    for (let at = data / WORD; at < words.length; at++) {
      const [table, length] = [words[at + 1], words[at + 2]];
      if (table < data || length === 0) continue;
      for (const pool of [3, 4, 5]) {
        const [start, end] = [words[at + pool], words[at + pool + 1]];
        if (start <= table || end - start !== length * 4 * BLOCK || end > this.#bytes.length) continue;
        this.#first = at * WORD;
        this.#pool = pool;
        return;
      }
    }
  }

  /** Lists the parts of the heap by address. */
  #parts() {
    const parts = [];
    // A program may write to the interpreter's memory (`uctypes`), here too.
    for (let at = this.#first; at > 0 && at < this.#bytes.length && parts.length < MOST_PARTS; at = this.#words[at / WORD]) {
      const word = at / WORD;
      const [start, end] = this.#words.subarray(word + this.#pool);
      parts.push({ table: this.#words[word + 1], start, end, last: word + this.#pool + LAST_BLOCK });
    }
    return parts.sort((one, other) => one.start - other.start);
  }

  #kind({ table, start }, pointer) {
    const block = (pointer - start) / BLOCK;
    return (this.#bytes[table + (block >> 2)] >> (2 * (block & 3))) & 3;
  }
}

/** Limit of the bytes in use, as a machine has it. */
export class MemoryLimit {
  #live;
  #most;

  /** `free` is what the machine has left when it has started, as this board has now. */
  constructor(live, free) {
    this.#live = live;
    this.#most = live.used() + free;
  }

  /** Has the next program ask for whatever it needs. */
  begin() {
    this.#live.fill();
  }

  get free() {
    return Math.max(0, this.#most - this.#live.used());
  }

  /** Returns how many bytes the interpreter may add to its heap: no object that is larger than what is free. */
  mayAdd() {
    const { free } = this;
    // The port adds this much for its tables (`gc_try_add_heap` in py/gc.c).
    return free === 0 ? 0 : Math.max(LEAST, free + Math.max(2048, Math.ceil((free * 13) / 512)));
  }
}

function partAt(parts, pointer) {
  let [low, high] = [0, parts.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const part = parts[middle];
    if (pointer < part.start) high = middle - 1;
    else if (pointer >= part.end) low = middle + 1;
    else return part;
  }
  return undefined;
}
