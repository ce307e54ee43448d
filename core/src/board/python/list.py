import os
try:
 import time
 y=time.gmtime(0)[0]
except:y=0
_say('epoch %d'%y)
for x in os.ilistdir(_path) if _path else os.ilistdir():
 n=x[0]
 if n in('.','..'):continue
 s=os.stat((_path.rstrip('/')+'/' if _path else '')+n)
 d=s[0]&16384
 _say('%s %d %d - %s'%('d' if d else 'f',0 if d else s[6],s[8] if len(s)>8 else 0,''.join('%02x'%b for b in bytes(n,'utf8'))))
