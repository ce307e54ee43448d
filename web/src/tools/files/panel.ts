/** The files panel: the board's tree, a local folder, and actions on the selection. */

import { Component } from "../../ui/component.ts";
import { askText, askWhether } from "../../ui/dialog.ts";
import { noticesIn } from "../notices.ts";
import { copyInto, type Source } from "../../places/copy.ts";
import { download, downloadFolder } from "../../places/download.ts";
import { type FolderPlace, hasFolders, pickFolder } from "../../places/folder.ts";
import { MountButton } from "./mount.ts";
import { chosen, dropped, type Incoming } from "./incoming.ts";
import html from "./panel.html?raw";
import { SearchBox } from "./search.ts";
import "./search.css";
import { type Entry, join, nameOf, parentOf, type Place, ROOT, sizeOf } from "../../places/place.ts";
import { texts } from "../../texts/tools/files.ts";
import { counted, filled } from "../../texts/index.ts";
import { Transfers } from "../../places/transfers.ts";
import { DRAGGED, Tree } from "./tree.ts";
import "./panel.css";

export interface PanelOptions {
  /** Opens a file in the editor. */
  open: (place: Place, path: string) => Promise<void>;
  /** Called when a file or folder was moved; `to` is `undefined` if it was removed. */
  moved: (place: Place, from: string, to: string | undefined) => void;
  /** Returns the texts of a place's files in the editor, by path. */
  textsOf: (place: Place) => Promise<(path: string) => string | undefined>;
  /** Opens a file in the editor, at a line. */
  goTo: (place: Place, path: string, line: number) => Promise<void>;
  /** Mounts the local folder on the board, or unmounts it if none is given. */
  mount: (folder: FolderPlace | undefined) => Promise<void>;
  say: (text: string) => void;
}

type Side = "board" | "computer";

export class FilesPanel extends Component {
  readonly #options: PanelOptions;
  readonly #notices = noticesIn(this.element);
  readonly #places = new Map<Side, Place>();
  readonly #transfers = new Transfers(this.signal);
  readonly #search: SearchBox;
  readonly #mountButton = new MountButton(this.find("[data-do=mount]"));
  readonly #trees = { board: this.#makeTree("board", texts.onBoard), computer: this.#makeTree("computer", texts.onComputer) };
  #opened: FolderPlace | undefined;
  #side: Side = "board";

  constructor(parent: HTMLElement, options: PanelOptions) {
    super(parent, filled(html, texts));
    this.#options = options;
    this.element.append(this.#transfers.element);
    this.#search = new SearchBox({ places: () => [...this.#places.values()], textOf: options.textsOf, goTo: options.goTo, attempt: this.#notices.attempt }, this.signal);
    this.find(".strip").after(this.#search.element);
    this.#listen();
    this.#section("computer").querySelector<HTMLElement>("[data-do=pickFolder]")!.hidden = !hasFolders();
    this.#hint("computer", hasFolders() ? texts.openHint : texts.noFolders);
    this.useBoard(undefined, false);
  }

  #listen(): void {
    const { attempt } = this.#notices;
    const acts = this.#acts();
    for (const button of this.findAll("[data-do]")) {
      this.on(button, "click", () => button.ariaDisabled !== "true" && void attempt(async () => void (await acts[button.dataset.do!]?.())));
    }
    for (const name of ["files", "folder"]) {
      const input = this.#field(name);
      this.on(input, "change", () => void attempt(() => this.#bring(this.#side, this.#folder(), chosen(input.files ?? []))).finally(() => (input.value = "")));
    }
  }

  /** Returns the actions of the buttons. */
  #acts(): Record<string, () => unknown> {
    return {
      newFile: () => this.#newFile(),
      newFolder: () => this.#newFolder(),
      upload: () => this.#field("files").click(),
      uploadFolder: () => this.#field("folder").click(),
      download: () => this.#take(),
      rename: () => this.#selected() && this.#rename(this.#selected()!),
      remove: () => this.#selected() && this.#remove(this.#selected()!),
      listBoard: () => this.#show("board"),
      pickFolder: () => this.#openFolder(),
      find: () => this.#search.toggle(),
      mount: () => this.#options.mount(this.#mountButton.isMounted ? undefined : this.#opened),
    };
  }

  /** Opens the search in all files. */
  search(): void {
    this.#search.toggle(true);
  }

  /** Shows the local folder that is mounted on the board, if any, and whether a folder can be mounted. */
  showMounted(folder: FileSystemDirectoryHandle | undefined, canMount: boolean): void {
    this.#mountButton.show(folder, canMount);
  }

  /** Returns the open local folder. */
  get folder(): FolderPlace | undefined {
    return this.#opened;
  }

  #makeTree(of: Side, label: string): Tree {
    const tree = new Tree({
      label,
      open: (entry) => void this.#notices.attempt(() => this.#options.open(this.#places.get(of)!, entry.path)),
      select: (entry) => this.#select(of, entry),
      rename: (entry) => void this.#notices.attempt(() => this.#rename(entry)),
      remove: (entry) => void this.#notices.attempt(() => this.#remove(entry)),
      drop: (target, transfer) => void this.#notices.attempt(() => this.#accept(of, target, transfer)),
      failed: this.#notices.showError,
    });
    this.#section(of).append(tree.element);
    tree.acceptDropsOn(this.#section(of));
    return tree;
  }

  #section(of: Side): HTMLElement {
    return this.element.querySelector(`[data-place=${of}]`)!;
  }

  #field(name: string): HTMLInputElement {
    return this.element.querySelector(`[data-is=${name}]`)!;
  }

