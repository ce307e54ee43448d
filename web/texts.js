/**
 * Checks the texts of the page in all languages, and writes the types of the English ones, from which `tsc` knows the
 * texts and their placeholders: `node texts.js`.
 */

import { readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const LANGUAGES = new URL("src/texts/languages/", import.meta.url);
const TYPES = new URL("src/texts/english.d.ts", import.meta.url);

/** Returns the languages that have texts, such as `de`. */
export function languages() {
  return readdirSync(LANGUAGES).sort();
}

/** Returns the texts of a language by the parts of the page: `{ files: { newFile: "…" } }`. */
export function textsIn(language) {
  const folder = new URL(`${language}/`, LANGUAGES);
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".json"));
  return Object.fromEntries(files.sort().map((name) => [basename(name, ".json"), read(new URL(name, folder))]));
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`cannot read ${fileURLToPath(file)}: ${error.message}`);
  }
}

/**
 * Returns the faults of a language's texts: texts that are missing or that English does not have, placeholders that
 * differ from those of English, and wrong plural forms.
 */
export function faults(language, texts, english) {
  const [found, wanted] = [flat(texts), flat(english)];
  const names = [...new Set([...wanted.keys(), ...found.keys()])];
  return names.flatMap((name) => [...faultsOf(found.get(name), wanted.get(name), language)].map((fault) => `${language}: ${name} ${fault}`));
}

/** Returns the texts by their full names, such as `board.at`; plural forms are one text. */
function flat(texts, prefix = "") {
  const entries = Object.entries(texts).map(([name, text]) => [prefix + name, text]);
  return new Map(entries.flatMap(([name, text]) => (typeof text === "string" || isPlural(text) ? [[name, text]] : [...flat(text, `${name}.`)])));
}

function isPlural(text) {
  return typeof text === "object" && "other" in text;
}

function* faultsOf(text, english, language) {
  if (english === undefined) return yield "is not an English text";
  if (text === undefined || text === "") return yield "is missing";
  if (isPlural(english)) return yield* isPlural(text) ? faultsOfForms(text, language) : ["has no plural forms"];
  if (isPlural(text)) return yield "has plural forms, and English has none";
  const [found, wanted] = [text, english].map(placeholdersOf);
  if (found !== wanted) yield `has the placeholders ${found || "none"}, and English has ${wanted || "none"}`;
  if (/[{}]/.test(text.replace(PLACEHOLDER, ""))) yield "has a brace that is not part of a placeholder";
}

/** Placeholders of the page, such as `{name}`, and CodeMirror's. */
const PLACEHOLDER = /\{\w+\}|\$/g;

function placeholdersOf(text) {
  return (text.match(PLACEHOLDER) ?? []).sort().join(" ");
}

/** Forms that only large numbers or fractions take, such as `many` in Spanish, are optional. */
function* faultsOfForms(forms, language) {
  const plural = new Intl.PluralRules(language);
  const needed = new Set(["other", ...Array.from({ length: 101 }, (_, count) => plural.select(count))]);
  for (const form of needed) if (!forms[form]) yield `lacks the plural form ${form}`;
  for (const [form, text] of Object.entries(forms)) {
    if (!plural.resolvedOptions().pluralCategories.includes(form)) yield `has the plural form ${form}, which is not one of the language`;
    if (text.split("#").length !== 2 || /[{}]/.test(text)) yield `needs one # and no placeholder in the plural form ${form}`;
  }
}

/** Writes the types, and prints the faults of all languages. */
function check() {
  const english = textsIn("en");
  writeFileSync(TYPES, `/** English texts of the page, by part; written by web/texts.js. */\nexport interface English ${JSON.stringify(english, null, 2)}\n`);
  const found = languages().flatMap((language) => faults(language, textsIn(language), english));
  for (const fault of found) console.error(fault);
  process.exitCode = found.length > 0 ? 1 : 0;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) check();
