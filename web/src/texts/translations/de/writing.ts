import type { Texts } from "../../index.ts";

export const writing: Texts["writing"] = {
  absent: "Diese Kopie der Seite kommt ohne Prüfungen und Vervollständigung: das Python-Paket lässt sie weg, um klein zu bleiben. Der Befehl hat sie, wo er für sich installiert ist.",
  offline: "Prüfungen und Vervollständigung waren nicht zu laden: dieser Browser hat sie noch nicht behalten, und der Server der Seite ist nicht zu erreichen. Alles andere geht weiter; sie werden wieder versucht, wenn ein Netzwerk da ist.",
  changedMeanwhile: "Das Programm wurde geändert, während es formatiert wurde, und bleibt, wie es ist. Noch einmal formatieren.",
  notFormatted: (line, why) => `Das wird nicht formatiert, denn es ist noch kein Python: Zeile ${line}, ${why}.`,
  tooLong: (thousands) => `Programme mit mehr als ${thousands} Tausend Zeichen werden weder geprüft noch formatiert.`,
  checksSilent: "Die Prüfungen haben nicht geantwortet und beginnen neu mit dem, was als Nächstes geschrieben wird.",
  checksNotStarted: "Die Prüfungen waren nicht zu starten; sie werden mit dem, was als Nächstes geschrieben wird, wieder versucht.",
  mend: "Beheben",
};
