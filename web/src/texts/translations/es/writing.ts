import type { Texts } from "../../index.ts";

export const writing: Texts["writing"] = {
  absent: "Esta copia de la página viene sin comprobaciones ni sugerencias: el paquete de Python las deja fuera para ser pequeño. El comando las tiene donde está instalado por separado.",
  offline: "No se pudieron cargar las comprobaciones y las sugerencias: este navegador aún no las ha guardado, y no se llega al servidor de la página. Todo lo demás sigue; se intentan otra vez cuando haya red.",
  changedMeanwhile: "El programa cambió mientras se le daba formato, y se queda como está. Dale formato otra vez.",
  notFormatted: (line, why) => `No se le da formato, porque aún no es Python: línea ${line}, ${why}.`,
  tooLong: (thousands) => `Los programas de más de ${thousands} mil letras ni se comprueban ni reciben formato.`,
  checksSilent: "Las comprobaciones no respondieron, y empiezan de nuevo con lo próximo que escribas.",
  checksNotStarted: "No se pudieron iniciar las comprobaciones; se intentan otra vez con lo próximo que escribas.",
  mend: "Arreglarlo",
};
