import type { Texts } from "../index.ts";

export const common: Texts["common"] = {
  cancel: "Abbrechen",
  close: "Schließen",
  dismiss: "Ausblenden",
  whatToDo: "Was tun?",
  theAddress: "Die Adresse",
  transfer: "Übertragung",
  anotherTransfer: "Eine andere Übertragung läuft: auf sie warten oder sie abbrechen.",
  signOfSilence: "Nichts hat geantwortet",
  signOfNoRoom: "hat keinen Platz",
};
