/**
 * Language of the page: the one in the settings, or else the browser's first one that the page supports. The texts are in
 * `languages`, one file per part of the page and language. English ones are loaded with their part; other languages
 * completely, before the first text is shown, and only when they are used. A text without its arguments fails `tsc`; a
 * language that lacks a text, or has other placeholders than English, fails `texts.js` (web/README.md).
 *
 * Errors of the Rust core and of the package `flylead` stay English, as do the guide, the examples' programs, and the
 * messages of Ruff and basedpyright about a program: they are the same on the command line, in logs and in web
 * searches.
 */

import { settings } from "../storage/settings.ts";
import type { English } from "./english.d.ts";

/** Languages by their own names. */
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español" } as const;

export type Language = keyof typeof LANGUAGES;

/** Texts of a part: those with placeholders are functions that fill them, such as `texts.at({ host: "pico.local" })`. */
type Spoken<Text> = Text extends string
  ? Text extends `${string}{${string}`
    ? (given: Record<Placeholder<Text>, string | number>) => string
    : string
  : { [Name in keyof Text]: Spoken<Text[Name]> };
type Placeholder<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholder<Rest> : never;

/** Plural forms, as `Intl.PluralRules` names them: `#` stands for the number. */
export type Forms = { readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** Loads a language's texts, by part. */
type Load = () => Promise<{ [Part in keyof English]: object } & { page: Record<string, string> }>;

const TRANSLATIONS: Record<Exclude<Language, "en">, Load> = {
  de: () => import("./languages/de/index.ts"),
  es: () => import("./languages/es/index.ts"),
};

export const language: Language = chosen();
/** Locale of numbers, dates and times: the browser's preference for this language. */
export const locale: string = navigator.languages.find((one) => languageOf(one) === language) ?? language;

const plural = new Intl.PluralRules(locale);
let translation: Awaited<ReturnType<Load>> | undefined;
/** Resolves once the page's language is loaded: no module with texts may be imported before (main.ts). */
export const isThere: Promise<void> = language === "en" ? Promise.resolve() : translate(language);

/** Returns the texts of a part in the page's language. */
export function spoken<Part extends keyof English>(part: Part, english: object): Spoken<English[Part]> {
  return callable(translation?.[part] ?? english) as Spoken<English[Part]>;
}

function callable(texts: object): object {
  const entries = Object.entries(texts as Record<string, string | object>);
  return Object.fromEntries(entries.map(([name, text]) => [name, typeof text === "object" ? callable(text) : text.includes("{") ? filler(text) : text]));
}

function filler(text: string) {
  return (given: Record<string, string | number>) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(given[name]));
}

/** Formats a number of things in words. */
export function counted(forms: Forms, count: number): string {
  return (forms[plural.select(count)] ?? forms.other).replace("#", count.toLocaleString(locale));
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
  const loaded = Promise.all([TRANSLATIONS[wanted](), import("./translate.ts")]);
  await loaded.then(([texts, { translatePage }]) => (translatePage(texts.page, wanted), (translation = texts)), () => undefined);
}
