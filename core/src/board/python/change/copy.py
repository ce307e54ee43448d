import os
with open(_part,'rb') as _s:
 with open(_path,'wb') as _f:
  while 1:
   _d=_s.read(64)
   if not _d:break
   _f.write(_d)
os.remove(_part)
