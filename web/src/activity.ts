/** Tracks recent activity of the person: someone at work must not lose the focus. */

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
