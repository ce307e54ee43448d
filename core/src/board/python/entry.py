import os
def _h(n):return ''.join('%02x'%b for b in bytes(n,'utf8'))
def _e(p,n,q):
 s=os.stat(p)
 d=s[0]&16384
 _say('%s %d %d %s %s'%('d' if d else 'f',0 if d else s[6],s[8] if len(s)>8 else 0,_x(p) if q and not d else '-',_h(n)))
 return d
def _t():
 try:
  import time
  y=time.gmtime(0)[0]
 except:y=0
 _say('epoch %d'%y)
