/**
 * Files beside the editor: loads the panel when it is first needed, tells it which board is in front, and saves
 * documents.
 */

import { askText, askWhether, askWhich } from "../../ui/dialog.ts";
import type { Board, Boards } from "../../boards/boards.ts";
import { type Document, isUnsaved, type Where } from "../../editor/documents/document.ts";
import type { Documents } from "../../editor/documents/documents.ts";
import { element, onPress } from "../../ui/dom.ts";
import type { Editor } from "../../editor/editor.ts";
import { nameWith } from "../../boards/connection/identity.ts";
import type { FolderPlace } from "../../places/folder.ts";
import type { FilesPanel } from "./panel.ts";
import { nameOf, type Place } from "../../places/place.ts";
import { AT } from "../../boards/connection/mounted.ts";
import { isConnected } from "../../boards/connection/state.ts";
import { keep, recall } from "../../storage/storage.ts";
import { texts } from "../../texts/program.ts";

export interface FilesOptions {
  editor: Promise<Editor>;
  documents: Documents;
  boards: Boards;
  say: (text: string) => void;
  showError: (error: unknown) => void;
}

export interface FilesBesideEditor {
  /** Opens a file of the board or of this computer in the editor. */
  open(place: Place, path: string): Promise<void>;
  /** Saves the displayed document to its origin, or where the user chooses. */
  save(): Promise<void>;
  /**
   * Offers to save modules that a program on this board would otherwise import in an old version. Returns true if the
   * program should run.
   */
  saveModules(board: Board): Promise<boolean>;
  /** Opens a local file as a program. */
  openOnComputer(): Promise<void>;
  /** Saves the displayed document as a local file, whatever else it is. */
  saveOnComputer(): Promise<void>;
  /** Reports files written or removed elsewhere: unchanged open documents follow. */
  changed(place: Place, paths: readonly string[]): Promise<void>;
  /** Sets the board in front, with its current state. */
  useBoard(board: Board): void;
  /** Opens the search in all files. */
  find(): void;
  /** Removes the panel. */
  dispose(): void;
}

