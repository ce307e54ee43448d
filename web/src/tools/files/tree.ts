/** A place's files as a tree, with mouse, keyboard and drag and drop. */

import { make } from "../../ui/dom.ts";
import { type Entry, parentOf, type Place, ROOT, sizeOf } from "../../places/place.ts";

export interface TreeOptions {
  label: string;
  open: (entry: Entry) => void;
  select: (entry: Entry | undefined) => void;
  rename: (entry: Entry) => void;
  remove: (entry: Entry) => void;
  /** Called when files were dropped on a folder of this tree. */
  drop: (folder: string, transfer: DataTransfer) => void;
  failed: (error: unknown) => void;
}

/** Data type of a dragged entry of a tree. */
export const DRAGGED = "application/x-flylead-file";

export class Tree {
  readonly element = make("ul", "", "tree");
  readonly #options: TreeOptions;
  #place: Place | undefined;
  /** Open folders with their entries. */
  #folders = new Map<string, Entry[]>();
  #selected: Entry | undefined;

  constructor(options: TreeOptions) {
    this.#options = options;
    this.element.role = "tree";
    this.element.ariaLabel = options.label;
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Accepts drops into the root anywhere on this element, because an empty tree is only a line high. */
  acceptDropsOn(element: HTMLElement): void {
    this.#acceptDrops(element, () => ROOT);
  }

  get selected(): Entry | undefined {
    return this.#selected;
  }

  /** Returns the folder for new entries: the selected one, or the one of the selected file. */
  get folder(): string {
    if (!this.#selected) return ROOT;
    return this.#selected.kind === "directory" ? this.#selected.path : parentOf(this.#selected.path);
  }

  /** Shows a place from its root; without one, the tree is emptied. */
  async show(place: Place | undefined): Promise<void> {
    this.#place = place;
    this.#folders.clear();
    this.#select(undefined);
    this.#draw();
    if (place) await this.refresh(ROOT);
  }

  /** Refreshes a folder, and the open ones below it. */
  async refresh(folder: string): Promise<void> {
    const place = this.#place;
    if (!place) return;
    const open = [...this.#folders.keys()].filter((path) => path !== folder && isBelow(path, folder));
    this.#folders.set(folder, await place.list(folder));
    for (const path of open) await this.#relist(place, path);
    if (this.#selected && !this.#rows().some(({ entry }) => entry.path === this.#selected?.path)) this.#select(undefined);
    this.#draw();
  }

  async #relist(place: Place, path: string): Promise<void> {
    const isThere = this.#folders.get(parentOf(path))?.some((entry) => entry.path === path && entry.kind === "directory");
    if (isThere) this.#folders.set(path, await place.list(path));
    else this.#folders.delete(path);
  }

  /** Selects a visible entry. */
  pick(path: string): void {
    const row = this.#rows().find(({ entry }) => entry.path === path);
    if (row) this.#select(row.entry);
    this.#draw();
  }

  /** Clears the selection, without notice. */
  unselect(): void {
    this.#selected = undefined;
    this.#draw();
  }

  /** Returns true if the content of this folder is visible. */
  isShown(folder: string): boolean {
    return this.#folders.has(folder);
  }

  #select(entry: Entry | undefined): void {
    this.#selected = entry;
    this.#options.select(entry);
  }

  /** Returns the visible entries, from top to bottom. */
  #rows(folder = ROOT, level = 1): { entry: Entry; level: number }[] {
    return (this.#folders.get(folder) ?? []).flatMap((entry) => [{ entry, level }, ...(entry.kind === "directory" ? this.#rows(entry.path, level + 1) : [])]);
  }

  #draw(): void {
    const hadFocus = this.element.contains(document.activeElement);
    const rows = this.#rows();
    const reachable = this.#selected?.path ?? rows[0]?.entry.path;
    this.element.replaceChildren(...rows.map(({ entry, level }) => this.#item(entry, level, entry.path === reachable)));
    if (hadFocus) this.#focusSelected();
  }

  #focusSelected(): void {
    this.element.querySelector<HTMLElement>("[tabindex='0']")?.focus();
  }

  #item(entry: Entry, level: number, isReachable: boolean): HTMLElement {
    const item = make("li");
    item.role = "treeitem";
    item.ariaLevel = String(level);
    item.ariaSelected = String(entry.path === this.#selected?.path);
    item.style.setProperty("--level", String(level));
    item.tabIndex = isReachable ? 0 : -1;
    item.dataset.path = entry.path;
    item.dataset.kind = entry.kind;
    if (entry.kind === "directory") item.ariaExpanded = String(this.#folders.has(entry.path));
    item.append(make("span", entry.name, "name"));
    if (entry.kind === "file") item.append(make("span", sizeOf(entry.size), "size"));
    item.addEventListener("click", () => this.#press(entry));
    this.#allowDrag(item, entry);
    if (entry.kind === "directory") this.#acceptDrops(item, () => entry.path);
    return item;
  }

  #press(entry: Entry): void {
    this.#select(entry);
    if (entry.kind === "directory") void this.#toggle(entry);
    else this.#options.open(entry);
    this.#draw();
    this.#focusSelected();
  }

  async #toggle(entry: Entry, open = !this.#folders.has(entry.path)): Promise<void> {
    if (!open) {
      for (const path of [...this.#folders.keys()]) if (isBelow(path, entry.path)) this.#folders.delete(path);
      return this.#draw();
    }
    try {
      await this.refresh(entry.path);
    } catch (error) {
      this.#options.failed(error);
    }
  }

  #key(event: KeyboardEvent): void {
    const rows = this.#rows().map(({ entry }) => entry);
    const at = Math.max(rows.findIndex(({ path }) => path === this.#selected?.path), 0);
    const entry = rows[at];
    if (!entry || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.#move(event.key, rows, at) && !this.#act(event.key, entry, rows)) return;
    event.preventDefault();
    this.#draw();
    this.#focusSelected();
  }

  #move(key: string, rows: Entry[], at: number): boolean {
    const next = { ArrowDown: at + (this.#selected ? 1 : 0), ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[key];
    if (next === undefined) return false;
    this.#select(rows[Math.min(Math.max(next, 0), rows.length - 1)]);
    return true;
  }

  #act(key: string, entry: Entry, rows: Entry[]): boolean {
    const isOpen = this.#folders.has(entry.path);
    if (key === "Enter" || key === " ") return this.#press(entry), true;
    if (key === "ArrowRight" && entry.kind === "directory") return void this.#toggle(entry, true), true;
    if (key === "ArrowLeft" && isOpen) return void this.#toggle(entry, false), true;
    if (key === "ArrowLeft") return this.#select(rows.find(({ path }) => path === parentOf(entry.path)) ?? entry), true;
    if (key === "F2") return this.#options.rename(entry), true;
    if (key === "Delete") return this.#options.remove(entry), true;
    return false;
  }

  #allowDrag(item: HTMLElement, entry: Entry): void {
    item.draggable = true;
    item.addEventListener("dragstart", (event) => {
      const place = this.#place?.kind;
      event.dataTransfer?.setData(DRAGGED, JSON.stringify({ place, path: entry.path, kind: entry.kind, size: entry.size }));
      event.stopPropagation();
    });
  }

  #acceptDrops(target: HTMLElement, folder: () => string): void {
    const mark = (event: DragEvent, over: boolean) => {
      event.preventDefault();
      event.stopPropagation();
      target.classList.toggle("over", over);
    };
    target.addEventListener("dragover", (event) => mark(event, true));
    target.addEventListener("dragleave", (event) => mark(event, false));
    target.addEventListener("drop", (event) => {
      mark(event, false);
      if (event.dataTransfer) this.#options.drop(folder(), event.dataTransfer);
    });
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || folder === ROOT || path.startsWith(`${folder}/`);
}
