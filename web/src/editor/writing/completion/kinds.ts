/**
 * Maps the kinds of names of the language server (Language Server Protocol 3.17,
 * `CompletionItemKind`) to CodeMirror's.
 */

export function type(kind: number | undefined): string {
  return KINDS[kind ?? 0] ?? "variable";
}

/** Modules that only stubs are written with: no board has them. */
export function isOfStubs(label: string, kind: number | undefined): boolean {
  return kind === MODULE && /^(_.*|abc|enum|sre_\w+|types|typing|typing_extensions|mypy_extensions)$/.test(label);
}

const MODULE = 9;
const KINDS: Readonly<Record<number, string>> = { 2: "method", 3: "function", 4: "method", 5: "property", 6: "variable", 7: "class", [MODULE]: "namespace", 10: "property", 14: "keyword", 20: "enum", 21: "constant" };
