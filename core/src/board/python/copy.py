import os
def _c(a,b):
 with open(a,'rb') as s:
  with open(b,'wb') as f:
   while 1:
    d=s.read(64)
    if not d:break
    f.write(d)
 os.remove(a)
