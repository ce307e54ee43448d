import os
for _i in range(1,len(_path)):
 if _path[_i]=='/':
  try:os.mkdir(_path[:_i])
  except OSError:pass
try:os.mkdir(_path)
except OSError:
 if not os.stat(_path)[0]&16384:raise
