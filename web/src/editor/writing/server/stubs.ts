/**
 * Describes the modules of a board: the stubs of PyPI, selected by the kind of board that it
 * reports.
 */

import { strFromU8, unzip } from "fflate";
import { load } from "../load.ts";
import { wheelsOf } from "./wheels.ts";

/** The files of a platform, by where the language server is to find them. */
export async function stubsFor(platform: string): Promise<Record<string, string>> {
  const { library, own } = wheelsOf(platform);
  return { ...(await unpacked(library, TYPESHED)), ...(own ? await unpacked(own, STUBS) : {}) };
}

async function unpacked(name: string, folder: string): Promise<Record<string, string>> {
  const url = Object.entries(WHEELS).find(([path]) => path.includes(`/micropython_${name}-`))?.[1];
  if (!url) return {};
  const wheel = new Uint8Array(await (await load(url)).arrayBuffer());
  const files = await new Promise<Record<string, Uint8Array>>((resolve, reject) => {
    unzip(wheel, { filter: ({ name }) => /\.pyi$|VERSIONS$/.test(name) }, (error, files) => (error ? reject(error) : resolve(files)));
  });
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [placeOf(path, folder), strFromU8(content)]));
}

/**
 * Returns the place of a file; the library's own stubs come along, as those of the boards import
 * them.
 */
function placeOf(path: string, folder: string): string {
  return folder === TYPESHED && !path.startsWith("stdlib/") ? `${STUBS}/${path.replace(/^stubs\/[^/]+\//, "")}` : `${folder}/${path}`;
}

export const TYPESHED = "/typeshed";
export const STUBS = "/stubs";
const WHEELS = import.meta.glob<string>("../../../../stubs/*.whl", { query: "?url", import: "default", eager: true });
