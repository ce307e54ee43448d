import uos as os,uio as io,utime as time,ustruct as struct
try:from vfs import mount,umount
except ImportError:from os import mount,umount
try:import deflate
except ImportError:pass
try:from micropython import stack_use as use
except ImportError:use=None
one=bytearray(1)
head=bytearray(19)
seq=[0]
gift=[None]
bag=[]
dead=[0]
def now():return time.ticks_ms()
def may(c):out(memoryview(bytearray(7)),67,c)
def put(k,d):out(memoryview(bytearray(7)+d+bytes(4)),k,len(d))
def rd(v,z):
 a=c=0
 n=len(v)
 if n>len(room):
  c=len(room)
  may(c)
 while a<n:
  if not p.poll(z):raise OSError(110)
  a+=i.readinto(v[a:min(n,a+window)]) or 0
  if c and c<n and a>=c-window:
   c=min(c+window,n)
   may(c)
 return v
def answer(q,u):
 z=wait//4 if dead[0] else wait
 while 1:
  s=0
  while s<2:
   if not p.poll(z):return
   i.readinto(one)
   c=one[0]
   if c==(24,15)[s]:s+=1
   else:
    s=c==24
    if c and not s and len(u)<64:u.append(c)
  rd(memoryview(head),wait)
  h=str(head,'utf8')
  if sum(head[:17])&255!=int(h[17:],16):raise OSError(5)
  f=int(h[4:5],16)
  n=int(h[5:9],16)
  v=rd(memoryview(bytearray(n)) if n>len(room) else room[:n],wait)
  may(n+1)
  if int(h[:2],16)!=q:continue
  if crc32(v)!=int(h[9:17],16):return
  d=bytes(v).replace(b'\x1b2',b'\3').replace(b'\x1b1',b'\x1b')
  if f:d=deflate.DeflateIO(io.BytesIO(d),deflate.RAW,f).read()
  return int(h[2:4],16),d
def ask(op,*a):
 gift[0]=None
 if op in'wxmdD':bag.clear()
 q=seq[0]=seq[0]+1&255
 d=bytes([q,ord(op)])
 for x in a:
  if isinstance(x,int):d+=struct.pack('<I',x)
  else:
   if isinstance(x,str):x=bytes(x,'utf8')
   d+=struct.pack('<H',len(x))+x
 u=[]
 r=None
 try:
  for _ in range(1 if dead[0] else tries):
   put(81,d)
   try:r=answer(q,u)
   except Exception:dry()
   if r:break
 except KeyboardInterrupt:
  dry()
  may(0xffffff)
  raise
 dead[0]=not r
 if 3 in u:raise KeyboardInterrupt
 if u:put(66,bytes(u))
 if not r:
  may(0xffffff)
  raise OSError(110)
 if r[0]:raise OSError(r[0])
 return r[1]
def st(k,z,t):return(16384 if k==1 else 32768,0,0,0,0,0,z,t-epoch,t-epoch,t-epoch)
def rec(d,e,p):
 k,z,t,n=struct.unpack_from('<BIIB',d,e)
 e+=10
 g=None
 if n!=255:
  g=[p,0,None,None,None]
  if n:
   e+=n
   g[2]=p+str(d[e-n:e],'utf8')
   a,b,c=struct.unpack_from('<IIB',d,e)
   e+=9
   g[3]=st(2,a,b)
   if c:
    g[4]=d[e:e+a]
    e+=a
 return(k,z,t,g),e
def bring(d,e,x):
 m={}
 while e<len(d):
  n=e+1+d[e]
  p=str(d[e+1:n],'utf8')
  r,e=rec(d,n,p)
  m[p]=r,m[p][1]+1 if p in m else 1
 if m:
  t=now()
  bag.append([x,t,m,t])
  del bag[:-2]
def got(p,x):
 while bag and bag[-1][0]>=x:bag.pop()
 t=now()
 for b in bag:
  m=b[2]
  if p in m and time.ticks_diff(t,b[1])<1000 and(b[0]or time.ticks_diff(t,b[3])<50):
   b[3]=t
   r,n=m.pop(p)
   if n>1:m[p]=r,n-1
   return r
