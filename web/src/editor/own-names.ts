/** Completion without a language server. */

import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { localCompletionSource } from "@codemirror/lang-python";

/** Offers the program's own names, none of which follows a dot. */
export function ownNames(context: CompletionContext): CompletionResult | null {
  return context.matchBefore(/\.\s*\w*/) ? null : localCompletionSource(context);
}
