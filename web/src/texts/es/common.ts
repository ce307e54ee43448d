import type { Texts } from "../index.ts";

export const common: Texts["common"] = {
  cancel: "Cancelar",
  close: "Cerrar",
  dismiss: "Descartar",
  newVersion: "Hay una versión nueva de esta página. Lo no guardado se conserva.",
  partsGone: "Esta página se actualizó desde que se abrió y falta una parte. Lo no guardado se conserva.",
  reload: "Recargar para actualizar",
  whatToDo: "Qué hacer",
  theAddress: "La dirección",
  transfer: "Transferencia",
  anotherTransfer: "Hay otra transferencia en marcha: espérala o cancélala.",
  signOfSilence: "Nada ha respondido",
  signOfNoRoom: "no tiene sitio",
};
