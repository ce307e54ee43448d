/** A device that records, and the words that tests use about the experiments. */

/**
 * A device inside of the page's board: its log is made, not measured, and as long as its run's name says; one that is called slow takes
 * its time, and one that is called late is answered when the next one is asked for.
 */
const DEVICE = `
import binascii, time
def rows(count):
    yield b"ms,value,square\\n"
    for n in range(0, count, 1000):
        yield b"".join(b"%d,%d,%d\\n" % (m, m * 37 % 1009, m * m % 5003) for m in range(n, min(n + 1000, count)))
def serve():
    print("OK: ready")
    while True:
        line = input()
        verb, _, run = line.partition(" run_id=")
        if verb == "EXPORT" and run.startswith("late"):
            late = run
            print("found nothing yet")
            line = input()
            verb, run = "EXPORT", late
        if verb == "EXPORT" and "_" not in run:
            print("ERROR: there is no run " + run)
            continue
        if verb == "EXPORT":
            count = int(run.split("_")[1])
            size = sum(len(part) for part in rows(count))
            print("SIZE=%d" % size)
            crc = 0
            for part in rows(count):
                crc = binascii.crc32(part, crc)
                print(part.decode(), end="")
                if run.startswith("slow"):
                    time.sleep_ms(50)
            print("\\nCRC32=%08x" % crc)
        print("OK: " + verb.lower())
`;

/** Leaves the device's program running at the board's prompt; `options` are those of `exec`. */
export async function startDevice(app, options) {
  await app.exec(DEVICE, options);
  await app.page.locator("#terminal").click();
  await app.page.keyboard.type("serve()\n");
  await app.waitForText("OK: ready");
  await app.page.locator("#tool-experiments").click();
  await app.page.locator("#experiments form").waitFor();
}

export function run(app, name) {
  return app.page.getByLabel("Run", { exact: true }).fill(name);
}

export async function exported(app, name) {
  await run(app, name);
  await app.button("Export").click();
  await app.page.locator(".result h3", { hasText: name }).waitFor();
  await app.waitForState("ready");
}
