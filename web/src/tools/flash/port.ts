/** Asks the user for a serial port, which the page may open from then on. */

import type { SerialDevice } from "flylead";

/** Returns the port; `undefined` if the user chooses none. */
export async function choosePort(): Promise<SerialDevice | undefined> {
  const { serial } = navigator as { serial?: { requestPort(): Promise<SerialDevice> } };
  return serial?.requestPort().catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "NotFoundError") return undefined;
    throw error;
  });
}
