import os
def _r(p):
 p=p or os.getcwd()
 if not os.stat(p)[0]&16384:return os.remove(p)
 a=[p]
 while a:
  c=a[-1]
  n=len(a)
  for x in os.ilistdir(c or '/'):
   if x[0] in('.','..'):continue
   f=c.rstrip('/')+'/'+x[0]
   if x[1]==16384:a.append(f)
   else:os.remove(f)
  if n==len(a):
   a.pop()
   if c.strip('/')and c!=os.getcwd():os.rmdir(c)
_r(_path)
