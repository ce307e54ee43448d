// Outer worker in a board's frame: it owns the board's worker, shares memory only with it, and sends the page messages
// about everything that the page would see of an unframed board. Nothing that a program writes is executed here.

import { WorkerBoard } from "./board.js";

self.onmessage = ({ ports: [port] }) => {
  let board;
  let reader;
  let writer;
  let drawn;
  const reply = (message, transfer) => port.postMessage(message, { transfer });
  const listeners = {
    onParts: ({ changed, removed }) => reply({ type: "files", changed, removed }, buffersOf(changed)),
    onPins: (changes) => (reply({ type: "pins", changes }), new Promise((resolve) => (drawn = resolve))),
    onInputAwaited: () => reply({ type: "awaiting" }),
    onRestarted: () => reply({ type: "restarted" }),
  };

  const handlers = {
    async open({ code, wasm, heapSize, machine, files }) {
      const address = URL.createObjectURL(new Blob(code));
      const module = await WebAssembly.compile(wasm);
      board = new WorkerBoard(() => new Worker(address), { module, heapSize, machine }, files, listeners);
      reader = board.readable.getReader();
      writer = board.writable.getWriter();
      writer.closed.catch(() => {});
      // Failures show when the stream is read.
      await Promise.race([board.whenReady(), reader.closed]);
      reply({ type: "opened", isolated: board.isolated });
    },
    async read() {
      const { value, done } = await reader.read();
      done ? reply({ type: "ended" }) : reply({ type: "output", bytes: value }, [value.buffer]);
    },
    async write({ bytes }) {
      await writer.write(bytes);
      reply({ type: "written" });
    },
    take: ({ changes }) => board.takeFiles(changes),
    input: ({ input }) => board.setInput(input),
    drawn: () => drawn?.(),
    ping: () => reply({ type: "alive" }),
  };

  port.onmessage = async ({ data }) => {
    try {
      await handlers[data.type](data);
    } catch (error) {
      reply({ type: "failed", message: String(error?.message ?? error) });
    }
  };
};

function buffersOf(changed) {
  return changed.flatMap(([, part]) => part?.bytes.buffer ?? []);
}