epoch=946684800 if time.gmtime(0)[0]==2000 else 0
class File(io.IOBase):
 def __init__(s,n,mode,z,d):
  s.n=n
  s.t='b' not in mode
  s.r=mode[0]=='r' or '+' in mode
  s.c=mode[0]!='r' or '+' in mode
  s.z=z
  s.a=mode[0]=='a'
  s.p=z if s.a else 0
  s.o=0
  s.b=d
  s.w=bytearray()
 def _b(s):
  if s.n is None or not s.r:raise OSError(9)
  s.flush()
  if not s.o<=s.p<s.o+len(s.b):
   s.b=ask('r',s.n,s.p,size)
   s.o=s.p
  return memoryview(s.b)[s.p-s.o:]
 def readinto(s,v):
  n=0
  while n<len(v):
   d=s._b()[:len(v)-n]
   if not len(d):break
   v[n:n+len(d)]=d
   n+=len(d)
   s.p+=len(d)
  return n
 def _r(s,n):
  r=bytearray()
  while n<0 or len(r)<n:
   d=s._b()
   if not len(d):break
   if n>=0:d=d[:n-len(r)]
   r+=d
   s.p+=len(d)
  return r
 def read(s,n=-1):
  r=s._r(-1 if n is None else n)
  if not s.t:return bytes(r)
  k=len(r)-1
  while k>0 and r[k]&192==128:k-=1
  if k>=0 and r[k]>191:r+=s._r((2 if r[k]<224 else 3 if r[k]<240 else 4)-len(r)+k)
  return str(r,'utf8')
 def readline(s,n=-1):
  r=bytearray()
  while n<0 or len(r)<n:
   d=bytes(s._b())
   if not d:break
   k=d.find(b'\n')+1 or len(d)
   if n>=0:k=min(k,n-len(r))
   r+=d[:k]
   s.p+=k
   if r[-1]==10:break
  return str(r,'utf8') if s.t else bytes(r)
 def readlines(s):return list(s)
 def __iter__(s):return s
 def __next__(s):
  r=s.readline()
  if r:return r
  raise StopIteration
 def write(s,d):
  if s.n is None or not s.c:raise OSError(9)
  n=len(d)
  if s.a and not s.w:s.p=s.z
  if isinstance(d,str):d=bytes(d,'utf8')
  d=memoryview(d)
  while len(d):
   k=d[:size-len(s.w)]
   s.w+=k
   d=d[len(k):]
   if len(s.w)>=size:s.flush()
  return n
 def flush(s):
  if s.w:
   d=s.w
   s.w=bytearray()
   ask('w',s.n,s.p,d)
   s.p+=len(d)
   s.z=max(s.z,s.p)
   s.b=b''
 def seek(s,n,w=0):
  s.flush()
  n+=(0,s.p,s.z)[w]
  if n<0:raise OSError(22)
  s.p=n
  return n
 def tell(s):return s.p+len(s.w)
 def close(s):
  if s.n is not None:
   try:s.flush()
   finally:s.n=None
 def ioctl(s,r,a):
  if r==4:s.close()
  elif r==1:s.flush()
  else:return -1
  return 0
 def __enter__(s):return s
 def __exit__(s,*a):s.close()
class FS:
 def __init__(s):s.d='/'
 def mount(s,readonly,mkfs):pass
 def umount(s):pass
 def _f(s,p):return p if p[:1]=='/' else s.d+p
 def chdir(s,d):
  p=s._f(d).rstrip('/')
  if p and s.stat(p)[0]!=16384:raise OSError(20)
  s.d=p+'/'
 def getcwd(s):return s.d[:-1] or '/'
 def _g(s,p):
  g=gift[0]
  if g and p[:len(g[0])]==g[0] and p[len(g[0]):] in('.py','.mpy','/__init__.py','/__init__.mpy') and time.ticks_diff(now(),g[1])<1000:return g
 def stat(s,p):
  p=s._f(p)
  g=s._g(p)
  if g:
   if p==g[2]:return g[3]
   raise OSError(2)
  x=use()if use else 0
  r=got(p,x)
  if not r:
   d=ask('s',p,size,s.d if use else'')
   r,e=rec(d,0,p)
   if r[0]&8:bag.clear()
   try:bring(d,e,0 if r[0]&4 else x)
   except MemoryError:bag.clear()
  k,z,t,g=r
  if g:g[1]=now()
  gift[0]=g
  if not k&3:raise OSError(2)
  return st(k&3,z,t)
 def open(s,p,mode):
  p=s._f(p)
  g=s._g(p)
  w='b' in mode
  d=None
  if g and p==g[2] and mode in('r','rb','rt'):
   d=g[4]
   gift[0]=None
  if d is None:
   if mode not in('r','rb','rt'):bag.clear()
   d=ask('o',p,mode.replace('b','').replace('t',''),size)
   z=struct.unpack('<I',d)[0]
   d=d[4:]
   if len(d)<z or mode[0]!='r' or '+' in mode:return File(p,mode,z,d)
  return io.BytesIO(d) if w else io.StringIO(str(d,'utf8'))
 def ilistdir(s,p):
  p=s._f(p)
  n=0
  r=[]
  while 1:
   d=ask('l',p,n,size)
   c,n=struct.unpack('<HI',d)
   e=6
   for _ in range(c):
    k,z,l=struct.unpack('<BIH',d[e:e+7])
    e+=7+l
    r.append((str(d[e-l:e],'utf8'),16384 if k==1 else 32768,0,z))
   if not n:return iter(r)
 def remove(s,p):ask('x',s._f(p))
 def rename(s,a,b):ask('m',s._f(a),s._f(b))
 def mkdir(s,p):ask('d',s._f(p))
 def rmdir(s,p):ask('D',s._f(p))
 def statvfs(s,p):return(4096,4096,0,0,0,0,0,0,0,255)
def go(*a):
 global at,size,window,wait,tries,room
 at,size,window,wait,tries=a
 room=memoryview(bytearray(2*window))
 cwd=os.getcwd()
 f=FS()
 try:mount(f,at)
 except OSError:
  try:
   if os.statvfs(at)!=f.statvfs(at):raise OSError(17)
  except AttributeError:
   if at!='/remote':raise OSError(17)
  if(cwd+'/').startswith(at+'/'):
   cwd='/'
   os.chdir(cwd)
  umount(at)
  mount(f,at)
 try:
  os.chdir(at)
  sys.stdout.write('\ncwd='+''.join('%02x'%b for b in bytes(cwd,'utf8'))+'\n')
 except:
  umount(at)
  raise
