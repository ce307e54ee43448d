/**
 * Language of the page: the one in the settings, or else the browser's first one that the page supports. English texts
 * are beside this file, in one file per part of the page, and are loaded with that part; other languages have the same
 * files in a folder of `translations`, and are loaded completely, before the first text is shown, and only when they are
 * used. A text that a language lacks fails `tsc`.
 *
 * Errors of the Rust core and of the package `flylead` stay English, as do the guide, the examples' programs, and the
 * messages of Ruff and basedpyright about a program: they are the same on the command line, in logs and in web
 * searches.
 */

import { settings } from "../storage/settings.ts";

/** Languages by their own names. */
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español" } as const;

export type Language = keyof typeof LANGUAGES;

/** All texts of the page, by part. */
export interface Texts {
  page: typeof import("./page.ts").english;
  common: typeof import("./common.ts").english;
  board: typeof import("./board.ts").english;
  program: typeof import("./program.ts").english;
  files: typeof import("./tools/files.ts").english;
  agent: typeof import("./tools/agent.ts").english;
  zylisp: typeof import("./tools/zylisp.ts").english;
  experiments: typeof import("./tools/experiments.ts").english;
  pins: typeof import("./pins.ts").english;
  plot: typeof import("./plot.ts").english;
  packages: typeof import("./tools/packages.ts").english;
  device: typeof import("./tools/device.ts").english;
  flash: typeof import("./tools/flash.ts").english;
  debug: typeof import("./tools/debug.ts").english;
  editor: typeof import("./editor.ts").english;
  writing: typeof import("./writing.ts").english;
  dialogs: typeof import("./dialogs.ts").english;
}

/**
 * Plural forms: `#` stands for the number. For counts, English, German and Spanish have one form for 1 and one for the
 * rest.
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
/** Resolves once the page's language is loaded: no module with texts may be imported before (main.ts). */
export const isThere: Promise<void> = language === "en" ? Promise.resolve() : translate(language);

/** Returns the texts of a part in the page's language. */
export function spoken<Part extends keyof Texts>(part: Part, english: Texts[Part]): Texts[Part] {
  return translation?.[part] ?? english;
}

/** Formats a number of things in words. */
export function counted({ one, other }: Forms, count: number): string {
  return (plural.select(count) === "one" ? one : other).replace("#", count.toLocaleString(locale));
}

/** Formats a number with this many decimal places. */
export function decimal(value: number, digits: number): string {
  return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Fills HTML of a panel with the texts in place of their names: `{{name}}`. */
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

/** Loads a language. A page that cannot load it stays English. */
async function translate(wanted: Exclude<Language, "en">): Promise<void> {
  const loaded = Promise.all([wanted === "de" ? import("./translations/de/index.ts") : import("./translations/es/index.ts"), import("./translate.ts")]);
  await loaded.then(([{ texts }, { translatePage }]) => (translatePage(texts.page, wanted), (translation = texts)), () => undefined);
}
