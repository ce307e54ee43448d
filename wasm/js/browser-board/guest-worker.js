// The worker of a board that is in a frame: a classic script behind MicroPython's (`classic.js`), for nothing can be imported there.

import { serve } from "./serve.js";

serve(() => self.loadMicroPython);
