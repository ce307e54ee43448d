/** The files beside the editor: opened when they are first wanted, told which board is in front, saved to. */

import { askText } from "./ask.ts";
import type { Board, Boards } from "./boards.ts";
import type { Documents } from "./documents.ts";
import { element, onPress } from "./dom.ts";
import type { Editor } from "./editor.ts";
import type { FilesPanel } from "./files/panel.ts";
import { nameOf, type Place } from "./files/place.ts";
import { isConnected } from "./state.ts";
import { keep, recall } from "./storage.ts";

export interface FilesOptions {
  editor: Promise<Editor>;
  documents: Documents;
  boards: Boards;
  say: (text: string) => void;
  complain: (error: unknown) => void;
}

export interface FilesOfBench {
  /** A file of the board or of this computer in the editor. */
  open(place: Place, path: string): Promise<void>;
  /** Saves the shown document: where it is from, or where the person says. */
  save(): Promise<void>;
  /** This board is in front now, in this state. */
  useBoard(board: Board): void;
}

export function makeFiles({ editor, documents, boards, say, complain }: FilesOptions): FilesOfBench {
  let panel: Promise<FilesPanel> | undefined;
  let shown: Place | undefined;
  onPress("files-toggle", () => toggle(element("files").hidden === true));
  onPress("save", () => void save());

  function toggle(open: boolean): void {
    element("files").hidden = !open;
    element("files-toggle").ariaExpanded = String(open);
    keep(OPEN, open ? "yes" : "no");
    if (open) void openPanel();
  }

  function openPanel(): Promise<FilesPanel> {
    if (panel) return panel;
    const moved = (place: Place, from: string, to: string | undefined) => void documents.moved(place, from, to).catch(complain);
    panel = import("./files/panel.ts").then(({ openFilesPanel }) => openFilesPanel(element("files"), { open, moved, say }));
    useBoard(boards.current);
    return panel;
  }

  /** A board in the page does nothing that listing its files could interrupt. */
  function useBoard({ session, place }: Board): void {
    const board = isConnected(session.state) ? place : undefined;
    if (board === shown || !panel) return;
    shown = board;
    void panel.then((opened) => opened.useBoard(board, session.way?.isInPage === true));
  }

  async function open(place: Place, path: string): Promise<void> {
    await documents.open(place, path);
    (await editor).focus();
  }

  async function save(): Promise<void> {
    const { where } = documents.current;
    if (!where) return saveAs();
    await attempt(where.path, where.kind);
  }

  async function saveAs(): Promise<void> {
    if (!(await placeOf("board"))) return complain(new Error(NO_PLACE.board));
    const { where } = documents.current;
    const path = await askText({ title: "Save on the board", label: "Path", value: where?.path ?? "/main.py", action: "Save" });
    if (path) await attempt(path.startsWith("/") ? path : `/${path}`, "board");
  }

  async function placeOf(kind: Place["kind"]): Promise<Place | undefined> {
    if (kind === "computer") return (await panel)?.folder;
    return isConnected(boards.current.session.state) ? boards.current.place : undefined;
  }

  async function attempt(path: string, kind: Place["kind"]): Promise<void> {
    try {
      const place = await placeOf(kind);
      if (!place) throw new Error(NO_PLACE[kind]);
      if (!(await documents.save(place, path))) return;
      say(`${nameOf(path)} saved`);
      (await panel)?.changed(place, path);
    } catch (error) {
      complain(error);
    }
  }

  if (recall(OPEN) === "yes") toggle(true);
  return { open, save, useBoard };
}

const OPEN = "files";
const NO_PLACE: Record<Place["kind"], string> = {
  board: "There is no board to save on: connect one, and save again. Until then this browser keeps your work.",
  computer: "The folder is not open: open it beside the board's files, and save again.",
};