  #hint(of: Side, text: string): void {
    const line = this.#section(of).querySelector<HTMLElement>(".hint")!;
    line.textContent = text;
    line.hidden = text === "";
  }

  #select(of: Side, entry: Entry | undefined): void {
    if (entry) this.#side = of;
    if (entry) this.#trees[of === "board" ? "computer" : "board"].unselect();
    for (const act of ["download", "rename", "remove"]) this.element.querySelector(`[data-do=${act}]`)!.ariaDisabled = String(!this.#selected());
  }

  #selected(): Entry | undefined {
    return this.#trees[this.#side].selected;
  }

  #folder(): string {
    return this.#trees[this.#side].folder;
  }

  /** Returns the place for new entries. */
  #place(of: Side = this.#side): Place {
    const found = this.#places.get(of);
    if (!found) throw new Error(of === "board" ? texts.connectFirst : texts.openFirst);
    return found;
  }

  /** Sets the board whose files are shown; they are listed when the user asks, or at once. */
  useBoard(board: Place | undefined, listNow: boolean): void {
    if (board) this.#places.set("board", board);
    else this.#places.delete("board");
    const start = this.#section("board").querySelector<HTMLElement>(".start")!;
    start.hidden = !board;
    this.#hint("board", board ? texts.interrupts : texts.connectHint);
    this.#section("board").querySelector<HTMLElement>(".place-head .icon")!.hidden = true;
    this.#section("board").querySelector(".space")!.textContent = "";
    void this.#trees.board.show(undefined);
    if (board && listNow) void this.#notices.attempt(() => this.#show("board"));
  }

  async #show(of: Side): Promise<void> {
    const shown = this.#place(of);
    const listed = this.#trees[of].show(shown);
    await Promise.all([listed, this.#showSpace(of)]);
    if (this.#places.get(of) !== shown) return;
    this.#hint(of, "");
    this.#section(of).querySelector<HTMLElement>(".start")?.setAttribute("hidden", "");
    this.#section(of).querySelector<HTMLElement>(".place-head .icon")!.hidden = false;
  }

  /**
   * Shows the free space. It is requested directly after a list, so that no program started meanwhile comes between the
   * two.
   */
  async #showSpace(of: Side): Promise<void> {
    const shown = this.#place(of);
    const space = await shown.space();
    if (this.#places.get(of) !== shown) return;
    this.#section(of).querySelector(".space")!.textContent = of === "computer" ? shown.name : space ? texts.free({ size: sizeOf(space.free) }) : "";
  }

  async #openFolder(): Promise<void> {
    const picked = await pickFolder();
    if (!picked) return;
    this.#places.set("computer", (this.#opened = picked));
    this.#side = "computer";
    this.#mountButton.open(picked);
    await this.#show("computer");
  }

  /** Refreshes a folder, and selects an entry as soon as it is shown: later, the user may have selected another one. */
  async #refresh(of: Side, path: string, picked?: string): Promise<void> {
    const listed = this.#trees[of].refresh(path).then(() => picked !== undefined && this.#trees[of].pick(picked));
    await Promise.all([listed, this.#showSpace(of)]);
  }

  async #newFile(): Promise<void> {
    const name = await askText({ title: texts.newFileIn({ folder: this.#folder() }), label: texts.name, value: "", action: texts.create });
    if (!name) return;
    const path = join(this.#folder(), name);
    if ((await this.#place().peek(path)) !== undefined) throw new Error(texts.isThere({ path }));
    await this.#place().write(path, new Uint8Array());
    await this.#refresh(this.#side, this.#folder(), path);
    await this.#options.open(this.#place(), path);
  }

  async #newFolder(): Promise<void> {
    const name = await askText({ title: texts.newFolderIn({ folder: this.#folder() }), label: texts.name, value: "", action: texts.create });
    if (!name) return;
    const path = join(this.#folder(), name);
    await this.#place().makeDirectory(path);
    await this.#refresh(this.#side, this.#folder(), path);
  }

  async #rename(entry: Entry): Promise<void> {
    const name = await askText({ title: texts.renameAsked({ name: entry.name }), label: texts.newName, value: entry.name, action: texts.rename });
    if (!name || name === entry.name) return;
    const to = join(parentOf(entry.path), name);
    await this.#checkFree(this.#place(), to);
    await this.#place().rename(entry.path, to, entry.kind);
    this.#options.moved(this.#place(), entry.path, to);
    await this.#refresh(this.#side, parentOf(entry.path), to);
  }

  /** Checks that a name is free, because renaming replaces an existing entry. */
  async #checkFree(where: Place, path: string): Promise<void> {
    const there = await where.list(parentOf(path));
    if (there.some((entry) => entry.path === path)) throw new Error(texts.isThereRename({ path }));
  }

  async #remove(entry: Entry): Promise<void> {
    const what = entry.kind === "directory" ? texts.withAll({ path: entry.path }) : entry.path;
    const explanation = this.#side === "board" ? texts.deletedFromBoard({ what }) : texts.deletedFromComputer({ what });
    if (!(await askWhether(texts.deleteAsked({ name: entry.name }), explanation, texts.delete))) return;
    await this.#place().remove(entry.path, entry.kind);
    this.#options.moved(this.#place(), entry.path, undefined);
    await this.#refresh(this.#side, parentOf(entry.path));
  }

  async #take(): Promise<void> {
    const entry = this.#selected();
    if (!entry) return;
    const from = this.#place();
    const files = entry.kind === "file" ? [entry] : await from.walk(entry.path);
    const contents: Record<string, Uint8Array<ArrayBuffer>> = {};
    const total = files.reduce((sum, { size }) => sum + size, 0);
    let before = 0;
    const whole = await this.#transfers.run(texts.downloading, async (report, signal) => {
      for (const file of files) {
        signal.throwIfAborted();
        const progress = ({ done }: { done: number }) => report({ path: file.name, done: before + done, total });
        contents[file.path.slice(parentOf(entry.path).length).replace(/^\//, "")] = await from.read(file.path, { signal, progress });
        before += file.size;
      }
    });
    if (!whole) return this.#options.say(texts.downloadCancelled);
    if (entry.kind === "file") download(entry.name, contents[entry.name]!);
    else await downloadFolder(entry.name, contents);
  }

  /** Accepts a drop: an entry of the other tree, or files from outside of the page. */
  async #accept(of: Side, target: string, transfer: DataTransfer): Promise<void> {
    const dragged = transfer.getData(DRAGGED);
    if (!dragged) return this.#bring(of, target, await dropped(transfer));
    const from = JSON.parse(dragged) as Pick<Entry, "path" | "kind" | "size"> & { place: Side };
    if (from.place !== of) return this.#carry(this.#place(from.place), from, of, target);
    const to = join(target, nameOf(from.path));
    if (to === from.path || target.startsWith(`${from.path}/`) || target === from.path) return;
    await this.#checkFree(this.#place(of), to);
    await this.#place(of).rename(from.path, to, from.kind);
    this.#options.moved(this.#place(of), from.path, to);
    await this.#refresh(of, ROOT);
  }

  /** Copies an entry of one tree into the other. */
  async #carry(from: Place, entry: Pick<Entry, "path" | "kind" | "size">, of: Side, target: string): Promise<void> {
    const files = entry.kind === "file" ? [entry] : await from.walk(entry.path);
    const sources = files.map(({ path, size }): Source => ({
      path: path.slice(parentOf(entry.path).length).replace(/^\//, ""),
      size,
      read: (watch) => from.read(path, watch),
    }));
    await this.#copy(of, target, sources);
  }

  async #bring(of: Side, target: string, incoming: Incoming[]): Promise<void> {
    const sources = incoming.map(({ path, file }): Source => ({
      path,
      size: file.size,
      read: async () => new Uint8Array(await file.arrayBuffer()),
    }));
    await this.#copy(of, target, sources);
  }

  async #copy(of: Side, target: string, sources: Source[]): Promise<void> {
    if (sources.length === 0) return;
    const to = this.#place(of);
    if (!(await this.#mayReplace(to, target, sources))) return;
    const whole = await this.#transfers.run(of === "board" ? texts.uploading : texts.copying, (report, signal) => copyInto(to, target, sources, report, signal));
    await this.#refresh(of, target);
    const what = sources.length === 1 ? nameOf(`/${sources[0]!.path}`) : counted(texts.count, sources.length);
    this.#options.say(whole ? texts.copied({ what, folder: target }) : texts.copyCancelled({ what }));
    for (const { path } of sources) this.#options.moved(to, join(target, path), join(target, path));
  }

  /** Asks the user before existing files are replaced. */
  async #mayReplace(to: Place, target: string, sources: Source[]): Promise<boolean> {
    const names = new Set((await to.list(target)).map(({ name }) => name));
    const there = [...new Set(sources.map(({ path }) => path.split("/")[0]!))].filter((name) => names.has(name));
    if (there.length === 0) return true;
    const list = there.length > 3 ? texts.andMore({ names: there.slice(0, 3).join(", "), more: there.length - 3 }) : there.join(", ");
    return askWhether(texts.replaceAsked, texts.replaceExplained({ names: list, folder: target }), texts.replace);
  }

  /** Handles a file that was written elsewhere. */
  changed(where: Place, path: string): void {
    const of = where.kind;
    if (this.#places.get(of) === where && this.#trees[of].isShown(parentOf(path))) void this.#notices.attempt(() => this.#refresh(of, parentOf(path)));
  }
}
