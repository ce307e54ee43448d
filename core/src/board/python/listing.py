import os
def _h(n):return ''.join('%02x'%b for b in bytes(n,'utf8'))
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
def _e(p,n,q):
 s=os.stat(p)
 d=s[0]&16384
 print('d' if d else 'f',0 if d else s[6],s[8] if len(s)>8 else 0,_x(p) if q and not d else '-',_h(n))
 return d
def _j(p,n):return n if not p else (p if p[-1]=='/' else p+'/')+n
def _t():
 try:
  import time
  print('epoch',time.gmtime(0)[0])
 except:print('epoch',0)
def _w(p,r,q):
 _t()
 a=['']
 while a:
  b=a.pop()
  c=_j(p,b) if b else p
  for x in os.ilistdir(c) if c else os.ilistdir():
   n=x[0]
   if n in('.','..'):continue
   f=_j(b,n)
   if _e(_j(c,n),f,q) and r:a.append(f)
