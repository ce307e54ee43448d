import type { Texts } from "../../index.ts";

export const common: Texts["common"] = {
  cancel: "Cancelar",
  close: "Cerrar",
  dismiss: "Descartar",
  newVersion: "Hay una versión nueva de esta página. Lo no guardado se conserva.",
  partsGone: "No se pudo cargar una parte de esta página: se ha actualizado entretanto, o no se llega a su servidor. Lo no guardado se conserva.",
  reload: "Recargar para actualizar",
  whatToDo: "Qué hacer",
  tooDeep: "El programa está anidado demasiado hondo para esta página. Divide su expresión más larga",
  theAddress: "La dirección",
  transfer: "Transferencia",
  anotherTransfer: "Hay otra transferencia en marcha: espérala o cancélala.",
  signOfSilence: "Nada ha respondido",
  signOfNoRoom: "no tiene sitio",
};
