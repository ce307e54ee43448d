/** The rule for texts in all languages, which every build of the page checks (web/texts.js). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { faults, languages, textsIn } from "../../web/texts.js";

const ENGLISH = { board: { title: "Board", at: "Board at {host}, port {port}", reasons: { step: "Stopped" }, files: { one: "# file", other: "# files" } } };
const GERMAN = { title: "Board", at: "Board an Port {port} von {host}", reasons: { step: "Angehalten" }, files: { one: "# Datei", other: "# Dateien" } };
const POLISH = { one: "# plik", few: "# pliki", many: "# plików", other: "# pliku" };

for (const language of languages()) {
  test(`each text is there, with the placeholders of English and the plural forms of the language: ${language}`, () => {
    assert.deepEqual(faults(language, textsIn(language), textsIn("en")), []);
  });
}

test("a text that is missing, empty, or not an English one is named", () => {
  const { title, ...others } = GERMAN;
  assert.deepEqual(inGerman(GERMAN), []);
  assert.deepEqual(inGerman(others), ["de: board.title is missing"]);
  assert.deepEqual(inGerman({ ...GERMAN, title: "" }), ["de: board.title is missing"]);
  assert.deepEqual(inGerman({ ...GERMAN, reasons: {} }), ["de: board.reasons.step is missing"]);
  assert.deepEqual(inGerman({ ...GERMAN, unknown: title }), ["de: board.unknown is not an English text"]);
});

test("other placeholders than those of English are named", () => {
  const at = (text) => inGerman({ ...GERMAN, at: text });
  assert.deepEqual(at("Board an {host}"), ["de: board.at has the placeholders {host}, and English has {host} {port}"]);
  assert.deepEqual(at("Board an Port {port} von {rechner}"), ["de: board.at has the placeholders {port} {rechner}, and English has {host} {port}"]);
  assert.deepEqual(at("Board an {{port} von {host}"), ["de: board.at has a brace that is not part of a placeholder"]);
  assert.deepEqual(inGerman({ ...GERMAN, title: "Board {host}" }), ["de: board.title has the placeholders {host}, and English has none"]);
});

test("plural forms are those of the language, each with the number", () => {
  const german = (files) => inGerman({ ...GERMAN, files });
  assert.deepEqual(german("# Dateien"), ["de: board.files has no plural forms"]);
  assert.deepEqual(german({ other: "# Dateien" }), ["de: board.files lacks the plural form one"]);
  assert.deepEqual(german({ ...GERMAN.files, one: "eine Datei" }), ["de: board.files needs one # and no placeholder in the plural form one"]);
  assert.deepEqual(german({ ...GERMAN.files, few: "# Dateien" }), ["de: board.files has the plural form few, which is not one of the language"]);
  assert.deepEqual(inGerman({ ...GERMAN, title: GERMAN.files }), ["de: board.title has plural forms, and English has none"]);
  const polish = (files) => faults("pl", { board: { ...GERMAN, files } }, ENGLISH);
  assert.deepEqual(polish(POLISH), []);
  assert.deepEqual(polish(GERMAN.files), ["pl: board.files lacks the plural form many", "pl: board.files lacks the plural form few"]);
});

function inGerman(board) {
  return faults("de", { board }, ENGLISH);
}
