/** Returns true if the name is that of a Python file. */

export function isPython(name: string): boolean {
  return name.endsWith(".py") || name.endsWith(".pyi");
}
