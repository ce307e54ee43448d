/**
 * Shows the board beside the tool, or folds it away: as the user last had it with this tool, and folded for the tool
 * that needs no board.
 */

import { element, onPress } from "../dom.ts";
import { keep, recall } from "../../storage/storage.ts";
import type { ToolName } from "./tools.ts";

export interface Fold {
  /** Handles the selection of another tool. */
  useTool(name: ToolName): void;
  /** Shows the board. */
  open(): void;
}

export function makeFold(): Fold {
  let tool: ToolName = "program";
  onPress("board-toggle", () => set(isOpen()));

  function isOpen(): boolean {
    return !panes().classList.contains("folded");
  }

  function set(folded: boolean): void {
    keep(nameOf(tool), folded ? "folded" : "open");
    draw(folded);
  }

  return {
    useTool(name) {
      tool = name;
      draw((recall(nameOf(name)) ?? (name === "zylisp" ? "folded" : "open")) === "folded");
    },
    open: () => void (isOpen() || set(false)),
  };
}

function draw(folded: boolean): void {
  panes().classList.toggle("folded", folded);
  element("board-toggle").ariaExpanded = String(!folded);
}

function panes(): HTMLElement {
  return element("board").parentElement!;
}

function nameOf(tool: ToolName): string {
  return `board.${tool}`;
}
