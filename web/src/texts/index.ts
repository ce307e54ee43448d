/**
 * The language that the page speaks: the one of the settings, or else the browser's first one that the page knows. English texts
 * are beside this file, one file a part of the page, and come with that part; the other languages have the same files in folders of
 * their own, and come whole, before the first text is shown, to who wants them alone. A text that a language lacks fails `tsc`.
 *
 * What the Rust core and the package `flylead` say of errors stays English, as do the guide, the examples' programs, and what Ruff
 * and basedpyright say of a program: they are the same in the command, in logs and in what people search for.
 */

import { settings } from "../settings.ts";

/** Each is called as its speakers call it. */
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español" } as const;

export type Language = keyof typeof LANGUAGES;

/** All texts of the page, by its parts. */
export interface Texts {
  page: typeof import("./page.ts").english;
  common: typeof import("./common.ts").english;
  board: typeof import("./board.ts").english;
  program: typeof import("./program.ts").english;
  files: typeof import("./files.ts").english;
  agent: typeof import("./agent.ts").english;
  zylisp: typeof import("./zylisp.ts").english;
  experiments: typeof import("./experiments.ts").english;
  pins: typeof import("./pins.ts").english;
  plot: typeof import("./plot.ts").english;
  packages: typeof import("./packages.ts").english;
  device: typeof import("./device.ts").english;
  debug: typeof import("./debug.ts").english;
  editor: typeof import("./editor.ts").english;
  writing: typeof import("./writing.ts").english;
  dialogs: typeof import("./dialogs.ts").english;
}

/**
 * Plural forms: `#` stands for the number. English, German and Spanish have one form for 1 and one
 * for the rest that is counted here.
 */
export interface Forms {
  one: string;
  other: string;
}

export const language: Language = chosen();
/** Locale of numbers, dates and times: the browser's preference for this language. */
export const locale: string = navigator.languages.find((one) => languageOf(one) === language) ?? language;

const plural = new Intl.PluralRules(locale);
let translation: Texts | undefined;
/** Resolves when the page's language is there: nothing that has a text may be imported before (main.ts). */
export const isThere: Promise<void> = language === "en" ? Promise.resolve() : translate(language);

/** The texts of a part in the page's language. */
export function spoken<Part extends keyof Texts>(part: Part, english: Texts[Part]): Texts[Part] {
  return translation?.[part] ?? english;
}

/** A number of things in words. */
export function counted({ one, other }: Forms, count: number): string {
  return (plural.select(count) === "one" ? one : other).replace("#", count.toLocaleString(locale));
}

/** A number with so many digits behind its point. */
export function decimal(value: number, digits: number): string {
  return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** HTML of a panel, with the texts in place of their names: `{{name}}`. */
export function filled(html: string, texts: object): string {
  return html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const text = (texts as Record<string, unknown>)[name];
    if (typeof text !== "string") throw new Error(`there is no text ${name}`);
    return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  });
}

function chosen(): Language {
  const wanted = settings().language;
  return wanted === "auto" ? (navigator.languages.map(languageOf).find((one) => one !== undefined) ?? "en") : wanted;
}

function languageOf(tag: string): Language | undefined {
  return Object.keys(LANGUAGES).find((one) => tag.toLowerCase().split("-")[0] === one) as Language | undefined;
}

/** A page that cannot load a language stays English. */
async function translate(wanted: Exclude<Language, "en">): Promise<void> {
  const loaded = Promise.all([wanted === "de" ? import("./de/index.ts") : import("./es/index.ts"), import("./translate.ts")]);
  await loaded.then(([{ texts }, { translatePage }]) => (translatePage(texts.page, wanted), (translation = texts)), () => undefined);
}
