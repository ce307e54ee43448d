/** Firmware that the page writes: to ESP chips behind a pty, and to the drive of a boot loader. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { glance } from "./axe.js";
import { startEsp } from "./board.js";
import { espImage, espProgram, FAMILIES, uf2 } from "./firmware.js";

const PORT = "Raspberry Pi Pico 2e8a:0005";
const LENGTH = 300_000;

describe("an ESP", () => {
  test("that waits for firmware gets it to the byte, after the page has found out that there is none", async () => {
    await withEsp("esp32s3", async ({ app, esp, dialog }) => {
      await app.button(PORT).click();
      await app.waitForState("ready");
      await app.run("print('hello')");
      await app.waitForState("lost");
      await app.page.locator("#loss").getByRole("button", { name: "Flash firmware…" }).click();
      await dialog.getByText("ESP32-S3, 4 MB of flash").waitFor();
      const link = dialog.getByRole("link", { name: "MicroPython for it" });
      assert.equal(await link.getAttribute("href"), "https://micropython.org/download/ESP32_GENERIC_S3/");
      const { at, bytes } = espImage(9, randomBytes(LENGTH));
      await choose(dialog, "ESP32_GENERIC_S3.bin", bytes);
      await dialog.getByText("it is for this board").waitFor();
      await glance(app, "flash");
      await flash(dialog);
      await said(dialog, "on the board, and verified. Press the board's RESET button");
      await app.waitForState("ready");
      await holds(esp, at, bytes);
    });
  });

  test("of the first kind begins at 0x1000, and is erased before if the person wants that", async () => {
    await withEsp("esp32", async ({ app, esp, dialog }) => {
      const first = espImage(0, randomBytes(2 * LENGTH));
      const second = espImage(0, randomBytes(LENGTH));
      for (const [{ at, bytes }, erase] of [[first, false], [second, true]]) {
        await open(app, dialog, "ESP32, 4 MB of flash");
        await choose(dialog, "ESP32_GENERIC.bin", bytes);
        await dialog.getByText("it is for this board").waitFor();
        if (erase) await dialog.getByLabel("Erase everything first").check();
        await flash(dialog);
        await said(dialog, "verified");
        await app.waitForState("ready");
        await dialog.getByRole("button", { name: "Close" }).click();
        await app.button("Disconnect").click();
        await holds(esp, at, bytes);
      }
      const { bytes } = await esp.flash();
      const rest = bytes.subarray(second.at + second.bytes.length);
      assert.ok(rest.every((byte) => byte === 0xff), "something of the first firmware is left");
    });
  });

  test("gets nothing that is for another chip, not whole, or no firmware", async () => {
    await withEsp("esp32s3", async ({ app, esp, dialog }) => {
      await open(app, dialog, "ESP32-S3, 4 MB of flash");
      const whole = espImage(9, randomBytes(LENGTH)).bytes;
      const changed = Buffer.from(whole);
      changed[0x1_0100] ^= 1;
      const refused = [
        [espImage(0, randomBytes(LENGTH)).bytes, "the file is for the ESP32, but the chip is an ESP32-S3; nothing was written"],
        [espProgram(9, randomBytes(0x9000)), "only the application"],
        [whole.subarray(0, whole.length - 1000), "damaged or incomplete"],
        [changed, "damaged or incomplete"],
        [espImage(9, randomBytes(4 << 20)).bytes, "bytes of flash, but the chip has only 4,194,304"],
        [Buffer.from("print('hello')"), "no firmware for an ESP32"],
      ];
      for (const [bytes, why] of refused) {
        await choose(dialog, "firmware.bin", bytes);
        await dialog.getByRole("alert").getByText(why, { exact: false }).waitFor();
        assert.ok(await dialog.getByRole("button", { name: "Flash", exact: true }).isHidden(), why);
      }
      const { bytes, written } = await esp.flash();
      assert.equal(written, 0);
      assert.ok(bytes.every((byte) => byte === 0xff));
    });
  });

  test("with lines to its buttons is started in its boot ROM by them, and restarted at the end", async () => {
    const before = (context) => context.addInitScript(() => {
      window.signals = [];
      SerialPort.prototype.setSignals = async (signals) => void window.signals.push(signals);
    });
    await withEsp("esp32c3", async ({ app, esp, dialog }) => {
      const signals = () => app.page.evaluate(() => window.signals.splice(0));
      const { at, bytes } = espImage(5, randomBytes(LENGTH));
      await open(app, dialog, "ESP32-C3, 4 MB of flash");
      // RESET is pressed, and let go while BOOT is held.
      const [pressed, held] = await signals();
      assert.deepEqual([pressed.requestToSend, held.requestToSend, held.dataTerminalReady], [true, false, true]);
      await choose(dialog, "firmware.bin", bytes);
      await flash(dialog);
      await said(dialog, "The board was restarted, and the page connects to it");
      await app.waitForState("ready");
      const resets = (await signals()).map((signal) => signal.requestToSend).filter((rts) => rts !== undefined);
      assert.deepEqual(resets, [true, false]);
      await holds(esp, at, bytes);
    }, { before });
  });

  test("whose writing is cancelled can be flashed again", async () => {
    await withEsp("esp32s3", async ({ app, esp, dialog }) => {
      await open(app, dialog, "ESP32-S3, 4 MB of flash");
      await choose(dialog, "firmware.bin", espImage(9, randomBytes(3_500_000)).bytes);
      await flash(dialog);
      await app.page.waitForFunction(() => document.querySelector("dialog progress").value > 0);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await said(dialog, "Stopped");
      const { at, bytes } = espImage(9, randomBytes(LENGTH));
      await dialog.getByRole("button", { name: PORT }).click();
      await choose(dialog, "firmware.bin", bytes);
      await flash(dialog);
      await said(dialog, "verified");
      await holds(esp, at, bytes);
    });
  });

  test("that goes in the middle can be flashed again, which is said", async () => {
    await withEsp("esp32c3", async ({ app, esp, dialog }) => {
      await open(app, dialog, "ESP32-C3, 4 MB of flash");
      await choose(dialog, "firmware.bin", espImage(5, randomBytes(3_500_000)).bytes);
      await flash(dialog);
      await app.page.waitForFunction(() => document.querySelector("dialog progress").value > 0);
      await app.page.keyboard.press("Escape");
      assert.ok(await dialog.isVisible(), "Escape does not cut it");
      await esp.stop();
      await dialog.getByRole("alert").getByText("the board has no complete firmware now. To flash it again").waitFor();
      await dialog.getByRole("button", { name: PORT }).waitFor();
    });
  });
});

describe("the drive of a boot loader", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("gets a file for its chip, and is told to have taken it when it has gone", async () => {
    const { app, dialog } = await withDrive(browser, PICO);
    await dialog.getByText("Raspberry Pi RP2 (RPI-RP2)").waitFor();
    assert.equal(await dialog.getByRole("link", { name: "MicroPython for it" }).getAttribute("href"), "https://micropython.org/download/?mcu=rp2040");
    const file = uf2(FAMILIES.RP2040, randomBytes(LENGTH));
    await choose(dialog, "RPI_PICO.uf2", file);
    await dialog.getByText("it is for this board").waitFor();
    await glance(app, "flash-drive");
    await flash(dialog);
    const written = await app.page.evaluate(async (length) => {
      for (;;) {
        const file = await (await window.drive.getFileHandle("FIRMWARE.UF2").catch(() => undefined))?.getFile();
        if (file?.size === length) return [...new Uint8Array(await file.arrayBuffer())];
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }, file.length);
    assert.ok(Buffer.from(written).equals(file));
    await said(dialog, "Waiting for the board to take it");
    await app.page.evaluate(() => window.drive.removeEntry("INFO_UF2.TXT"));
    await said(dialog, "The board has taken the firmware");
    await app.close();
  });

  test("gets nothing for another chip, nothing damaged, and nothing that is no UF2", async () => {
    const { app, dialog } = await withDrive(browser, PICO);
    const whole = uf2(FAMILIES.RP2040, randomBytes(LENGTH));
    const refused = [
      [uf2(FAMILIES.RP2350, randomBytes(LENGTH)), "the file is for RP2350, but the board takes RP2040; nothing was written"],
      [whole.subarray(0, 5120), "damaged or incomplete"],
      [Buffer.from("print('hello')"), "no UF2 file"],
    ];
    for (const [bytes, why] of refused) {
      await choose(dialog, "firmware.uf2", bytes);
      await dialog.getByRole("alert").getByText(why, { exact: false }).waitFor();
      assert.ok(await dialog.getByRole("button", { name: "Flash", exact: true }).isHidden(), why);
    }
    const names = await app.page.evaluate(async () => Array.fromAsync(window.drive.keys()));
    assert.deepEqual(names, ["INFO_UF2.TXT"]);
    await app.close();
  });

  test("that vanishes, is full, cannot be written or stays has its own error", async () => {
    const faults = [
      ["vanish", "the drive vanished after 65,536 of"],
      ["QuotaExceededError", "the drive is full"],
      ["NoModificationAllowedError", "it is read-only"],
      ["stay", "the board has not taken it"],
    ];
    for (const [fault, why] of faults) {
      const { app, dialog } = await withDrive(browser, PICO, fault);
      await choose(dialog, "firmware.uf2", uf2(FAMILIES.RP2040, randomBytes(LENGTH)));
      await flash(dialog);
      await dialog.getByRole("alert").getByText(why, { exact: false }).waitFor();
      await app.close();
    }
  });

  test("is not a folder of another kind", async () => {
    const { app, dialog } = await withDrive(browser, undefined);
    await dialog.getByRole("alert").getByText("this folder is not the drive of a board").waitFor();
    await app.close();
  });
});

describe("a browser that can do neither", () => {
  test("is told what else to use, in each language", async () => {
    const browser = await startBrowser();
    for (const [locale, button] of [["en-US", "Flash firmware…"], ["de-DE", "Firmware flashen…"], ["es-ES", "Grabar firmware…"]]) {
      const app = await browser.page({ without: "serial", locale, before: (context) => context.addInitScript(() => delete window.showDirectoryPicker) });
      await app.button(button).click();
      const dialog = app.page.getByRole("dialog");
      for (const command of ["flylead flash esp32", "flylead flash pico"]) await dialog.getByText(command).waitFor();
      assert.deepEqual(await dialog.locator("[data-do]:visible").count(), 0);
      await app.close();
    }
    await browser.close();
  });
});

/** Description in the RP2040's boot ROM. */
const PICO = "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n";

