// A device that records, made of two in-memory streams and written from the protocol's document; it shares no code
// with the package. What it answers to an `EXPORT` is decided by the run's name.

export const LOG = `time,value\n${Array.from({ length: 500 }, (_, i) => `${i},${(i * 37) % 101}\n`).join("")}`;

const ANSWERS = {
  whole: (log) => `SIZE=${log.length}\n${log}\nCRC32=${checksum(log)}\nOK: Exported\r\n`,
  marked: (log) => `BEGIN\n${log}END\nOK\n`,
  noisy: (log) => `Received: EXPORT\r\nI (3211) sd: SIZE=999\r\nSIZE=${log.length}\r\n${log}`,
  damaged: (log) => `SIZE=${log.length}\n${log.replace("100,", "101,")}\nCRC32=${checksum(log)}\nOK\n`,
  short: (log) => `SIZE=${log.length}\n${log.slice(50)}\nOK: Exported\r\n`,
  huge: () => "SIZE=999999999999\n",
  running: () => "ERROR: Cannot export while experiment running\r\n",
  silent: () => "SIZE=100000\nonly this",
  // Found only when the next run is asked for.
  late: () => "",
  next: (log) => ANSWERS.whole(log.replace("0,0", "0,next")),
};

export class Logger {
  #down;
  heard = [];

  constructor() {
    const up = new TransformStream();
    const down = new TransformStream();
    this.link = { readable: down.readable, writable: up.writable };
    this.#down = down.writable.getWriter();
    this.#serve(up.readable);
  }

  /** Pulls the cable. */
  unplug() {
    this.#down.close().catch(() => {});
  }

  isLocked() {
    return this.link.readable.locked || this.link.writable.locked;
  }

  async #serve(readable) {
    let text = "";
    for await (const chunk of readable) {
      text += new TextDecoder().decode(chunk);
      const lines = text.split("\n");
      text = lines.pop();
      for (const line of lines) await this.#obey(line);
    }
  }

  async #obey(line) {
    this.heard.push(line);
    const [verb, run] = line.split(" run_id=");
    const answer = verb === "EXPORT" ? ANSWERS[run](LOG) : `OK: ${verb}\r\n`;
    for (let at = 0; at < answer.length; at += 997) await this.#say(answer.slice(at, at + 997));
  }

  #say(text) {
    return this.#down.write(new TextEncoder().encode(text)).catch(() => {});
  }
}

/** CRC-32, bit by bit. */
function checksum(text) {
  let crc = ~0;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return (~crc >>> 0).toString(16).padStart(8, "0");
}
