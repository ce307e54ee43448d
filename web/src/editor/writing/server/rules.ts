/** The rules of the language server that the page asks it to look at. */

export const ATTRIBUTE = "reportAttributeAccessIssue";
export const CALL = "reportCallIssue";
/** All that is asked of the server: what Ruff says is Ruff's to say. */
export const SEVERITIES: Readonly<Record<string, string>> = { [ATTRIBUTE]: "error", [CALL]: "error" };