async function withEsp(kind, work, options) {
  const esp = await startEsp(kind);
  const browser = await startBrowser({ serial: esp.path });
  try {
    const app = await browser.page(options);
    await work({ app, esp, dialog: app.page.getByRole("dialog") });
    await app.close();
  } finally {
    await browser.close();
    await esp.stop();
  }
}

/** Opens the dialog, and takes the board at the port. */
async function open(app, dialog, name) {
  await app.button("Flash firmware…").click();
  await dialog.getByRole("button", { name: PORT }).click();
  await dialog.getByText(name).waitFor();
}

/**
 * Opens the dialog with a folder of the browser's own as the drive; `fault` is the kind of error that it has after its first
 * piece, or "vanish" or "stay".
 */
async function withDrive(browser, info, fault) {
  const app = await browser.page();
  await app.page.evaluate(
    async ([info, fault]) => {
      const root = await navigator.storage.getDirectory();
      await root.removeEntry("drive", { recursive: true }).catch(() => undefined);
      window.drive = await root.getDirectoryHandle("drive", { create: true });
      if (info) {
        const stream = await (await window.drive.getFileHandle("INFO_UF2.TXT", { create: true })).createWritable();
        await stream.write(info);
        await stream.close();
      }
      let hasGone = false;
      const gone = () => Promise.reject(new DOMException("it is not there", "NotFoundError"));
      const faulty = {
        getFileHandle: async (name, options) => {
          if (hasGone) return gone();
          const handle = await window.drive.getFileHandle(name, options);
          if (name.endsWith(".TXT")) return handle;
          let pieces = 0;
          const write = async () => {
            pieces += 1;
            if (pieces === 1) return;
            hasGone = fault === "vanish";
            return hasGone ? gone() : Promise.reject(new DOMException("no", fault));
          };
          return { createWritable: async () => ({ write, close: async () => undefined, abort: async () => undefined }) };
        },
      };
      window.showDirectoryPicker = async () => (fault && fault !== "stay" ? faulty : window.drive);
    },
    [info, fault],
  );
  await app.button("Flash firmware…").click();
  const dialog = app.page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Choose the board's drive…" }).click();
  return { app, dialog };
}

async function choose(dialog, name, buffer) {
  await dialog.locator("[data-do=file]:visible").waitFor();
  await dialog.locator("input[type=file]").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
}

async function flash(dialog) {
  await dialog.getByRole("button", { name: "Flash", exact: true }).click();
}

function said(dialog, text) {
  return dialog.getByRole("status").getByText(text, { exact: false }).waitFor();
}

/** Compares the chip's flash with the file. */
async function holds(esp, at, file) {
  const { bytes } = await esp.flash();
  assert.ok(bytes.subarray(at, at + file.length).equals(file), "the flash has other bytes");
}
