/** Texts about boards: their connections, their activity, the ends of programs. */

import { spoken } from "./index.ts";
import english from "./languages/en/board.json";

export const texts = spoken("board", english);
