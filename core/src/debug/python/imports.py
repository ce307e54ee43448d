import os,io
class @V:
 def mount(s,r,m):pass
 def umount(s):pass
 def chdir(s,p):pass
 def getcwd(s):return'/'
 def ilistdir(s,p):return iter(())
 def stat(s,p):
  p=p.strip('/')
  for m in @N:
   if m==p:return(0x8000,)+(0,)*9
   if m.startswith(p+'/'):return(0x4000,)+(0,)*9
  raise OSError(2)
 def open(s,p,m):
  if'r'not in m:raise OSError(30)
  p=p.strip('/')
  if p not in @N:raise OSError(2)
  w=io.BytesIO()
  while 1:
   @R('m',p,w.tell());b=eval(@I())
   if not b:break
   w.write(b)
  w.seek(0)
  return w
class @O:
 pass
@o=@O()
@o.i=@i
def @U():
 try:os.umount('/@m')
 except OSError:pass
 while'/@m'in sys.path:sys.path.remove('/@m')
 sys.modules.pop('@i',0)
 for m in @N:sys.modules.pop(m[:-3].replace('/__init__','').replace('/','.'),0)
@U()
sys.modules['@i']=@o
os.mount(@V(),'/@m')
sys.path.insert(0,'/@m')