export function makeFiles({ editor, documents, boards, say, showError }: FilesOptions): FilesBesideEditor {
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
    const moved = (place: Place, from: string, to: string | undefined) => void documents.moved(place, from, to).catch(showError);
    panel = import("./panel.ts").then(({ FilesPanel }) => new FilesPanel(element("files"), { open, moved, textsOf, goTo, mount, say }));
    useBoard(boards.current);
    return panel;
  }

  /**
   * Passes the board to the panel. The files of a board in the page are listed at once, because that interrupts
   * nothing.
   */
  function useBoard({ session, place }: Board): void {
    const board = isConnected(session.state) ? place : undefined;
    void panel?.then((opened) => opened.showMounted(session.folder, session.state.kind === "ready"));
    if (board === shown || !panel) return;
    shown = board;
    void panel.then((opened) => opened.useBoard(board, session.transport?.isInPage === true));
  }

  async function mount(folder: FolderPlace | undefined): Promise<void> {
    const { session } = boards.current;
    const mounting = await import("../../boards/mounting.ts");
    if (!folder) return mounting.unmount(session);
    await mounting.mount(session, folder.handle);
    say(texts.boardSees({ folder: folder.name, at: AT }));
  }

  async function open(place: Place, path: string): Promise<void> {
    await documents.open(place, path);
    if (getComputedStyle(element("files")).position === "absolute") toggle(false); // It lies over the editor.
    (await editor).focus();
  }

  async function goTo(place: Place, path: string, line: number): Promise<void> {
    await open(place, path);
    (await editor).focus(line);
  }

  async function textsOf(place: Place): Promise<(path: string) => string | undefined> {
    const id = await place.identify();
    return (path) => documents.all.find(({ where }) => where?.id === id && where.path === path)?.text;
  }

  function find(): void {
    toggle(true);
    void openPanel().then((opened) => opened.search());
  }

  async function save(): Promise<void> {
    const { where } = documents.current;
    try {
      if (where) await saveAt(where);
      else await saveAs();
    } catch (error) {
      showError(error);
    }
  }

  /** Saves a file to its origin, whichever board is in front. */
  async function saveAt(where: Where): Promise<void> {
    const place = where.kind === "board" ? (await boards.withId(where.id))?.place : await folderOf(where);
    if (place) await write(place, where.path);
    else if (await maySaveElsewhere(where)) await write(front(), where.path);
  }

  /** Saves on the board in front; on this computer, if there is none. */
  async function saveAs(): Promise<void> {
    if (!isConnected(boards.current.session.state)) return saveOnComputer();
    const place = front();
    const path = await askText({ title: texts.saveOnBoard, label: texts.path, value: "/main.py", action: texts.save });
    if (path) await write(place, path.startsWith("/") ? path : `/${path}`);
  }

  async function saveModules({ session, place }: Board): Promise<boolean> {
    // A deleted file cannot be imported.
    const isModule = (one: Document) => one !== documents.current && one.where?.path.endsWith(".py") === true && one.base !== undefined && isUnsaved(one);
    if (!documents.all.some(isModule)) return true;
    const mounted = (await panel)?.folder;
    const places = mounted && mounted.handle === session.folder ? [place, mounted] : [place];
    const homes = new Map(await Promise.all(places.map(async (one) => [await one.identify(), one] as const)));
    const modules = documents.all.filter((one) => isModule(one) && homes.has(one.where!.id));
    if (modules.length === 0) return true;
    const names = modules.map(({ where }) => nameOf(where!.path)).join(", ");
    const explanation = modules.length === 1 ? texts.oneUnsaved({ name: names }) : texts.manyUnsaved({ names });
    const choice = await askWhich(texts.saveBeforeRun, explanation, [texts.runWithout, texts.saveAndRun]);
    if (choice !== texts.saveAndRun) return choice !== undefined;
    for (const module of modules) if (!(await write(homes.get(module.where!.id)!, module.where!.path, module))) return false;
    return true;
  }

  async function saveOnComputer(): Promise<void> {
    const document = documents.current;
    const { saveToComputer } = await import("../../places/computer.ts");
    const name = await saveToComputer(document.where ? nameOf(document.where.path) : (document.name ?? "program.py"), document.text);
    if (name === undefined) return;
    if (!document.where) documents.call(document, name);
    say(texts.savedOnComputer({ name }));
  }

  async function openOnComputer(): Promise<void> {
    const { openFromComputer } = await import("../../places/computer.ts");
    const picked = await openFromComputer();
    if (picked) await documents.begin(picked.text, picked.name);
    (await editor).focus();
  }

  /** Returns the board in front, if it is connected. */
  function front(): Place {
    const { session, place } = boards.current;
    if (!isConnected(session.state)) throw new Error(texts.noBoard);
    return place;
  }

  /** Asks for consent before a file of one board is written to another one. */
  async function maySaveElsewhere({ id, path, place }: Where): Promise<boolean> {
    const other = front();
    const [theirs, ours] = [nameWith(place, id), nameWith(other.name, await other.identify())];
    return askWhether(texts.anotherBoard, texts.anotherBoardExplained({ path, theirs, ours }), texts.saveOnThis);
  }

  async function folderOf({ id, place }: Where): Promise<Place> {
    const folder = (await panel)?.folder;
    if (folder && (await folder.identify()) === id) return folder;
    throw new Error(texts.folderNotOpen({ folder: place }));
  }

  async function changed(place: Place, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const isThere = documents.isOpen(path) && (await place.peek(path)) !== undefined;
      if (documents.isOpen(path)) await documents.moved(place, path, isThere ? path : undefined);
      (await panel)?.changed(place, path);
    }
  }

  async function write(place: Place, path: string, document = documents.current): Promise<boolean> {
    if (!(await documents.save(place, path, document))) return false;
    say(texts.saved({ name: nameOf(path) }));
    (await panel)?.changed(place, path);
    return true;
  }

  function dispose(): void {
    void panel?.then((opened) => opened.dispose());
    panel = undefined;
  }

  if (recall(OPEN) === "yes") toggle(true);
  return { open, save, saveModules, changed, useBoard, find, openOnComputer, saveOnComputer, dispose };
}

const OPEN = "files";
