/** The plotter above the terminal: opened on request, and fed by the board in front. */

import type { Board } from "../../boards/boards.ts";
import { element, onPress } from "../../ui/dom.ts";
import type { Plotter } from "./plotter.ts";

export interface Plot {
  feed(board: Board, data: Uint8Array | string): void;
  clear(): void;
}

export function makePlot(front: () => Board): Plot {
  let plotter: Promise<Plotter> | undefined;
  /** Board whose numbers are drawn. */
  let drawn: Board | undefined;
  onPress("plot-toggle", toggle);

  function toggle(): void {
    const place = element("plot");
    place.hidden = !place.hidden;
    element("plot-toggle").ariaExpanded = String(!place.hidden);
    if (!place.hidden) plotter ??= import("./plotter.ts").then(({ openPlotter }) => openPlotter(place));
  }

  function feed(board: Board, data: Uint8Array | string): void {
    if (!plotter || element("plot").hidden || board !== front()) return;
    const isOther = drawn !== board;
    drawn = board;
    void plotter.then((opened) => {
      if (isOther) opened.clear();
      opened.feed(data);
    });
  }

  return { feed, clear: () => void plotter?.then((opened) => opened.clear()) };
}
