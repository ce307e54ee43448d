import os
def _a(p,t):
 b=bytearray(512)
 m=memoryview(b)
 try:
  with open(t,'rb') as s:
   with open(p,'ab') as f:
    while 1:
     n=s.readinto(b)
     if not n:break
     f.write(m[:n])
 finally:os.remove(t)
