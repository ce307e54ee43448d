/** Texts of the agent's panel; the messages to the LLM come from the package, and are in English. */

import { spoken } from "../index.ts";
import english from "../languages/en/tools/agent.json";

export const texts = spoken("agent", english);
