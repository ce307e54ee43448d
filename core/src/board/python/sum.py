def _s(p):
 c=0
 with open(p,'rb') as f:
  while 1:
   d=f.read(128)
   if not d:return c
   for b in d:c=(c*31+b)&16777215
   print(end=' ')
def _h(p):
 x=hashlib.sha256()
 with open(p,'rb') as f:
  while 1:
   d=f.read(512)
   if not d:break
   x.update(d)
   print(end=' ')
 return ''.join('%02x'%b for b in x.digest())
