/** Paths of a board, which are POSIX's, and addresses of boards in URIs; without Node, for the browser too. */

export function join(directory: string, name: string): string {
  return `${directory.replace(/\/+$/, "")}/${name.replace(/^\/+/, "")}`;
}

export function dirname(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns a text's UTF-8 in hexadecimal. */
export function toHex(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function fromHex(digits: string): string {
  return new TextDecoder().decode(Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
}
