import os
for _i in range(1,len(_path)):
 if _path[_i]=='/':
  try:os.mkdir(_path[:_i])
  except OSError:pass
