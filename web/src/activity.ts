/** Whether the person has done anything lately: whoever is at work is not to lose the focus. */

export class Activity {
  isSeen = false;

  constructor() {
    for (const type of ["keydown", "pointerdown"]) addEventListener(type, () => (this.isSeen = true), { capture: true });
  }

  /** From now on. */
  begin(): void {
    this.isSeen = false;
  }
}
