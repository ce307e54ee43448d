/** Brightness of an LED at a pin, and its name. */

import { texts } from "../../texts/pins.ts";

export interface Light {
  /** Brightness from 0 to 1. */
  share: number;
  said: string;
}

/** Parses the value of `out:` or `pwm:`. */
export function lightOf(value: string): Light {
  const [duty, hertz] = value.split(",");
  if (hertz === undefined) return { share: Number(duty), said: duty === "1" ? texts.on : texts.off };
  const share = Number(duty) / 65535;
  const percent = String(Math.round(100 * share));
  return { share, said: hertz === "0" ? texts.percent({ percent }) : texts.bright({ percent, hertz }) };
}
