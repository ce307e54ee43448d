import os
_b=bytearray(512)
_m=memoryview(_b)
def _a(s,f):
 with open(s,'rb') as s:
  while 1:
   n=s.readinto(_b)
   if not n:break
   if f.write(_m[:n])!=n:raise OSError(28)
def _n():
 try:old=os.stat(_path)[6]
 except OSError:old=0
 new=os.stat(_tail)[6]
 try:
  s=os.statvfs(_tail)
  room=s[1]*s[4]
 except Exception:room=old+new
 if room<new:raise OSError(28)
 if old>65535 or room<old+new:
  with open(_path,'ab') as f:_a(_tail,f)
  return
 part=_part
 try:
  with open(part,'wb') as f:
   if old:_a(_path,f)
   _a(_tail,f)
  try:os.rename(part,_path)
  except OSError:
   os.remove(_path)
   part=None
   try:os.rename(_part,_path)
   except OSError:raise ValueError('kept '+_part)
 except Exception:
  if part:
   try:os.remove(part)
   except OSError:pass
  raise
try:_n()
finally:os.remove(_tail)
