/** Packages for the board in front: found in the index or by their address, and installed with what they depend on. */

import { addressWith } from "../address.ts";
import type { Board } from "../boards.ts";
import { showDialog } from "../dialog.ts";
import { make } from "../dom.ts";
import { noticesIn } from "../tools/notices.ts";
import html from "./dialog.html?raw";
import "./dialog.css";
import { type Fetcher, makeFetcher } from "./fetch.ts";
import { isAddress, type Listed, listPackages, search } from "./index.ts";
import { type Home, homeOf, install } from "./install.ts";
import { requestOf } from "./source.ts";

export interface PackagesOptions {
  /** What a link asks for: shown, and installed when the person says so. */
  wanted: string | undefined;
  /** Is told of files that were written. */
  changed: (paths: readonly string[]) => void;
}

export function openPackages(board: Board, { wanted, changed }: PackagesOptions): void {
  const content = make("div", "", "content");
  content.innerHTML = html;
  const find = <T extends HTMLElement = HTMLElement>(selector: string) => content.querySelector<T>(selector)!;
  const { attempt, say } = noticesIn(content);
  const field = find<HTMLInputElement>("[name=wanted]");
  const target = find<HTMLInputElement>("[name=target]");
  const title = wanted === undefined ? `Packages for ${board.session.boardName}` : `A link asks to install ${wanted}`;
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

  /** The board and the index at once: neither waits for the other. */
  async function ask(): Promise<void> {
    find(".found").textContent = "Asking the index and the board…";
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
    const found = isAddress(text) ? [{ name: text, version: "", description: "What is at this address." }] : text === "" ? [] : withOthers(search(packages, text), text);
    find(".found").textContent = saying(text, found.length);
    find(".packages-list").replaceChildren(...found.slice(0, MOST_SHOWN).map(item));
  }

  function saying(text: string, found: number): string {
    if (text === "") return packages.length === 0 ? "" : `${packages.length} packages: write what you look for.`;
    if (found > MOST_SHOWN) return `${found} packages, of which these are the first ${MOST_SHOWN}.`;
    return found === 0 ? "No package is called so. Try a part of its name, or its address." : `${found === 1 ? "1 package" : `${found} packages`}.`;
  }

  function item({ name, version, description }: Listed): HTMLElement {
    const row = make("li");
    const what = make("div", "", "what");
    what.append(make("strong", name), make("span", version, "version"), make("p", description));
    const link = make("button", "Link", "quiet");
    link.title = "Copy a link to this page that offers to install it";
    link.ariaLabel = `Copy a link that installs ${name}`;
    const put = make("button", "Install");
    put.ariaLabel = `Install ${name}`;
    for (const button of [link, put]) button.type = "button";
    link.addEventListener("click", () => void attempt(() => copyLink(name)));
    put.addEventListener("click", () => void attempt(() => bring(name)));
    row.append(what, link, put);
    return row;
  }

  async function bring(request: string): Promise<void> {
    if (isBusy) throw new Error("Another package is being installed: wait for it.");
    isBusy = true;
    try {
      const { fetch } = await (fetcher ??= makeFetcher());
      const told = await whereItLives();
      const { written, unchanged } = await install(board, { request, target: target.value, compiled: find<HTMLInputElement>("[name=compiled]").checked }, told, fetch, say);
      say(written.length === 0 ? `${request} is there already: ${files(unchanged.length)} unchanged.` : `${request} is installed in ${target.value}: ${files(written.length)} written${unchanged.length > 0 ? `, ${unchanged.length} unchanged` : ""}.`);
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
    await navigator.clipboard.writeText(link).catch(() => Promise.reject(new Error(`The browser does not let the page copy. The link is ${link}`)));
    say("The link is copied. Whoever opens it is asked before anything is installed.");
  }
}

/** A name with a version, or one that the index does not list, may be there all the same. */
function withOthers(found: Listed[], text: string): Listed[] {
  if (found.some(({ name }) => name === text)) return found;
  try {
    requestOf(text);
  } catch {
    return found;
  }
  return text.includes("@") || found.length === 0 ? [{ name: text, version: "", description: "If the index has it." }, ...found] : found;
}

function files(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}

const MOST_SHOWN = 50;
