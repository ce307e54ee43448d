// Worker of a board without a frame: a module, which imports MicroPython's.

import { serve } from "./serve.js";

serve(async (script) => (await import(/* @vite-ignore */ script)).loadMicroPython);
