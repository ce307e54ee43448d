import os
try:os.mkdir(_path)
except OSError:
 if not os.stat(_path)[0]&16384:raise
