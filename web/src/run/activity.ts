/** Tracks recent activity of the user, who must not lose the focus while at work. */

export class Activity {
  isSeen = false;

  constructor() {
    for (const type of ["keydown", "pointerdown"]) addEventListener(type, () => (this.isSeen = true), { capture: true });
  }

  /** Starts tracking. */
  begin(): void {
    this.isSeen = false;
  }
}
