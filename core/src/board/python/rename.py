import os
try:os.rename(_part,_path)
except OSError:
 os.remove(_path)
 os.rename(_part,_path)
del _f
