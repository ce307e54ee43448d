import os
try:os.rename(_part,_path)
except OSError:
 if os.stat(_path)[0]&16384:raise OSError(21)
 os.remove(_path)
 try:os.rename(_part,_path)
 except OSError:raise ValueError('kept '+_part)
