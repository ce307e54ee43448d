import os
try:os.rename(part,path)
except OSError:
 os.remove(path)
 os.rename(part,path)
del _f
