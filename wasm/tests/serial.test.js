// What this package asks of Web Serial, against a `navigator.serial` made here. Real ports are the page's tests.

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./browser.js";

async function pageWithPorts(t) {
  const page = await openPage(t, "plain");
  await page.evaluate(async () => {
    const { Device } = await import("./tests/device.js");
    class Port extends EventTarget {
      readable = null;
      writable = null;
      constructor(info) {
        super();
        this.info = info;
        this.device = new Device();
      }
      getInfo() {
        return this.info;
      }
      async open(options) {
        if (this.readable) throw new DOMException("open", "InvalidStateError");
        this.options = options;
        Object.assign(this, this.device.link);
      }
      async close() {
        if (this.device.isLocked()) throw new TypeError("locked");
        this.readable = this.writable = null;
      }
      setSignals() {
        throw new Error("DTR and RTS are to be left alone");
      }
    }
    const ports = [new Port({ usbVendorId: 0x2e8a, usbProductId: 5 }), new Port({})];
    const serial = new EventTarget();
    serial.getPorts = async () => ports;
    serial.requestPort = async ({ filters } = {}) => {
      serial.filters = filters;
      if (serial.refuses) throw new DOMException("none", serial.refuses);
      return ports[0];
    };
    Object.defineProperty(navigator, "serial", { value: serial, configurable: true });
    Object.assign(globalThis, { serial, ports });
  });
  return page;
}

test("a chosen port runs programs, with a large buffer and without touching its signals", async (t) => {
  const page = await pageWithPorts(t);
  const seen = await page.evaluate(async () => {
    const link = await flylead.openSerial({ filters: [{ usbVendorId: 0x2e8a }] });
    const board = flylead.Board.attach(link);
    const { stdout } = await board.exec("print 1");
    const again = await refusal(flylead.openSerial({ port: link.port }));
    await board.close();
    await link.close();
    return { stdout, label: link.label, options: ports[0].options, filters: serial.filters, open: link.readable, again: again.name };
  });
  assert.deepEqual(seen, {
    stdout: "1",
    label: "Web Serial 2e8a:0005",
    options: { baudRate: 115200, bufferSize: 65536 },
    filters: [{ usbVendorId: 0x2e8a }],
    open: null,
    again: "LinkError",
  });
});

test("a person who chooses nothing, and a page that may not ask, are told apart", async (t) => {
  const page = await pageWithPorts(t);
  const names = await page.evaluate(async () => {
    const names = [];
    for (const refuses of ["NotFoundError", "SecurityError"]) {
      serial.refuses = refuses;
      names.push((await refusal(flylead.openSerial())).name);
    }
    return names;
  });
  assert.deepEqual(names, ["CancelledError", "LinkError"]);
});

test("granted ports are listed by their ids, and their coming and going is told until it is not wanted", async (t) => {
  const page = await pageWithPorts(t);
  const seen = await page.evaluate(async () => {
    const all = (await flylead.serialPorts()).length;
    const some = (await flylead.serialPorts([{ usbVendorId: 0x2e8a }])).map((port) => port.info.usbProductId);
    const events = [];
    const tell = (type) => {
      const event = new Event(type);
      Object.defineProperty(event, "target", { value: ports[0] });
      serial.dispatchEvent(event);
    };
    const stop = flylead.onSerialConnect((port) => events.push(["in", port === ports[0]]));
    flylead.onSerialDisconnect((port) => events.push(["out", port === ports[0]]));
    tell("connect");
    tell("disconnect");
    stop();
    tell("connect");
    return { all, some, events };
  });
  assert.deepEqual(seen.all, 2);
  assert.deepEqual(seen.some, [5]);
  assert.deepEqual(seen.events.map(([what]) => what), ["in", "out"]);
});

test("a port that is pulled out while a program runs is lost with the browser's own words", async (t) => {
  const page = await pageWithPorts(t);
  const seen = await page.evaluate(async () => {
    const link = await flylead.openSerial();
    const board = flylead.Board.attach(link);
    const running = refusal(board.exec("hang"));
    ports[0].device.fail("The device has been lost.");
    const { name, cause } = await board.lost;
    await link.close();
    return { name, cause: cause.message, running: (await running).name };
  });
  assert.deepEqual(seen, { name: "LostError", cause: "The device has been lost.", running: "LostError" });
});
