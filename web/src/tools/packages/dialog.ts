/** Packages for the board in front: found in the index or by their address, and installed with their dependencies. */

import { addressWith } from "../../ui/address.ts";
import type { Board } from "../../boards/boards.ts";
import { showDialog } from "../../ui/dialog.ts";
import { make } from "../../ui/dom.ts";
import { noticesIn } from "../notices.ts";
import { counted, filled, locale } from "../../texts/index.ts";
import { texts } from "../../texts/tools/packages.ts";
import html from "./dialog.html?raw";
import "./dialog.css";
import { type Fetcher, makeFetcher } from "./fetch.ts";
import { isAddress, type Listed, listPackages, search } from "./index.ts";
import { type Home, homeOf, install } from "./install.ts";
import { requestOf } from "./source.ts";

export interface PackagesOptions {
  /** Package requested by a link: shown, and installed if the user agrees. */
  wanted: string | undefined;
  /** Receives the paths of written files. */
  changed: (paths: readonly string[]) => void;
}

export function openPackages(board: Board, { wanted, changed }: PackagesOptions): void {
  const content = make("div", "", "content");
  content.innerHTML = filled(html, texts);
  const find = <T extends HTMLElement = HTMLElement>(selector: string) => content.querySelector<T>(selector)!;
  const { attempt, say } = noticesIn(content);
  const field = find<HTMLInputElement>("[name=wanted]");
  const target = find<HTMLInputElement>("[name=target]");
  const title = wanted === undefined ? texts.title({ board: board.session.boardName }) : texts.linkAsks({ name: wanted });
  field.value = wanted ?? "";
  let packages: readonly Listed[] = [];
  let home: Promise<Home> | undefined;
  let fetcher: Promise<Fetcher> | undefined;
  let isBusy = false;
  field.addEventListener("input", draw);
  content.addEventListener("keydown", (event) => event.key === "Enter" && event.target instanceof HTMLInputElement && event.preventDefault()); // It would close the dialog.
  void showDialog(title, content, "listing packages");
  draw();
  void attempt(ask);

  /** Queries the board and the index in parallel. */
  async function ask(): Promise<void> {
    find(".found").textContent = texts.asking;
    const asked = [whereItLives(), list()];
    await Promise.allSettled(asked);
    draw();
    await Promise.all(asked);
  }

  async function whereItLives(): Promise<Home> {
    const told = await (home ??= homeOf(board)).catch((error: unknown) => ((home = undefined), Promise.reject(error)));
    target.value ||= told.target;
    return told;
  }

  async function list(): Promise<void> {
    const { fetch, index } = await (fetcher ??= makeFetcher());
    packages = await listPackages({ fetch, index });
  }

  function draw(): void {
    const text = field.value.trim();
    const found = isAddress(text) ? [{ name: text, version: "", description: texts.atAddress }] : text === "" ? [] : withOthers(search(packages, text), text);
    find(".found").textContent = saying(text, found.length);
    find(".packages-list").replaceChildren(...found.slice(0, MOST_SHOWN).map(item));
  }

  function saying(text: string, found: number): string {
    if (text === "") return packages.length === 0 ? "" : texts.all({ count: packages.length.toLocaleString(locale) });
    if (found > MOST_SHOWN) return texts.firstOf({ count: found.toLocaleString(locale), shown: MOST_SHOWN });
    return found === 0 ? texts.none : counted(texts.found, found);
  }

  function item({ name, version, description }: Listed): HTMLElement {
    const row = make("li");
    const what = make("div", "", "what");
    what.append(make("strong", name), make("span", version, "version"), make("p", description));
    const link = make("button", texts.link, "quiet");
    link.title = texts.linkTitle;
    link.ariaLabel = texts.linkTo({ name });
    const put = make("button", texts.install);
    put.ariaLabel = texts.installNamed({ name });
    for (const button of [link, put]) button.type = "button";
    link.addEventListener("click", () => void attempt(() => copyLink(name)));
    put.addEventListener("click", () => void attempt(() => bring(name)));
    row.append(what, link, put);
    return row;
  }

  async function bring(request: string): Promise<void> {
    if (isBusy) throw new Error(texts.busy);
    isBusy = true;
    try {
      const { fetch } = await (fetcher ??= makeFetcher());
      const told = await whereItLives();
      const { written, unchanged } = await install(board, { request, target: target.value, compiled: find<HTMLInputElement>("[name=compiled]").checked }, told, fetch, say);
      say(whatBecame(request, target.value, written.length, unchanged.length));
      changed(written);
    } catch (error) {
      say("");
      throw error;
    } finally {
      isBusy = false;
    }
  }

  async function copyLink(name: string): Promise<void> {
    const link = addressWith({ install: name });
    await navigator.clipboard.writeText(link).catch(() => Promise.reject(new Error(texts.notCopied({ link }))));
    say(texts.linkCopied);
  }
}

/** Adds a name with a version, or one that the index does not list, which may exist all the same. */
function withOthers(found: Listed[], text: string): Listed[] {
  if (found.some(({ name }) => name === text)) return found;
  try {
    requestOf(text);
  } catch {
    return found;
  }
  return text.includes("@") || found.length === 0 ? [{ name: text, version: "", description: texts.ifListed }, ...found] : found;
}

function whatBecame(name: string, folder: string, written: number, unchanged: number): string {
  if (written === 0) return texts.isThere({ name, files: counted(texts.files, unchanged) });
  const files = counted(texts.files, written);
  return unchanged > 0 ? texts.isInstalledPartly({ name, folder, files, unchanged }) : texts.isInstalled({ name, folder, files });
}

const MOST_SHOWN = 50;
