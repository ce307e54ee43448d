import type { Texts } from "../index.ts";

export const common: Texts["common"] = {
  cancel: "Cancelar",
  close: "Cerrar",
  dismiss: "Descartar",
  whatToDo: "Qué hacer",
  theAddress: "La dirección",
  transfer: "Transferencia",
  anotherTransfer: "Hay otra transferencia en marcha: espérala o cancélala.",
  signOfSilence: "Nada ha respondido",
  signOfNoRoom: "no tiene sitio",
};
