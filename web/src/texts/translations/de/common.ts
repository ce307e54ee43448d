import type { Texts } from "../../index.ts";

export const common: Texts["common"] = {
  cancel: "Abbrechen",
  close: "Schließen",
  dismiss: "Ausblenden",
  newVersion: "Eine neue Version dieser Seite ist bereit. Nicht Gespeichertes bleibt erhalten.",
  partsGone: "Ein Teil dieser Seite ließ sich nicht laden: sie wurde inzwischen aktualisiert, oder ihr Server ist nicht erreichbar. Nicht Gespeichertes bleibt erhalten.",
  reload: "Zum Aktualisieren neu laden",
  whatToDo: "Was tun?",
  tooDeep: "Das Programm ist für diese Seite zu tief verschachtelt. Den längsten Ausdruck aufteilen",
  theAddress: "Die Adresse",
  transfer: "Übertragung",
  anotherTransfer: "Eine andere Übertragung läuft: auf sie warten oder sie abbrechen.",
  signOfSilence: "Nichts hat geantwortet",
  signOfNoRoom: "hat keinen Platz",
};
