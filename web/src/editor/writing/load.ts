/** Loads the parts of the help for writing, only when somebody writes. */

/** Not in this copy of the page, which is no fault. */
export const ABSENT = "absent";
/** Not kept by this browser yet, and the page's server cannot be reached. */
export const OFFLINE = "offline";

/** A file beside the page. Rejects with one of these; a worker has no texts to say it in (report.ts has). */
export async function load(file: string): Promise<Response> {
  const response = await fetch(file).catch(() => undefined);
  if (response?.ok) return response;
  throw new Error(response?.status === 404 ? ABSENT : OFFLINE);
}
