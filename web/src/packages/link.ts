/** A link that offers a package: its name is in the part of the address that a browser sends to no server. */

/** The package of the address, if it names one; that part of the address goes. */
export function takePackage(): string | undefined {
  const parts = new URLSearchParams(location.hash.slice(1));
  const name = parts.get("install")?.trim();
  parts.delete("install");
  const rest = parts.toString();
  history.replaceState(history.state, "", rest === "" ? location.pathname + location.search : `#${rest}`);
  return name && name.length <= LONGEST ? name : undefined;
}

/** No address of a package is longer, in characters. */
const LONGEST = 500;
