/** Fetches files of packages: through `flylead serve` if it serves the page, else by the browser if servers permit it. */

import { collect } from "../../places/collect.ts";
import { texts } from "../../texts/tools/packages.ts";
import { mayAsk, nameOf, type Source } from "./source.ts";

/** Function that returns the content of a file; `undefined` if it does not exist. */
export type Fetch = (source: Source) => Promise<Uint8Array<ArrayBuffer> | undefined>;

export interface Fetcher {
  /** The index, for display. */
  readonly index: string;
  readonly fetch: Fetch;
}

/** Chooses how to fetch: `flylead serve` reports its index, and other servers know nothing of packages. */
export async function makeFetcher(): Promise<Fetcher> {
  const index = await fetch(new URL("packages", document.baseURI), { signal: AbortSignal.timeout(DEADLINE_MS) })
    .then(async (answer) => (answer.ok ? ((await answer.json()) as { index?: unknown }).index : undefined))
    .catch(() => undefined);
  return typeof index === "string" ? { index, fetch: byServer } : { index: INDEX, fetch: byBrowser };
}

/** Fetches through the server, which limits the hosts that it contacts (native/command/src/serve/packages.rs). */
function byServer(source: Source): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const asked = "index" in source ? source : { address: { url: source.url, typed: source.typed } };
  return ask(source, new URL("packages/file", document.baseURI), { method: "POST", body: JSON.stringify(asked) });
}

function byBrowser(source: Source): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const url = "index" in source ? `${INDEX}/${source.index}` : source.url;
  return ask(source, url, { credentials: "omit", referrerPolicy: "no-referrer", redirect: "error" });
}

async function ask(source: Source, url: string | URL, options: RequestInit): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if ("url" in source && !mayAsk(source.url, source.typed)) throw new Error(texts.leadsAway({ host: new URL(source.url).host }));
  const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(DEADLINE_MS) }).catch((error: unknown) => {
    if (!navigator.onLine) throw new Error(texts.noNetwork({ name: nameOf(source) }));
    const isSlow = error instanceof Error && error.name === "TimeoutError";
    throw new Error((isSlow ? texts.noAnswer : texts.notAsked)({ name: nameOf(source) }));
  });
  if (answer.status === 204 || answer.status === 404) return undefined;
  if (!answer.ok && !navigator.onLine) throw new Error(texts.noNetwork({ name: nameOf(source) }));
  if (!answer.ok) throw new Error((await answer.text()).trim() || texts.refused({ name: nameOf(source), status: answer.status }));
  return collect(answer.body!, LARGEST, texts.fileTooLarge({ name: nameOf(source), mebibytes: LARGEST / (1 << 20) }));
}

/** `_PACKAGE_INDEX` of mpremote (MicroPython 1.27, tools/mpremote/mpremote/mip.py). */
const INDEX = "https://micropython.org/pi/v2";
const LARGEST = 16 << 20;
const DEADLINE_MS = 60_000;
