/** What the name of a file says of it. */

export function isPython(name: string): boolean {
  return name.endsWith(".py") || name.endsWith(".pyi");
}
