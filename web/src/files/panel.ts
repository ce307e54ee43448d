/** The files panel: the board's tree, a folder of this computer, and what can be done with what is selected. */

import { askText, askWhether } from "../dialog.ts";
import { noticesIn } from "../tools/notices.ts";
import { copyInto, type Source } from "./copy.ts";
import { download, downloadFolder } from "./download.ts";
import { type FolderPlace, hasFolders, pickFolder } from "./folder.ts";
import { MountButton } from "./mount.ts";
import { chosen, dropped, type Incoming } from "./incoming.ts";
import html from "./panel.html?raw";
import { SearchBox } from "./search.ts";
import "./search.css";
import { type Entry, join, nameOf, parentOf, type Place, ROOT, sizeOf } from "./place.ts";
import { texts } from "../texts/files.ts";
import { counted, filled } from "../texts/index.ts";
import { Transfers } from "./transfers.ts";
import { DRAGGED, Tree } from "./tree.ts";
import "./panel.css";

export interface PanelOptions {
  /** Puts a file into the editor. */
  open: (place: Place, path: string) => Promise<void>;
  /** A file or folder is elsewhere now; `to` is none when it is nowhere. */
  moved: (place: Place, from: string, to: string | undefined) => void;
  /** What the files of a place have in the editor, by path. */
  textsOf: (place: Place) => Promise<(path: string) => string | undefined>;
  /** Puts a line of a file into the editor. */
  goTo: (place: Place, path: string, line: number) => Promise<void>;
  /** Puts the folder of this computer on the board, or takes it away when there is none. */
  mount: (folder: FolderPlace | undefined) => Promise<void>;
  say: (text: string) => void;
}

export interface FilesPanel {
  /** The board whose files are shown, from now on; its files are listed when the person asks, or at once. */
  useBoard(place: Place | undefined, listNow: boolean): void;
  /** A file was written by somebody else. */
  changed(place: Place, path: string): void;
  /** Asks what to find in all files. */
  find(): void;
  /** The board has this folder of this computer, or none, or there is no board that could have one. */
  showMounted(folder: FileSystemDirectoryHandle | undefined, canMount: boolean): void;
  /** The folder of this computer that is open. */
  readonly folder: FolderPlace | undefined;
}

type Side = "board" | "computer";

