import os
with open(part,'rb') as s:
 with open(path,'wb') as f:
  while 1:
   d=s.read(64)
   if not d:break
   f.write(d)
os.remove(part)
del _f
