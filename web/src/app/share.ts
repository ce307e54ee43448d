/** Shares a program as a link: compressed, in the fragment of the address, which a browser sends to no server. */

import { addressWith, takeParts } from "../ui/address.ts";
import { collect } from "../places/collect.ts";
import { showDialog } from "../ui/dialog.ts";
import { make } from "../ui/dom.ts";
import { texts } from "../texts/dialogs.ts";
import { locale } from "../texts/index.ts";

export interface Shared {
  name: string | undefined;
  text: string;
}

/** Shows the link to a program. */
export async function openShare({ name, text }: Shared): Promise<void> {
  const link = await linkTo({ name, text });
  const content = make("div", "", "fields");
  const label = make("label", texts.link);
  const field = make("input");
  Object.assign(field, { readOnly: true, value: link });
  label.append(field);
  const said = make("p", "", "hint");
  said.role = "status";
  said.textContent = link.length > LONG ? texts.longLink({ characters: link.length.toLocaleString(locale) }) : "";
  const copy = make("button", texts.copyLink);
  copy.type = "button";
  copy.addEventListener("click", () => {
    field.select();
    navigator.clipboard.writeText(link).then(() => (said.textContent = texts.copied), () => (said.textContent = texts.notCopied));
  });
  content.append(make("p", texts.linkHint), label, copy, said);
  await showDialog(texts.share, content, "");
}

async function linkTo({ name, text }: Shared): Promise<string> {
  const packed = await collect(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw")), Infinity, "");
  return addressWith({ program: toText(packed), ...(name === undefined ? {} : { name }) });
}

/** Returns the program in the address, if any, and removes it from the address. */
export async function takeShared(): Promise<Shared | undefined> {
  const parts = takeParts("program", "name");
  if (!parts) return undefined;
  try {
    const unpacked = new Blob([fromText(parts.get("program")!)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return { name: parts.get("name") ?? undefined, text: new TextDecoder("utf-8", { fatal: true }).decode(await collect(unpacked, LARGEST, "")) };
  } catch {
    throw new Error(texts.badLink);
  }
}

/** Encodes Base64 with the characters permitted in an address (RFC 4648, section 5). */
function toText(bytes: Uint8Array): string {
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromText(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

/** Size limit of the editor, in bytes. */
const LARGEST = 4_000_000;
/** Limit in characters; mail programs and messengers accept about this many. */
const LONG = 8000;
