def _x(p):
 import hashlib
 x=hashlib.sha256()
 b=bytearray(1024)
 m=memoryview(b)
 with open(p,'rb') as f:
  while 1:
   n=f.readinto(b)
   if not n:break
   x.update(m[:n])
 return ''.join('%02x'%b for b in x.digest())
