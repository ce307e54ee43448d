// Worker of a board in a frame: a classic script behind MicroPython's (`classic.js`), because nothing can be imported
// there.

import { serve } from "./serve.js";

serve(() => self.loadMicroPython);
