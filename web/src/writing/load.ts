/** What the page needs for help at writing, and brings only when somebody writes. */

/** Not in this copy of the page, which is no fault. */
export const ABSENT = "This copy of the page comes without checks and completion: the Python package leaves them out to stay small. The command has them where it is installed by itself.";

/** A file beside the page. Rejects with what to do about it. */
export async function load(file: string): Promise<Response> {
  const response = await fetch(file).catch(() => undefined);
  if (response?.ok) return response;
  throw new Error(response?.status === 404 ? ABSENT : OFFLINE);
}

const OFFLINE = "Checks and completion could not be loaded: this browser has not kept them yet, and the page's server cannot be reached. Everything else goes on; they are tried again when there is a network.";
