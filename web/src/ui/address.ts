/** Reads the fragment of the address, which a browser sends to no server. */

/** Returns these parts of the fragment if it has the first one, and removes them from the address. */
export function takeParts(...names: [string, ...string[]]): URLSearchParams | undefined {
  const parts = partsOf(location);
  if (!parts.has(names[0])) return undefined;
  const taken = new URLSearchParams(parts);
  for (const name of names) parts.delete(name);
  const rest = parts.toString();
  history.replaceState(history.state, "", rest === "" ? location.pathname + location.search : `#${rest}`);
  return taken;
}

/** Returns the address of this page with these parts. */
export function addressWith(parts: Record<string, string>): string {
  return `${location.origin}${location.pathname}#${new URLSearchParams(parts)}`;
}

export function partsOf({ hash }: Pick<Location, "hash">): URLSearchParams {
  return new URLSearchParams(hash.slice(1));
}