export function openFilesPanel(parent: HTMLElement, options: PanelOptions): FilesPanel {
  parent.innerHTML = filled(html, texts);
  const { attempt, showError } = noticesIn(parent);
  const places = new Map<Side, Place>();
  let opened: FolderPlace | undefined;
  const transfers = new Transfers();
  parent.append(transfers.element);
  const search = new SearchBox({ places: () => [...places.values()], textOf: options.textsOf, goTo: options.goTo, attempt });
  parent.querySelector(".strip")!.after(search.element);
  const mountButton = new MountButton(parent.querySelector<HTMLElement>("[data-do=mount]")!);
  let side: Side = "board";
  const trees = { board: makeTree("board", texts.onBoard), computer: makeTree("computer", texts.onComputer) };
  const acts: Record<string, () => unknown> = {
    newFile, newFolder, upload: () => field("files").click(), uploadFolder: () => field("folder").click(),
    download: take, rename: () => selected() && rename(selected()!), remove: () => selected() && remove(selected()!),
    listBoard: () => show("board"), pickFolder: openFolder, find: () => search.toggle(),
    mount: () => options.mount(mountButton.isMounted ? undefined : opened),
  };
  for (const button of parent.querySelectorAll<HTMLElement>("[data-do]")) {
    button.addEventListener("click", () => button.ariaDisabled !== "true" && void attempt(async () => void (await acts[button.dataset.do!]?.())));
  }
  for (const name of ["files", "folder"]) {
    const input = field(name);
    input.addEventListener("change", () => void attempt(() => bring(side, folder(), chosen(input.files ?? []))).finally(() => (input.value = "")));
  }
  section("computer").querySelector<HTMLElement>("[data-do=pickFolder]")!.hidden = !hasFolders();
  hint("computer", hasFolders() ? texts.openHint : texts.noFolders);
  useBoard(undefined, false);

  function makeTree(of: Side, label: string): Tree {
    const tree = new Tree({
      label,
      open: (entry) => void attempt(() => options.open(places.get(of)!, entry.path)),
      select: (entry) => select(of, entry),
      rename: (entry) => void attempt(() => rename(entry)),
      remove: (entry) => void attempt(() => remove(entry)),
      drop: (target, transfer) => void attempt(() => accept(of, target, transfer)),
      failed: showError,
    });
    section(of).append(tree.element);
    tree.acceptDropsOn(section(of));
    return tree;
  }

  function section(of: Side): HTMLElement {
    return parent.querySelector(`[data-place=${of}]`)!;
  }

  function field(name: string): HTMLInputElement {
    return parent.querySelector(`[data-is=${name}]`)!;
  }

  function hint(of: Side, text: string): void {
    const place = section(of).querySelector<HTMLElement>(".hint")!;
    place.textContent = text;
    place.hidden = text === "";
  }

  function select(of: Side, entry: Entry | undefined): void {
    if (entry) side = of;
    if (entry) trees[of === "board" ? "computer" : "board"].unselect();
    for (const act of ["download", "rename", "remove"]) parent.querySelector(`[data-do=${act}]`)!.ariaDisabled = String(!selected());
  }

  function selected(): Entry | undefined {
    return trees[side].selected;
  }

  function folder(): string {
    return trees[side].folder;
  }

  /** The place that new things go into. */
  function place(of: Side = side): Place {
    const found = places.get(of);
    if (!found) throw new Error(of === "board" ? texts.connectFirst : texts.openFirst);
    return found;
  }

  function useBoard(board: Place | undefined, listNow: boolean): void {
    if (board) places.set("board", board);
    else places.delete("board");
    const start = section("board").querySelector<HTMLElement>(".start")!;
    start.hidden = !board;
    hint("board", board ? texts.interrupts : texts.connectHint);
    section("board").querySelector<HTMLElement>(".place-head .icon")!.hidden = true;
    section("board").querySelector(".space")!.textContent = "";
    void trees.board.show(undefined);
    if (board && listNow) void attempt(() => show("board"));
  }

  async function show(of: Side): Promise<void> {
    const shown = place(of);
    const listed = trees[of].show(shown);
    await Promise.all([listed, showSpace(of)]);
    if (places.get(of) !== shown) return;
    hint(of, "");
    section(of).querySelector<HTMLElement>(".start")?.setAttribute("hidden", "");
    section(of).querySelector<HTMLElement>(".place-head .icon")!.hidden = false;
  }

  /** Asked for in one breath with a list, so that no program that is run meanwhile comes between the two. */
  async function showSpace(of: Side): Promise<void> {
    const shown = place(of);
    const space = await shown.space();
    if (places.get(of) !== shown) return;
    section(of).querySelector(".space")!.textContent = of === "computer" ? shown.name : space ? texts.free(sizeOf(space.free)) : "";
  }

  async function openFolder(): Promise<void> {
    const picked = await pickFolder();
    if (!picked) return;
    places.set("computer", (opened = picked));
    side = "computer";
    mountButton.open(picked);
    await show("computer");
  }

  /** Shows what has become of a folder, and selects an entry as soon as it is there: later, the person may have chosen another. */
  async function refresh(of: Side, path: string, picked?: string): Promise<void> {
    const listed = trees[of].refresh(path).then(() => picked !== undefined && trees[of].pick(picked));
    await Promise.all([listed, showSpace(of)]);
  }

  async function newFile(): Promise<void> {
    const name = await askText({ title: texts.newFileIn(folder()), label: texts.name, value: "", action: texts.create });
    if (!name) return;
    const path = join(folder(), name);
    if ((await place().peek(path)) !== undefined) throw new Error(texts.isThere(path));
    await place().write(path, new Uint8Array());
    await refresh(side, folder(), path);
    await options.open(place(), path);
  }

  async function newFolder(): Promise<void> {
    const name = await askText({ title: texts.newFolderIn(folder()), label: texts.name, value: "", action: texts.create });
    if (!name) return;
    const path = join(folder(), name);
    await place().makeDirectory(path);
    await refresh(side, folder(), path);
  }

  async function rename(entry: Entry): Promise<void> {
    const name = await askText({ title: texts.renameAsked(entry.name), label: texts.newName, value: entry.name, action: texts.rename });
    if (!name || name === entry.name) return;
    const to = join(parentOf(entry.path), name);
    await checkFree(place(), to);
    await place().rename(entry.path, to, entry.kind);
    options.moved(place(), entry.path, to);
    await refresh(side, parentOf(entry.path), to);
  }

  /** Renaming replaces what has the new name. */
  async function checkFree(where: Place, path: string): Promise<void> {
    const there = await where.list(parentOf(path));
    if (there.some((entry) => entry.path === path)) throw new Error(texts.isThereRename(path));
  }

  async function remove(entry: Entry): Promise<void> {
    const what = entry.kind === "directory" ? texts.withAll(entry.path) : entry.path;
    const explanation = side === "board" ? texts.deletedFromBoard(what) : texts.deletedFromComputer(what);
    if (!(await askWhether(texts.deleteAsked(entry.name), explanation, texts.delete))) return;
    await place().remove(entry.path, entry.kind);
    options.moved(place(), entry.path, undefined);
    await refresh(side, parentOf(entry.path));
  }

  async function take(): Promise<void> {
    const entry = selected();
    if (!entry) return;
    const from = place();
    const files = entry.kind === "file" ? [entry] : await from.walk(entry.path);
    const contents: Record<string, Uint8Array<ArrayBuffer>> = {};
    const total = files.reduce((sum, { size }) => sum + size, 0);
    let before = 0;
    const whole = await transfers.run(texts.downloading, async (report, signal) => {
      for (const file of files) {
        signal.throwIfAborted();
        const progress = ({ done }: { done: number }) => report({ path: file.name, done: before + done, total });
        contents[file.path.slice(parentOf(entry.path).length).replace(/^\//, "")] = await from.read(file.path, { signal, progress });
        before += file.size;
      }
    });
    if (!whole) return options.say(texts.downloadCancelled);
    if (entry.kind === "file") download(entry.name, contents[entry.name]!);
    else await downloadFolder(entry.name, contents);
  }

  /** What was dropped: an entry of the other tree, or files from outside of the page. */
  async function accept(of: Side, target: string, transfer: DataTransfer): Promise<void> {
    const dragged = transfer.getData(DRAGGED);
    if (!dragged) return bring(of, target, await dropped(transfer));
    const from = JSON.parse(dragged) as Pick<Entry, "path" | "kind" | "size"> & { place: Side };
    if (from.place !== of) return carry(place(from.place), from, of, target);
    const to = join(target, nameOf(from.path));
    if (to === from.path || target.startsWith(`${from.path}/`) || target === from.path) return;
    await checkFree(place(of), to);
    await place(of).rename(from.path, to, from.kind);
    options.moved(place(of), from.path, to);
    await refresh(of, ROOT);
  }

  /** Copies an entry of one tree into the other. */
  async function carry(from: Place, entry: Pick<Entry, "path" | "kind" | "size">, of: Side, target: string): Promise<void> {
    const files = entry.kind === "file" ? [entry] : await from.walk(entry.path);
    const sources = files.map(({ path, size }): Source => ({
      path: path.slice(parentOf(entry.path).length).replace(/^\//, ""),
      size,
      read: (watch) => from.read(path, watch),
    }));
    await copy(of, target, sources);
  }

  async function bring(of: Side, target: string, incoming: Incoming[]): Promise<void> {
    const sources = incoming.map(({ path, file }): Source => ({
      path,
      size: file.size,
      read: async () => new Uint8Array(await file.arrayBuffer()),
    }));
    await copy(of, target, sources);
  }

  async function copy(of: Side, target: string, sources: Source[]): Promise<void> {
    if (sources.length === 0) return;
    const to = place(of);
    if (!(await mayReplace(to, target, sources))) return;
    const whole = await transfers.run(of === "board" ? texts.uploading : texts.copying, (report, signal) => copyInto(to, target, sources, report, signal));
    await refresh(of, target);
    const what = sources.length === 1 ? nameOf(`/${sources[0]!.path}`) : counted(texts.count, sources.length);
    options.say(whole ? texts.copied(what, target) : texts.copyCancelled(what));
    for (const { path } of sources) options.moved(to, join(target, path), join(target, path));
  }

  /** What is there already is replaced only when the person says so. */
  async function mayReplace(to: Place, target: string, sources: Source[]): Promise<boolean> {
    const names = new Set((await to.list(target)).map(({ name }) => name));
    const there = [...new Set(sources.map(({ path }) => path.split("/")[0]!))].filter((name) => names.has(name));
    if (there.length === 0) return true;
    const list = there.length > 3 ? texts.andMore(there.slice(0, 3).join(", "), there.length - 3) : there.join(", ");
    return askWhether(texts.replaceAsked, texts.replaceExplained(list, target), texts.replace);
  }

  function changed(where: Place, path: string): void {
    const of = where.kind;
    if (places.get(of) === where && trees[of].isShown(parentOf(path))) void attempt(() => refresh(of, parentOf(path)));
  }

  return {
    useBoard,
    changed,
    find: () => search.toggle(true),
    showMounted: (folder, canMount) => mountButton.show(folder, canMount),
    get folder() {
      return opened;
    },
  };
}
